import type { Kind } from '../report.ts'
import { attribute, between, writeCallout, writeTabs, type Blocks } from './callouts.ts'
import { convertFence, type FenceContext } from './fence.ts'
import { fenceEnd, fenceOf, type Line, outsideFences } from './lines.ts'

interface Context extends Blocks {
  readonly note: (kind: Kind, message: string, line: number) => void
  readonly dialect: FenceContext['dialect']
  readonly convert: (inner: readonly Line[]) => Line[]
  /** Where it is told that components are used. */
  readonly context: Blocks
}

const tagPattern = /\{%[ \t]*([\w-]+)([^%]*(?:%(?!\})[^%]*)*)%\}/

/** Gives every `{% tag %}` a line of its own; code blocks stay. */
export function splitLiquid(lines: readonly Line[]): Line[] {
  return outsideFences(lines, (line) => {
    if (!tagPattern.test(line.text) || /`[^`]*\{%[^`]*`/.test(line.text)) return { lines: [line] }
    const indent = /^[ \t]*/.exec(line.text)?.[0] ?? ''
    const parts = line.text.split(/(\{%.*?%\})/).filter((text) => text.trim() !== '')
    return { lines: parts.map((part) => ({ text: indent + part.trim(), line: line.line })) }
  })
}

interface Tag {
  readonly name: string
  readonly indent: string
  readonly values: Readonly<Record<string, string>>
}

function tagOf(text: string): Tag | undefined {
  const match = /^([ \t]*)\{%[ \t]*([\w-]+)(.*?)%\}[ \t]*$/.exec(text)
  if (match === null) return undefined
  const [, indent = '', name = '', rest = ''] = match
  const values = Object.fromEntries(
    [...rest.matchAll(/([\w-]+)=(?:"([^"]*)"|'([^']*)'|(\S+))/g)].map(([, key = '', double, single, bare]) => [
      key,
      double ?? single ?? bare ?? '',
    ]),
  )
  return { name, indent, values }
}

/** A block of GitBook that begins at an index; undefined where none does. */
export function readLiquid(
  lines: readonly Line[],
  index: number,
  context: Context,
): { lines: Line[]; next: number } | undefined {
  const line = lines[index] as Line
  const tag = tagOf(line.text)
  if (tag === undefined) return undefined
  const end = endOf(lines, index, tag.name)
  const inner = end === undefined ? [] : lines.slice(index + 1, end)
  const at = { indent: tag.indent, line: line.line }
  const next = end === undefined ? index + 1 : end + 1
  const done = (own: Line[]) => ({ lines: own, next })
  const { values } = tag
  switch (tag.name) {
    case 'hint':
      return done(writeCallout({ kind: values['style'] ?? 'info' }, context.convert(inner), at, context.context))
    case 'tabs':
      return done(
        writeTabs(
          partsOf(inner, 'tab').map(({ tag: own, inner: body }) => ({
            title: own.values['title'] ?? 'Tab',
            inner: context.convert(body),
          })),
          at,
          context.context,
        ),
      )
    case 'code':
      return done(codeOf(inner, values, context))
    case 'stepper':
      return done(steps(inner, at, context))
    case 'content-ref':
    case 'embed':
    case 'file':
      return done(linkOf(tag, inner, at, context))
    case 'columns':
      return done(
        between(
          '<Columns>',
          partsOf(inner, 'column').flatMap(({ inner: body }) =>
            between('<Column>', context.convert(body), '</Column>', at),
          ),
          '</Columns>',
          at,
        ),
      )
    case 'updates':
      return done(
        partsOf(inner, 'update').flatMap(({ tag: own, inner: body }) =>
          between(
            `<Update${attribute('label', own.values['date'] ?? own.values['label'] ?? 'Update')}>`,
            context.convert(body),
            '</Update>',
            at,
          ),
        ),
      )
    default:
      context.note('markup', `\`{% ${tag.name} %}\` has no counterpart: what stands in it stays.`, line.line)
      return done(context.convert(inner))
  }
}

