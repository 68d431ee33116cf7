import type { Dialect } from '../site.ts'
import type { Kind } from '../report.ts'
import { between, isCallout, titled, writeCallout, writeTabs, type Blocks } from './callouts.ts'
import { convertFence, convertManagers, isForManagers } from './fence.ts'
import { gridAt } from './grids.ts'
import { iconOf } from './icons.ts'
import { includeAt, type Includes } from './includes.ts'
import { readLiquid, type LiquidContext } from './liquid.ts'
import { blockEnd, dedent, fenceEnd, fenceOf, indentOf, literal, outsideFences, type Line } from './lines.ts'

export interface BlockContext extends Blocks, Includes, Pick<LiquidContext, 'titleOf' | 'operation'> {
  readonly dialect: Dialect
  /** Lines of code have numbers where a block says nothing of them. */
  readonly isNumbered?: boolean
  readonly note: (kind: Kind, message: string, line: number) => void
  /** In how many parts of other files the lines are. */
  within?: number
}

/** Parts in each other: one that includes itself has no end. */
const deepest = 8

const container =
  /^((?:[ \t]|>[ \t]?)*)(:{3,})[ \t]*([A-Za-z][\w-]*)[ \t]*(?:\[(.*?)\])?[ \t]*(?:\{([^}]*)\})?[ \t]*(.*?)[ \t]*:*$/
const containerEnd = /^(?:[ \t]|>[ \t]?)*:{3,}[ \t]*$/
const admonition = /^([ \t]*)(!!!|\?\?\?\+?)[ \t]+([\w-]+)(?:[ \t]+([\w -]+?))?(?:[ \t]+"(.*)")?[ \t]*$/
const tab = /^([ \t]*)===(!|\+)?[ \t]+"(.*)"[ \t]*$/
const slashes = /^([ \t]*)(\/{3,})[ \t]+([\w-]+)(?:[ \t]*\|[ \t]*(.*))?$/

/** Blocks of a page as ours: admonitions, tabs, code blocks, parts of other files. What they hold is converted, too. */
export function convertBlocks(lines: readonly Line[], context: BlockContext): Line[] {
  const done: Line[] = []
  let index = 0
  while (index < lines.length) {
    const line = lines[index] as Line
    if (fenceOf(line.text) !== undefined) {
      const end = fenceEnd(lines, index)
      const block = lines.slice(index, end + 1)
      if (isForManagers(line.text) && !context.plain) {
        context.usesComponents = true
        done.push(...convertManagers(block))
      } else done.push(...convertFence(block, fenceContext(context)))
      index = end + 1
      continue
    }
    const step = blockAt(lines, index, context)
    if (step === undefined) {
      done.push(line)
      index++
    } else {
      const isTight = step.isBlock && done.length > 0 && done.at(-1)?.text.trim() !== ''
      if (isTight) done.push({ text: '', line: line.line })
      done.push(...step.lines)
      index = step.next
      if (step.isBlock && (lines[index]?.text.trim() ?? '') !== '') done.push({ text: '', line: line.line })
    }
  }
  return done
}

/** What a block becomes, and the index of the line behind it. */
interface Step {
  readonly lines: readonly Line[]
  readonly next: number
  readonly isBlock: boolean
}

export const fenceContext = ({ dialect, isNumbered = false, note }: BlockContext) => ({
  dialect,
  isNumbered,
  note: (message: string, line: number) => note('code', message, line),
})

function blockAt(lines: readonly Line[], index: number, context: BlockContext): Step | undefined {
  const { dialect } = context
  const line = lines[index] as Line
  const included = includeAt(line, context)
  if (included !== undefined) {
    const isPart = included.kind === 'part'
    return {
      lines: isPart ? partIn(included.lines, line, context) : included.lines,
      next: index + 1,
      isBlock: !isPart,
    }
  }
  if (dialect === 'mkdocs') return mkdocsBlock(lines, index, context)
  if (dialect === 'gitbook') {
    const liquid = readLiquid(lines, index, { ...context, convert: (inner) => convertWith(inner, context), context })
    return liquid === undefined ? undefined : { ...liquid, isBlock: true }
  }
  return containerAt(lines, index, context)
}

function partIn(lines: readonly Line[], { line }: Line, context: BlockContext): Line[] {
  const { within = 0 } = context
  if (within >= deepest) {
    context.note(
      'include',
      `Parts of other files stand in each other more than ${deepest} deep: the rest is left out.`,
      line,
    )
    return []
  }
  context.within = within + 1
  const converted = convertBlocks(lines, context)
  context.within = within
  return converted
}

const convertWith = (inner: readonly Line[], context: BlockContext): Line[] => convertBlocks(inner, context)

