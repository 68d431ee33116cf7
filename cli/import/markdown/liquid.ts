import type { Kind } from '../report.ts'
import { attribute, between, writeCallout, writeTabs, type Blocks } from './callouts.ts'
import { convertFence, type FenceContext } from './fence.ts'
import { fenceEnd, fenceOf, type Line, outsideFences } from './lines.ts'

export interface LiquidContext extends Blocks {
  readonly note: (kind: Kind, message: string, line: number) => void
  readonly dialect: FenceContext['dialect']
  readonly convert: (inner: readonly Line[]) => Line[]
  /** Where it is told that components are used. */
  readonly context: Blocks
  /** What the page is called that an address leads to. */
  readonly titleOf: (address: string) => string | undefined
  /** Takes the operation of an API that the page shows; false where it shows several. */
  readonly operation: (source: string, method: string, path: string) => boolean
}

const tagPattern = /\{%[ \t]*(@?[\w/-]+)([^%]*(?:%(?!\})[^%]*)*)%\}/

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
  const match = /^([ \t]*)\{%[ \t]*(@?[\w/-]+)(.*?)%\}[ \t]*$/.exec(text)
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
  context: LiquidContext,
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
            ...(own.values['icon'] === undefined ? {} : { icon: own.values['icon'] }),
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
      return done(columns(inner, at, context))
    case 'updates':
      return done(updates(inner, at, context))
    case 'prompt':
      return done(prompt(inner, values, at, context))
    case 'openapi':
    case 'openapi-operation':
    case 'swagger':
      return done(operation(tag, inner, at, context))
    case 'if':
      context.note('markup', 'A part that some visitors saw only, `{% if %}`: everybody sees it now.', line.line)
      return done(context.convert(inner))
    default:
      if (tag.name.startsWith('@')) return done(integration(tag, inner, at, context))
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

function codeOf(inner: readonly Line[], values: Tag['values'], context: LiquidContext): Line[] {
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
function steps(inner: readonly Line[], at: { indent: string; line: number }, context: LiquidContext): Line[] {
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

interface Place {
  readonly indent: string
  readonly line: number
}

function columns(inner: readonly Line[], at: Place, context: LiquidContext): Line[] {
  const bodies = partsOf(inner, 'column').map(({ inner: body }) => context.convert(body))
  if (context.plain) return bodies.flat()
  context.context.usesComponents = true
  const parts = bodies.flatMap((body) => between('<Column>', body, '</Column>', at))
  return between('<Columns>', parts, '</Columns>', at)
}

/** Entries of a change log; their tags are taken apart once the page is MDX. */
function updates(inner: readonly Line[], at: Place, context: LiquidContext): Line[] {
  const parts = partsOf(inner, 'update').map(({ tag: { values }, inner: body }) => ({
    label: values['label'] ?? dateOf(values['date']) ?? 'Update',
    tags: values['tags'],
    body: context.convert(body),
  }))
  if (context.plain)
    return parts.flatMap(({ label, body }) => [
      { text: `${at.indent}**${label}**`, line: at.line },
      { text: '', line: at.line },
      ...body,
    ])
  context.context.usesComponents = true
  return parts.flatMap(({ label, tags, body }) => [
    ...between(`<Update${attribute('label', label)}${attribute('tags', tags)}>`, body, '</Update>', at),
    { text: '', line: at.line },
  ])
}

/** `2025-12-25` → `December 25, 2025`. */
function dateOf(text: string | undefined): string | undefined {
  const date = /^\d{4}-\d{2}-\d{2}/.test(text ?? '') ? new Date(`${text?.slice(0, 10)}T00:00:00Z`) : undefined
  return date === undefined || Number.isNaN(date.getTime())
    ? text
    : date.toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })
}

/** Words for a model, which GitBook keeps in a code block. */
function prompt(inner: readonly Line[], values: Tag['values'], at: Place, context: LiquidContext): Line[] {
  const start = inner.findIndex(({ text }) => fenceOf(text) !== undefined)
  const words = start === -1 ? inner : inner.slice(start + 1, fenceEnd(inner, start))
  if (context.plain) return context.convert(inner)
  context.context.usesComponents = true
  const { description, icon } = values
  return between(`<Prompt${attribute('description', description)}${attribute('icon', icon)}>`, words, '</Prompt>', at)
}

