/** @jsxImportSource #html */
import { raw, type Html } from '../../lib/html.ts'
import { type Component, choice, flag, inner, lines, style, text } from './component.tsx'
import { inlineMarkdown } from './inline-markdown.tsx'

/** `<Frame caption hint>` around a picture or video; both are Markdown. */
const frame: Component = (props, children, context) => {
  const hint = inlineMarkdown(props, 'hint', context)
  const caption = inlineMarkdown(props, 'caption', context)
  return (
    <figure class="q-frame">
      {hint && <p class="q-frame-hint">{hint}</p>}
      <div class="q-frame-body" style={style(props)}>
        {playing(inner(children))}
      </div>
      {caption && <figcaption>{caption}</figcaption>}
    </figure>
  )
}

/** `<CodeBlock language filename icon lines wrap expandable highlight focus>`: code that an expression gives. */
const codeBlock: Component = (props, children, context) => {
  const quoted = (name: string): string => text(props, name)?.replaceAll(/["\n]/g, ' ') ?? ''
  const language = text(props, 'language')?.toLowerCase() ?? ''
  const words = [
    ...['filename', 'icon'].filter((name) => quoted(name) !== '').map((name) => `${name}="${quoted(name)}"`),
    ...['highlight', 'focus'].map((name) => `${name}={${quoted(name).replaceAll(/[^\d,-]/g, '')}}`),
    ...['lines', 'wrap', 'expandable'].filter((name) => flag(props, name)),
  ]
  // A fence within it is a block already.
  const isBlock = children.some(({ code }) => code !== undefined)
  return isBlock ? inner(children) : context.code(lines(inner(children)), language, words.join(' '))
}

/** A video that plays by itself does so in its place, again and again, and without a sound. */
function playing(html: Html): Html {
  return raw(
    html.html.replaceAll(/<video(?=[^>]* autoplay)([^>]*)>/g, (_tag, attributes: string) => {
      const missing = ['playsinline', 'loop', 'muted'].filter(
        (name) => !new RegExp(` ${name}(?=[ =]|$)`).test(attributes),
      )
      return `<video${[attributes, ...missing].join(' ')}>`
    }),
  )
}

/** What stands beside the text where the window is wide. */
const panel: Component = (_props, children) => <aside class="q-panel">{inner(children)}</aside>

/** Who reads: people the page, agents its Markdown. */
type Audience = 'humans' | 'agents'

/** `<Visibility for="agents">`: what is for one of them carries marks until the page is whole; no author can write them. */
const visibility: Component = (props, children) => {
  const audience = choice(props, 'for', ['humans', 'agents'])
  return audience === undefined ? inner(children) : raw(`<!--${audience}-->${inner(children).html}<!--/${audience}-->`)
}

/** HTML of a page as one of them reads it, without the marks. */
export function htmlFor(audience: Audience, html: string): string {
  if (!html.includes('<!--')) return html
  let kept = ''
  let others = 0
  for (const piece of html.split(/(<!--\/?(?:humans|agents)-->)/)) {
    const [, end, mark] = /^<!--(\/?)(humans|agents)-->$/.exec(piece) ?? []
    if (mark === undefined) kept += others === 0 ? piece : ''
    else if (mark !== audience) others += end === '/' ? -1 : 1
  }
  return kept
}

export const blocks: Readonly<Record<string, Component>> = {
  CodeBlock: codeBlock,
  Frame: frame,
  Panel: panel,
  Visibility: visibility,
}
