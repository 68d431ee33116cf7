import type { Dialect } from '../site.ts'
import { attribute, calloutOf, titled, withoutMarks } from './callouts.ts'
import { textOfValue, writeTag, type Element, type Value } from './elements.ts'
import { fenceFrom } from './fence.ts'
import { iconOf } from './icons.ts'
import { stepsOf, treeOf } from './lists.ts'
import { textOf } from './lines.ts'
import { nodesIn, type Node } from './tree.ts'

/** What a component becomes: other tags around what is in it, or another text in its place. */
export type Change = { readonly open: string; readonly close: string } | { readonly whole: string }

export interface ComponentContext {
  readonly dialect: Dialect
  readonly text: string
  /** An address as the new site has it. */
  readonly link: (address: string) => string
  /** What is in an element, with the components in it converted. */
  readonly inner: (element: Element) => string
  readonly note: (message: string, line: number) => void
}

type Mapper = (element: Element, context: ComponentContext) => Change | undefined

const textAt = (element: Element, name: string): string | undefined => textOfValue(element.attributes.get(name))
const unwrap: Mapper = () => ({ open: '', close: '' })
const drop: Mapper = () => ({ whole: '' })

function renamed(
  name: string,
  attributes: (
    element: Element,
    context: ComponentContext,
  ) => readonly (readonly [string, Value | undefined])[] = () => [],
): Mapper {
  return (element, context) => ({
    open: writeTag(name, attributes(element, context), element.isSelfClosing),
    close: element.isSelfClosing ? '' : `</${name}>`,
  })
}

const hrefOf = (element: Element, context: ComponentContext): string | undefined => {
  const address = textAt(element, 'href') ?? textAt(element, 'to')
  return address === undefined ? undefined : context.link(address)
}
const iconIn = (element: Element, name = 'icon'): string | undefined => {
  const icon = textAt(element, name)
  return icon === undefined ? undefined : iconOf(icon)
}

function callout(kindName: string): Mapper {
  return (element, context) => {
    const kind = textAt(element, kindName) ?? 'note'
    const title = element.attributes.get('title')
    const own = typeof title === 'object' && textOfValue(title) === undefined ? undefined : textOfValue(title)
    if (title !== undefined && own === undefined)
      context.note(`The title of an \`<${element.name}>\` is made by code, and was left out.`, lineOf(element))
    const name = calloutOf(kind)
    return { open: `<${name}${attribute('title', own)}>`, close: `</${name}>` }
  }
}

const lineOf = (element: Element): number => element.node.position?.start.line ?? 1

const badgeColors: Readonly<Record<string, string>> = {
  note: 'blue',
  info: 'blue',
  tip: 'purple',
  success: 'green',
  caution: 'orange',
  warning: 'yellow',
  danger: 'red',
}
/** `<Badge text="new" variant="tip" />`. */
const badge: Mapper = (element) => {
  const color = badgeColors[textAt(element, 'variant') ?? textAt(element, 'type') ?? ''] ?? 'gray'
  const text = textAt(element, 'text')
  const open = writeTag('Badge', [['color', color]])
  return element.isSelfClosing ? { whole: `${open}${text ?? ''}</Badge>` } : { open, close: '</Badge>' }
}

/** `<Code code="…" lang="…" />` and `<CodeBlock language="…">{`…`}</CodeBlock>`. */
const code: Mapper = (element, context) => {
  const inner = context.text.slice(element.innerStart, element.innerEnd).trim()
  const own = textAt(element, 'code') ?? (inner.startsWith('{') ? textOfValue({ code: inner.slice(1, -1) }) : inner)
  if (own === undefined || own === '') {
    context.note(`The code in \`<${element.name}>\` is made by code: it is missing.`, lineOf(element))
    return { whole: `{/* ${context.text.slice(element.start, element.end).replaceAll('*/', '* /')} */}` }
  }
  const language = textAt(element, 'lang') ?? textAt(element, 'language') ?? 'text'
  const title = textAt(element, 'title')
  return {
    whole: textOf(
      fenceFrom(own, `${language}${title === undefined ? '' : ` title="${title}"`}`, { text: '', line: 1 }),
    ),
  }
}