/** An operation of an API: the page’s own, where it is the only one, else a link to its description. */
function operation(
  { name, values }: Tag,
  inner: readonly Line[],
  at: Place,
  { operation: take, note }: LiquidContext,
): Line[] {
  const [, address] = /\[[^\]]*\]\((https?:[^)\s]+)\)/.exec(inner.map(({ text }) => text).join('\n')) ?? []
  const source = values['src'] ?? address
  const [method, path] = [(values['method'] ?? '').toUpperCase(), values['path'] ?? '']
  if (source !== undefined && method !== '' && path !== '' && take(source, method, path)) return []
  note('markup', `The operation ${method} ${path} of \`{% ${name} %}\` stands there as a link.`, at.line)
  const words = `\`${method} ${path}\``
  return [{ text: at.indent + (source === undefined ? words : `[${words}](<${source}>)`), line: at.line }]
}

/** A block of an integration: diagrams are known, others become a link. */
function integration({ name, values }: Tag, inner: readonly Line[], at: Place, { note }: LiquidContext): Line[] {
  const own = (text: string): Line => ({ text: at.indent + text, line: at.line })
  if (name === '@mermaid/diagram' && values['content'] !== undefined)
    return [own('```mermaid'), ...values['content'].split('\\n').map(own), own('```')]
  note(
    'plugin',
    `\`{% ${name} %}\` is a block of an integration: ${values['url'] === undefined ? 'it was left out' : 'it is a link now'}.`,
    at.line,
  )
  return values['url'] === undefined ? [...inner] : [own(`[${values['url']}](<${values['url']}>)`)]
}

/** Addresses of films, and the one at which they play within a page. */
const players: readonly (readonly [RegExp, string])[] = [
  [
    /^https?:\/\/(?:www\.)?(?:youtube\.com\/(?:watch\?(?:[^#]*&)?v=|embed\/|shorts\/)|youtu\.be\/)([\w-]{6,20})/,
    'https://www.youtube-nocookie.com/embed/',
  ],
  [/^https?:\/\/(?:www\.)?loom\.com\/(?:share|embed)\/([\da-f]{32})/, 'https://www.loom.com/embed/'],
  [/^https?:\/\/(?:www\.)?vimeo\.com\/(\d+)/, 'https://player.vimeo.com/video/'],
  [/^https?:\/\/codepen\.io\/([\w-]+\/)pen\/(\w+)/, 'https://codepen.io/'],
]

/** A page, a film or a file that was shown as a box: a card or a player, a link where there are no components. */
function linkOf({ values, name }: Tag, inner: readonly Line[], at: Place, context: LiquidContext): Line[] {
  const address = values['url'] ?? values['src'] ?? ''
  const [, words] = /\[([^\]]+)\]\(/.exec(inner.map(({ text }) => text).join('\n')) ?? []
  const caption =
    values['caption'] ??
    inner
      .map(({ text }) => text.trim())
      .filter(Boolean)
      .join(' ')
  const own = (text: string): Line => ({ text: at.indent + text, line: at.line })
  const told = name === 'content-ref' ? context.titleOf(address) : undefined
  const given = words === undefined || words.endsWith('.md') || words === address ? undefined : words
  const title = told ?? given ?? (name === 'content-ref' ? nameIn(address) : caption || fileIn(address))
  if (address.startsWith('/broken/')) {
    context.note('markup', `A link that GitBook had lost itself, “${title}”: its words stay.`, at.line)
    return [own(title)]
  }
  if (context.plain) return [own(`[${title}](<${address}>)`)]
  context.context.usesComponents = true
  const shown = playerOf(address, caption)
  if (shown !== undefined) return [own(shown), ...(caption === '' ? [] : [own(''), own(`*${caption}*`)])]
  const icon = name === 'file' ? ' icon="file"' : ''
  return [own(`<Card${attribute('title', title)}${icon} href="${address.replaceAll('"', '%22')}" horizontal></Card>`)]
}

function playerOf(address: string, caption: string): string | undefined {
  for (const [pattern, base] of players) {
    const [, first, second] = pattern.exec(address) ?? []
    if (first === undefined) continue
    const path = second === undefined ? first : `${first}embed/${second}`
    return `<iframe src="${base}${path}"${attribute('title', caption || 'Embedded content')} width="100%" height="400" allowfullscreen></iframe>`
  }
  return /\.(?:mp4|webm|mov)(?:[?#]|$)/i.test(address)
    ? `<video src="${address.replaceAll('"', '%22')}" controls></video>`
    : undefined
}

const nameIn = (address: string): string =>
  address
    .replace(/(?:\/?README)?\.md$/, '')
    .replace(/^.*\//, '')
    .replaceAll('-', ' ') || address

const fileIn = (address: string): string => {
  const name = /([^/?#]+)(?:[?#].*)?$/.exec(address)?.[1]
  return name === undefined || /^https?:/.test(address) ? address : name
}