/** `:::kind Title` until its `:::`. */
function containerAt(lines: readonly Line[], index: number, context: BlockContext): Step | undefined {
  const line = lines[index] as Line
  const match = container.exec(line.text)
  if (match === null) return undefined
  const [, indent = '', , kind = '', bracketed, , rest = ''] = match
  const opened = (text: string): number => (containerEnd.test(text) ? -1 : container.test(text) ? 1 : 0)
  const end = blockEnd(lines, index + 1, opened)
  const inner = convertBlocks(lines.slice(index + 1, end), context)
  const title = (bracketed ?? rest).replace(/[ \t]*\{[^{}]*\}$/, '')
  const [, icon] = context.dialect === 'starlight' ? (/\{[^{}]*\bicon="([\w:-]+)"[^{}]*\}/.exec(line.text) ?? []) : []
  const at = {
    indent,
    line: line.line,
    isOpen: /\{[^{}]*\bopen\b[^{}]*\}/.test(line.text),
    ...(icon === undefined ? {} : { icon: iconOf(icon) }),
  }
  return {
    lines: writeContainer(kind, title, inner, at, context),
    next: end + 1,
    isBlock: true,
  }
}

function writeContainer(
  kind: string,
  title: string,
  inner: Line[],
  at: { indent: string; line: number; isOpen: boolean; icon?: string },
  context: BlockContext,
): Line[] {
  const name = kind.toLowerCase()
  if (name === 'code-group' || name === 'code-tabs') {
    if (context.plain) return inner
    context.usesComponents = true
    return between('<CodeGroup>', inner, '</CodeGroup>', at)
  }
  if (name === 'details') {
    const fold = at.isOpen ? 'open' : 'closed'
    return writeCallout({ kind, title: title || 'Details', fold }, inner, at, context)
  }
  if (name === 'raw') return inner
  // No values are put in there.
  if (name === 'v-pre') return outsideFences(inner, (line) => ({ lines: [{ ...line, text: literal(line.text) }] }))
  if (name === 'tabs' || name === 'tab') {
    context.note('markup', `A container \`:::${kind}\` of a plugin: what stands in it stays.`, at.line)
    return inner
  }
  if (!isCallout(kind) && name !== 'secondary')
    context.note('markup', `An admonition of a kind of the site’s own, \`:::${kind}\`: it is a note now.`, at.line)
  const own = title === '' ? (isCallout(kind) ? undefined : titled(kind)) : title
  const named = { ...(own === undefined ? {} : { title: own }), ...(at.icon === undefined ? {} : { icon: at.icon }) }
  return writeCallout({ kind, ...named }, inner, at, context)
}

function mkdocsBlock(lines: readonly Line[], index: number, context: BlockContext): Step | undefined {
  const line = lines[index] as Line
  const found = admonition.exec(line.text)
  if (found !== null) {
    const [, indent = '', sign = '', kind = '', , title] = found
    const { inner, next } = indented(lines, index, context)
    const fold = sign === '!!!' ? undefined : sign === '???' ? 'closed' : 'open'
    const callout = {
      kind,
      ...(title === undefined ? {} : { title }),
      ...(fold === undefined ? {} : ({ fold } as const)),
    }
    return { lines: writeCallout(callout, inner, { indent, line: line.line }, context), next, isBlock: true }
  }
  if (tab.test(line.text)) return mkdocsTabs(lines, index, context)
  if (slashes.test(line.text)) return slashBlock(lines, index, context)
  const grid = context.plain ? undefined : gridAt(lines, index, (inner) => convertBlocks(inner, context))
  if (grid !== undefined) {
    context.usesComponents = true
    return { ...grid, isBlock: true }
  }
  const [, reference] = /^::: ([\w.]+)[ \t]*$/.exec(line.text) ?? []
  if (reference === undefined) return definitions(lines, index, context)
  const { next } = indented(lines, index, context)
  context.note(
    'plugin',
    `The reference of \`${reference}\` was made from source code, by mkdocstrings: it is missing.`,
    line.line,
  )
  const text = `*The reference of \`${reference}\` was generated from source code.*`
  return { lines: [{ text, line: line.line }], next, isBlock: true }
}

/** What belongs to a line by being indented deeper, at the indent of the line. */
function indented(lines: readonly Line[], index: number, context: BlockContext): { inner: Line[]; next: number } {
  const base = indentOf((lines[index] as Line).text)
  let next = index + 1
  while (next < lines.length) {
    const { text } = lines[next] as Line
    if (text.trim() !== '' && indentOf(text) < base + 4) break
    next++
  }
  while (next > index + 1 && (lines[next - 1] as Line).text.trim() === '') next--
  const indent = ' '.repeat(base)
  const inner = lines.slice(index + 1, next).map(({ text, line }) => {
    const own = dedent(text, base + 4)
    return { text: own.trim() === '' ? '' : indent + own, line }
  })
  return { inner: convertBlocks(inner, context), next }
}

