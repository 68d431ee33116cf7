import { indentOf, type Line } from './lines.ts'

/** What a page’s blocks are made of, and what is told meanwhile. */
export interface Blocks {
  /** Without components: as quotes and bold words, for a page that cannot be MDX. */
  readonly plain: boolean
  /** A component was written: the page has to be MDX. */
  usesComponents: boolean
}

/** Kinds of admonitions of all frameworks, and the component that is nearest. */
const components: Readonly<Record<string, string>> = {
  note: 'Note',
  seealso: 'Note',
  example: 'Note',
  info: 'Info',
  important: 'Info',
  abstract: 'Info',
  summary: 'Info',
  tldr: 'Info',
  todo: 'Info',
  question: 'Info',
  help: 'Info',
  faq: 'Info',
  tip: 'Tip',
  hint: 'Tip',
  success: 'Check',
  check: 'Check',
  done: 'Check',
  warning: 'Warning',
  caution: 'Warning',
  attention: 'Warning',
  danger: 'Danger',
  error: 'Danger',
  failure: 'Danger',
  fail: 'Danger',
  missing: 'Danger',
  bug: 'Danger',
}
/** Kinds that look like their component: their name as a title says nothing that the box does not. */
const plainKinds = new Set([
  'note',
  'info',
  'tip',
  'hint',
  'success',
  'check',
  'warning',
  'caution',
  'danger',
  'error',
  'default',
  'secondary',
])
const alerts: Readonly<Record<string, string>> = {
  Note: 'NOTE',
  Info: 'NOTE',
  Tip: 'TIP',
  Check: 'TIP',
  Warning: 'WARNING',
  Danger: 'CAUTION',
}

export const calloutOf = (kind: string): string => components[kind.toLowerCase()] ?? 'Note'
export const isCallout = (kind: string): boolean => kind.toLowerCase() in components

/** Text in an attribute of JSX. Markdown in it is not read there. */
export function attribute(name: string, text: string | undefined): string {
  if (text === undefined || text === '') return ''
  return ` ${name}="${withoutMarks(text).replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"`
}

/** Words without the marks of emphasis, code and links, and without the icons of Material. */
export function withoutMarks(text: string): string {
  return text
    .replaceAll(/:(?:material|octicons|simple|fontawesome)-[\w-]+:(?:\{[^{}]*\})?/g, '')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/`+([^`]+)`+/g, '$1')
    .replaceAll(/(\*\*|__)(?=\S)(.+?)(?<=\S)\1/g, '$2')
    .replaceAll(/(?<![\w*])[*_](?=\S)([^*_]+?)(?<=\S)[*_](?![\w*])/g, '$1')
    .replaceAll(/\\([\\`*_{}[\]()#+\-.!<>])/g, '$1')
    .trim()
}

export const titled = (kind: string): string => {
  const word = kind.replaceAll(/[-_]/g, ' ')
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** What stands between two tags, blank lines around it. */
export function between(
  open: string,
  inner: readonly Line[],
  close: string,
  at: { indent: string; line: number },
): Line[] {
  const own = (text: string): Line => ({ text: text === '' ? '' : at.indent + text, line: at.line })
  const trimmed = trimBlank(inner)
  const end = { text: at.indent + close, line: inner.at(-1)?.line ?? at.line }
  if (trimmed.length === 0) return [own(open + close)]
  return [own(open), own(''), ...trimmed, own(''), end]
}

export function trimBlank(lines: readonly Line[]): readonly Line[] {
  const first = lines.findIndex(({ text }) => text.trim() !== '')
  if (first === -1) return []
  const last = lines.findLastIndex(({ text }) => text.trim() !== '')
  return lines.slice(first, last + 1)
}

export interface Callout {
  readonly kind: string
  readonly title?: string
  readonly icon?: string
  /** Closed until it is asked for, or open and to be closed. */
  readonly fold?: 'closed' | 'open'
}

/** An admonition as ours, or as a quote. `inner` is converted already and stands at `indent`. */
export function writeCallout(
  callout: Callout,
  inner: readonly Line[],
  at: { indent: string; line: number },
  blocks: Blocks,
): Line[] {
  const { kind, fold } = callout
  const name = calloutOf(kind)
  const title = callout.title ?? (plainKinds.has(kind.toLowerCase()) && fold === undefined ? undefined : titled(kind))
  if (blocks.plain) return quote(name, title, inner, at)
  blocks.usesComponents = true
  if (fold === undefined)
    return between(`<${name}${attribute('title', title)}${attribute('icon', callout.icon)}>`, inner, `</${name}>`, at)
  const open = fold === 'open' ? ' defaultOpen' : ''
  return between(`<Accordion${attribute('title', title)}${open}>`, inner, '</Accordion>', at)
}

function quote(
  name: string,
  title: string | undefined,
  inner: readonly Line[],
  { indent, line }: { indent: string; line: number },
): Line[] {
  const head = [{ text: `${indent}> [!${alerts[name] ?? 'NOTE'}]`, line }]
  if (title !== undefined && title !== '')
    head.push({ text: `${indent}> **${withoutMarks(title)}**`, line }, { text: `${indent}>`, line })
  return [
    ...head,
    ...trimBlank(inner).map(({ text, line: at }) => ({
      text: `${indent}> ${text.slice(Math.min(indent.length, indentOf(text)))}`,
      line: at,
    })),
  ]
}

/** Panels of which one is shown at a time; with `plain` one after the other under bold words. */
export function writeTabs(
  tabs: readonly { readonly title: string; readonly icon?: string; readonly inner: readonly Line[] }[],
  at: { indent: string; line: number },
  blocks: Blocks,
): Line[] {
  const own = (text: string): Line => ({ text: text === '' ? '' : at.indent + text, line: at.line })
  if (blocks.plain)
    return tabs.flatMap(({ title, inner }) => [
      own(`**${withoutMarks(title)}**`),
      own(''),
      ...trimBlank(inner),
      own(''),
    ])
  blocks.usesComponents = true
  const panels = tabs.flatMap(({ title, icon, inner }, index) => [
    ...(index === 0 ? [] : [own('')]),
    ...between(`<Tab${attribute('title', title)}${attribute('icon', icon)}>`, inner, '</Tab>', at),
  ])
  return between('<Tabs>', panels, '</Tabs>', at)
}
