/** @jsxImportSource #html */
import { escapeHtml, raw, type Html } from '../../lib/html.ts'
import {
  type Component,
  type ComponentContext,
  type Props,
  choice,
  content,
  drawing,
  flag,
  inner,
  plainText,
  style,
  text,
  texts,
} from './component.tsx'

/** `<Frame caption hint>` around a picture or video; both are Markdown. */
const frame: Component = (props, children, context) => {
  const hint = inlineMarkdown(props, 'hint', context)
  const caption = inlineMarkdown(props, 'caption', context)
  return (
    <figure class="q-frame">
      {hint && <p class="q-frame-hint">{hint}</p>}
      <div class="q-frame-body" style={style(props)}>
        {inner(children)}
      </div>
      {caption && <figcaption>{caption}</figcaption>}
    </figure>
  )
}

/** What stands beside the text where the window is wide. */
const panel: Component = (_props, children) => <aside class="q-panel">{inner(children)}</aside>

/** `<Update label description tags>`: an entry of a change log, listed in the contents. */
const update: Component = (props, children, context) => {
  const label = content(props, 'label') ?? 'Update'
  const name = plainText(label)
  const id = context.anchor(text(props, 'id') ?? name, 'section')
  context.heading({ id, level: 2, text: name })
  const description = content(props, 'description')
  const tags = texts(props, 'tags')
  return (
    <section class="q-update" id={id} aria-label={name}>
      <div class="q-update-head">
        <h2 class="q-update-label">
          <a href={`#${encodeURIComponent(id)}`}>{label}</a>
        </h2>
        {description && <p class="q-update-description">{description}</p>}
        {tags.length > 0 && (
          <ul class="q-update-tags">
            {tags.map((tag) => (
              <li>{tag}</li>
            ))}
          </ul>
        )}
      </div>
      <div class="q-update-body">{inner(children)}</div>
    </section>
  )
}

const tree: Component = (_props, children) => <ul class="q-tree">{inner(children)}</ul>

/** `<Tree.Folder name defaultOpen openable>`. */
const folder: Component = (props, children) => {
  const label = [drawing('folder', 'lucide'), treeLabel(props)]
  const entries = <ul>{inner(children)}</ul>
  return (
    <li>
      {flag(props, 'openable', true) ? (
        <details open={flag(props, 'defaultOpen')}>
          <summary>{label}</summary>
          {entries}
        </details>
      ) : (
        [label, entries]
      )}
    </li>
  )
}

/** `<Tree.File name comment>`. */
const file: Component = (props) => (
  <li>
    {drawing('file', 'lucide')}
    {treeLabel(props)}
  </li>
)

function treeLabel(props: Props): Html {
  const comment = content(props, 'comment')
  return (
    <>
      <span>{content(props, 'name')}</span>
      {comment && <span class="q-tree-comment">{comment}</span>}
    </>
  )
}

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
  Frame: frame,
  Panel: panel,
  Update: update,
  Tree: tree,
  'Tree.Folder': folder,
  'Tree.File': file,
  Visibility: visibility,
}

/** Longer is no caption; what follows stays as it is written. */
const longestMarkdown = 4_000

/** `code`, [a link](/to), **strong** or __strong__, *emphasis* or _emphasis_. Bounded, so that no text takes long. */
const markdownMark =
  /`([^`]{1,400})`|\[([^[\]]{1,400})\]\(([^()\s]{1,2000})\)|(\*\*|__)(?=\S)(.{1,400}?)(?<=\S)\4|(\*|\b_)(?=\S)([^*_]{1,400})(?<=\S)\6(?!\w)/g

/** A prop that authors write in Markdown, such as a caption; undefined when there is nothing to show. */
function inlineMarkdown(props: Props, name: string, context: ComponentContext): Html | undefined {
  const value = props.get(name)
  if (typeof value !== 'string') return content(props, name)
  return value.trim() === '' ? undefined : markdownHtml(value.trim(), context)
}

function markdownHtml(source: string, context: ComponentContext): Html {
  let html = ''
  let end = 0
  for (const match of source.slice(0, longestMarkdown).matchAll(markdownMark)) {
    const [whole, code, label, target, , strong, , emphasis] = match
    html += escapeHtml(source.slice(end, match.index))
    if (code !== undefined) html += (<code>{code}</code>).html
    else if (strong !== undefined) html += (<strong>{markdownHtml(strong, context)}</strong>).html
    else if (emphasis !== undefined) html += (<em>{markdownHtml(emphasis, context)}</em>).html
    else html += markdownLink(label ?? '', target ?? '', context).html
    end = match.index + whole.length
  }
  return raw(html + escapeHtml(source.slice(end)))
}

function markdownLink(label: string, target: string, context: ComponentContext): Html {
  const href = context.href(target, 'link')
  const inside = markdownHtml(label, context)
  return href === undefined ? inside : <a href={href}>{inside}</a>
}