function endOf(lines: readonly Line[], index: number, name: string): number | undefined {
  let depth = 0
  for (let at = index; at < lines.length; at++) {
    const { text } = lines[at] as Line
    if (fenceOf(text) !== undefined) {
      at = fenceEnd(lines, at)
      continue
    }
    const tag = tagOf(text)
    if (tag?.name === name) depth++
    if (tag?.name === `end${name}`) depth--
    if (depth === 0 && at > index) return at
  }
  return undefined
}

function partsOf(lines: readonly Line[], name: string): { tag: Tag; inner: readonly Line[] }[] {
  const parts: { tag: Tag; inner: readonly Line[] }[] = []
  for (let index = 0; index < lines.length; index++) {
    const tag = tagOf((lines[index] as Line).text)
    if (tag?.name !== name) continue
    const end = endOf(lines, index, name) ?? lines.length
    parts.push({ tag, inner: lines.slice(index + 1, end) })
    index = end
  }
  return parts
}

function codeOf(inner: readonly Line[], values: Tag['values'], context: Context): Line[] {
  const start = inner.findIndex(({ text }) => fenceOf(text) !== undefined)
  if (start === -1) return context.convert(inner)
  const end = fenceEnd(inner, start)
  const extra = [
    values['title'] === undefined ? '' : `title="${values['title']}"`,
    values['lineNumbers'] === 'true' ? 'lines' : '',
    values['overflow'] === 'wrap' ? 'wrap' : '',
    values['expandable'] === 'true' ? 'expandable' : '',
  ]
  const noted = {
    dialect: context.dialect,
    note: (message: string, line: number) => context.note('code', message, line),
  }
  return [
    ...inner.slice(0, start),
    ...convertFence(inner.slice(start, end + 1), noted, extra.join(' ')),
    ...inner.slice(end + 1),
  ]
}

/** Steps whose titles are the headings that they begin with. */
function steps(inner: readonly Line[], at: { indent: string; line: number }, context: Context): Line[] {
  if (context.plain) return partsOf(inner, 'step').flatMap(({ inner: body }) => context.convert(body))
  context.context.usesComponents = true
  const parts = partsOf(inner, 'step').flatMap(({ inner: body }, index) => {
    const first = body.findIndex(({ text }) => text.trim() !== '')
    const [, heading] = /^\s*#{1,6}\s+(.*)$/.exec(body[first]?.text ?? '') ?? []
    const rest = heading === undefined ? body : body.slice(first + 1)
    return between(`<Step${attribute('title', heading ?? `Step ${index + 1}`)}>`, context.convert(rest), '</Step>', at)
  })
  return between('<Steps>', parts, '</Steps>', at)
}

/** A page, a video or a file that was shown as a box: a link, in a card where there are components. */
function linkOf(
  { values, name }: Tag,
  inner: readonly Line[],
  at: { indent: string; line: number },
  context: Context,
): Line[] {
  const address = values['url'] ?? values['src'] ?? ''
  const [, words] = /\[([^\]]+)\]\(/.exec(inner.map(({ text }) => text).join('\n')) ?? []
  const caption =
    values['caption'] ??
    inner
      .map(({ text }) => text.trim())
      .filter(Boolean)
      .join(' ')
  const [, video] = /^https?:\/\/(?:www\.)?(?:youtube\.com\/watch\?v=|youtu\.be\/)([\w-]{6,20})/.exec(address) ?? []
  const own = (text: string): Line => ({ text: at.indent + text, line: at.line })
  if (video !== undefined && !context.plain) {
    context.context.usesComponents = true
    return [
      own(
        `<iframe src="https://www.youtube-nocookie.com/embed/${video}" title="${caption.replaceAll('"', '') || 'Video'}" allowFullScreen />`,
      ),
    ]
  }
  const title = words === undefined || words.endsWith('.md') || words === address ? undefined : words
  const label =
    title ??
    (name === 'content-ref'
      ? address
          .replace(/(?:\/?README)?\.md$/, '')
          .replace(/^.*\//, '')
          .replaceAll('-', ' ') || address
      : caption || address)
  return [own(`[${label}](<${address}>)`)]
}