/** Tabs of Docusaurus may be named in a list: `values={[{label: 'npm', value: 'npm'}]}`. */
function labelsOf(value: Value | undefined): ReadonlyMap<string, string> {
  const labels = new Map<string, string>()
  if (typeof value !== 'object') return labels
  for (const [, object = ''] of value.code.matchAll(/\{([^{}]*)\}/g)) {
    const field = (name: string): string | undefined =>
      new RegExp(`\\b${name}\\s*:\\s*(["'\`])(.*?)\\1`).exec(object)?.[2]
    const [key, label] = [field('value'), field('label')]
    if (key !== undefined && label !== undefined) labels.set(key, label)
  }
  return labels
}

const itemsOf = (value: Value | undefined): string[] =>
  typeof value === 'object' ? [...value.code.matchAll(/(["'`])((?:(?!\1).)*)\1/g)].map(([, , item = '']) => item) : []

/** Names of the panels of a tab group, by the offset at which each begins. */
function panelTitles(parent: Element): ReadonlyMap<number, string> {
  const labels = labelsOf(parent.attributes.get('values'))
  const items = itemsOf(parent.attributes.get('items'))
  const titles = new Map<number, string>()
  let index = 0
  for (const node of nodesIn(parent.node)) {
    if (!isPanel(node)) continue
    const value = (node.attributes ?? []).find(({ name }) => name === 'value')?.value
    const own = typeof value === 'string' ? labels.get(value) : undefined
    const title = own ?? items[index]
    if (title !== undefined) titles.set(node.position?.start.offset ?? 0, title)
    index++
  }
  return titles
}

const isPanel = ({ name }: Node): boolean => name === 'TabItem' || name === 'Tab' || name === 'Tabs.Tab'
const titlesByPanel = new WeakMap<object, string>()

/** Tells panels what the group around them calls them. */
export function nameTabs(element: Element): void {
  if (element.name !== 'Tabs') return
  const titles = panelTitles(element)
  for (const node of nodesIn(element.node)) {
    const title = titles.get(node.position?.start.offset ?? -1)
    if (title !== undefined && isPanel(node)) titlesByPanel.set(node, title)
  }
}

const panel: Mapper = (element) => {
  const title =
    textAt(element, 'label') ??
    textAt(element, 'title') ??
    titlesByPanel.get(element.node) ??
    textAt(element, 'value') ??
    'Tab'
  return { open: `<Tab${attribute('title', title)}${attribute('icon', iconIn(element))}>`, close: '</Tab>' }
}

const card: Mapper = (element, context) => {
  const title = textAt(element, 'title')
  const description = textAt(element, 'description')
  const open = writeTag('Card', [
    ['title', title],
    ['icon', iconIn(element)],
    ['href', hrefOf(element, context)],
  ])
  if (!element.isSelfClosing) return { open, close: '</Card>' }
  return {
    whole: `${open}${description === undefined ? '' : withoutMarks(description).replaceAll(/[{<]/g, '\\$&')}</Card>`,
  }
}

const linkTo: Mapper = (element, context) => {
  const href = hrefOf(element, context)
  return href === undefined
    ? { open: '', close: '' }
    : { open: writeTag('a', [['href', href]], element.isSelfClosing), close: '</a>' }
}

const listed =
  (make: (source: string) => string | undefined, otherwise: Mapper): Mapper =>
  (element, context) => {
    const made = make(context.inner(element))
    return made === undefined ? otherwise(element, context) : { whole: made }
  }

const shared: Readonly<Record<string, Mapper>> = {
  Tabs: renamed('Tabs'),
  TabItem: panel,
  Fragment: unwrap,
  '': unwrap,
}

/** Components that frameworks bring, by the name that their pages use. */
const mappers: Readonly<Record<string, Readonly<Record<string, Mapper>>>> = {
  docusaurus: {
    ...shared,
    Admonition: callout('type'),
    CodeBlock: code,
    Link: linkTo,
    Details: (element) => {
      const summary = textAt(element, 'summary')
      const open = `<details>${summary === undefined ? '' : `<summary>${summary}</summary>`}`
      return { open, close: '</details>' }
    },
    BrowserOnly: drop,
    TOCInline: drop,
    Head: drop,
    Translate: unwrap,
    DocCardList: drop,
  },
  starlight: {
    ...shared,
    Aside: callout('type'),
    Badge: badge,
    Card: card,
    LinkCard: card,
    CardGrid: (_element) => ({ open: '<CardGroup cols={2}>', close: '</CardGroup>' }),
    LinkButton: linkTo,
    Icon: renamed('Icon', (element) => [
      ['icon', iconIn(element, 'name')],
      ['color', textAt(element, 'color')],
      ['size', sizeOf(textAt(element, 'size'))],
    ]),
    Code: code,
    Steps: listed(stepsOf, unwrap),
    FileTree: listed(treeOf, unwrap),
  },
  nextra: {
    ...shared,
    Callout: callout('type'),
    Tab: panel,
    'Tabs.Tab': panel,
    Cards: (element) => ({
      open: writeTag('CardGroup', [['cols', element.attributes.get('num') ?? { code: '2' }]]),
      close: '</CardGroup>',
    }),
    Card: card,
    'Cards.Card': card,
    Steps: listed(stepsOfHeadings, unwrap),
    FileTree: renamed('Tree'),
    'FileTree.Folder': renamed('Tree.Folder', (element) => [
      ['name', textAt(element, 'name')],
      ['defaultOpen', element.attributes.get('defaultOpen') ?? element.attributes.get('open')],
    ]),
    'FileTree.File': renamed('Tree.File', (element) => [['name', textAt(element, 'name')]]),
    Bleed: unwrap,
    Link: linkTo,
    Image: renamed('img', (element, context) => {
      const source = textAt(element, 'src')
      return [
        ['src', source === undefined ? undefined : context.link(source)],
        ['alt', textAt(element, 'alt') ?? ''],
      ]
    }),
  },
  vitepress: { Badge: badge },
  mkdocs: {},
  gitbook: {
    // Lists cannot be written in HTML, which this was.
    Update: (element) => {
      const tags = textAt(element, 'tags')
      if (tags === undefined) return undefined
      const list = JSON.stringify(tags.split(',').map((tag) => titled(tag.trim())))
      return {
        open: writeTag('Update', [
          ['label', textAt(element, 'label')],
          ['tags', { code: list }],
        ]),
        close: '</Update>',
      }
    },
  },
  plain: {},
}

function sizeOf(size: string | undefined): Value | undefined {
  const [, number, unit] = /^([\d.]+)(rem|em|px)?$/.exec(size ?? '') ?? []
  return number === undefined
    ? undefined
    : { code: String(Math.min(128, Math.round(Number(number) * (unit === 'px' || unit === undefined ? 1 : 16)))) }
}

/** Steps that are headings: `### Install` and what follows it. */
function stepsOfHeadings(source: string): string | undefined {
  const parts = source.split(/^[ \t]*###[ \t]+(.*)$/m)
  if (parts.length < 3) return undefined
  const steps: string[] = []
  for (let index = 1; index < parts.length; index += 2)
    steps.push(`<Step${attribute('title', parts[index])}>\n\n${(parts[index + 1] ?? '').trim()}\n\n</Step>`)
  return `<Steps>\n\n${(parts[0] ?? '').trim()}${(parts[0] ?? '').trim() === '' ? '' : '\n\n'}${steps.join('\n\n')}\n\n</Steps>`
}

/** What a component of a framework becomes here; undefined for those that are not its own. */
export function changeOf(element: Element, context: ComponentContext): Change | undefined {
  const mapper = mappers[context.dialect]?.[element.name]
  return mapper?.(element, context)
}