function mkdocsTabs(lines: readonly Line[], index: number, context: BlockContext): Step {
  const tabs: { title: string; inner: Line[] }[] = []
  const [, indent = ''] = tab.exec((lines[index] as Line).text) ?? []
  let next = index
  for (let at = index; at < lines.length;) {
    const [, own, sign, title = ''] = tab.exec((lines[at] as Line).text) ?? []
    if (own !== indent || (sign === '!' && at > index)) break
    const panel = indented(lines, at, context)
    tabs.push({ title, inner: panel.inner })
    at = next = panel.next
    while (at < lines.length && (lines[at] as Line).text.trim() === '') at++
  }
  return { lines: writeTabs(tabs, { indent, line: (lines[index] as Line).line }, context), next, isBlock: true }
}

/** `/// note | Title` until its slashes; tabs that follow each other are one. */
function slashBlock(lines: readonly Line[], index: number, context: BlockContext): Step {
  const first = lines[index] as Line
  const tabs: { title: string; inner: Line[] }[] = []
  let next = index
  for (let at = index; at < lines.length;) {
    const [, indent = '', marks = '', kind = '', title = ''] = slashes.exec((lines[at] as Line).text) ?? []
    if (marks === '' || (at > index && kind !== 'tab')) break
    let end = at + 1
    while (end < lines.length && (lines[end] as Line).text.trim() !== marks) {
      if (fenceOf((lines[end] as Line).text) !== undefined) end = fenceEnd(lines, end)
      end++
    }
    let from = at + 1
    let type = kind
    let isOpen = false
    for (; /^ {4}[\w-]+:/.test(lines[from]?.text ?? ''); from++) {
      const [, option = '', value = ''] = /^ {4}([\w-]+):[ \t]*(.*)$/.exec((lines[from] as Line).text) ?? []
      if (option === 'type') type = value
      if (option === 'open') isOpen = value.toLowerCase() === 'true'
    }
    const inner = convertBlocks(lines.slice(from, end), context)
    next = end + 1
    if (/^(?:html|(?:\w+-)?caption)$/.test(kind)) {
      const isCaption = kind !== 'html' && !context.plain
      const lined = isCaption
        ? between('<div class="text-center text-sm">', inner, '</div>', { indent, line: first.line })
        : inner
      return { lines: lined, next, isBlock: true }
    }
    if (kind !== 'tab') {
      const own = title === '' ? {} : { title }
      const fold = kind === 'details' ? ({ fold: isOpen ? 'open' : 'closed' } as const) : {}
      const callout = { kind: kind === 'admonition' ? type : kind, ...own, ...fold }
      return { lines: writeCallout(callout, inner, { indent, line: first.line }, context), next, isBlock: true }
    }
    tabs.push({ title, inner })
    at = next
    while (at < lines.length && (lines[at] as Line).text.trim() === '') at++
  }
  return { lines: writeTabs(tabs, { indent: '', line: first.line }, context), next, isBlock: true }
}

/** `Term` with `:   Definition` below it, in HTML: there is no Markdown for it. */
function definitions(lines: readonly Line[], index: number, context: BlockContext): Step | undefined {
  const term = lines[index] as Line
  const isTerm = /^\S/.test(term.text) && !/^[#>\-*|:<]/.test(term.text)
  const start = isTerm ? definitionAt(lines, index + 1) : undefined
  if (start === undefined || context.plain) return undefined
  context.usesComponents = true
  const done: Line[] = [
    { text: '<dl>', line: term.line },
    { text: `<dt>${term.text.trim()}</dt>`, line: term.line },
  ]
  let at = index + 1
  for (let found: number | undefined = start; found !== undefined; found = definitionAt(lines, at)) {
    const head = lines[found] as Line
    const { next } = indented(lines, found, context)
    const own = [
      { text: head.text.replace(/^:[ \t]+/, ''), line: head.line },
      ...lines.slice(found + 1, next).map(({ text, line }) => ({ text: dedent(text, 4), line })),
    ]
    done.push(
      { text: '<dd>', line: head.line },
      { text: '', line: head.line },
      ...convertBlocks(own, context),
      { text: '', line: head.line },
      { text: '</dd>', line: head.line },
    )
    at = next
  }
  return { lines: [...done, { text: '</dl>', line: term.line }], next: at, isBlock: true }
}

/** Where a definition begins, perhaps behind a blank line. */
function definitionAt(lines: readonly Line[], index: number): number | undefined {
  const at = lines[index]?.text.trim() === '' ? index + 1 : index
  return /^:[ \t]{1,3}\S/.test(lines[at]?.text ?? '') ? at : undefined
}
