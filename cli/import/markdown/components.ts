import type { Dialect } from '../site.ts'
import { attribute, calloutOf, titled, withoutMarks } from './callouts.ts'
import { textOfValue, writeTag, type Element, type Value } from './elements.ts'
import { fenceFrom, writeManagers } from './fence.ts'
import { iconOf } from './icons.ts'
import { buttonClass } from './inline.ts'
import { stepsOf, treeOf } from './lists.ts'
import { textOf } from './lines.ts'
import { imageOf, themedImagesOf, videoOf, type PictureContext } from './pictures.ts'
import type { Node } from './tree.ts'

/** What a component becomes: other tags around what is in it, or another text in its place. */
export type Change = { readonly open: string; readonly close: string } | { readonly whole: string }

export interface ComponentContext extends PictureContext {
  readonly dialect: Dialect
  readonly text: string
  /** The text of a file that the page imports by a name: `?raw`, `!!raw-loader!`. */
  readonly raw: (name: string) => string | undefined
  /** The pages that this page stands above, as cards. */
  readonly cards: () => string | undefined
  /** What is in an element, with the components in it converted. */
  readonly inner: (element: Element) => string
  readonly note: (message: string, line: number) => void
}

type Mapper = (element: Element, context: ComponentContext) => Change | undefined

const textAt = (element: Element, name: string): string | undefined => textOfValue(element.attributes.get(name))
const unwrap: Mapper = () => ({ open: '', close: '' })

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
    return {
      open: `<${name}${attribute('title', own)}${attribute('icon', context.dialect === 'starlight' ? iconIn(element) : undefined)}>`,
      close: `</${name}>`,
    }
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
  const given = element.attributes.get('code')
  const expression = typeof given === 'object' ? given.code : inner.startsWith('{') ? inner.slice(1, -1) : ''
  const own =
    context.raw(expression.trim()) ??
    textAt(element, 'code') ??
    (inner.startsWith('{') ? textOfValue({ code: inner.slice(1, -1) }) : inner)
  if (own === undefined || own === '') {
    context.note(`The code in \`<${element.name}>\` is made by code: it is missing.`, lineOf(element))
    return { whole: `{/* ${context.text.slice(element.start, element.end).replaceAll('*/', '* /')} */}` }
  }
  const language = textAt(element, 'lang') ?? textAt(element, 'language') ?? 'text'
  const title = textAt(element, 'title')
  const words = [
    language,
    ...(title === undefined ? [] : [`title="${title}"`]),
    ...(element.attributes.has('showLineNumbers') ? ['lines'] : []),
    ...(element.attributes.has('wrap') ? ['wrap'] : []),
  ]
  return { whole: textOf(fenceFrom(own, words.join(' '), { text: '', line: 1 })) }
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

const isPanel = ({ name }: Node): boolean => name === 'TabItem' || name === 'Tab' || name === 'Tabs.Tab'
const titlesByPanel = new WeakMap<object, string>()

/** The panels of a group, without those of groups within them. */
const panelsIn = (parent: Node): Node[] =>
  (parent.children ?? []).flatMap((node) => (isPanel(node) ? [node] : node.name === 'Tabs' ? [] : panelsIn(node)))

const valueIn = (node: Node, name: string): unknown => node.attributes?.find((own) => own.name === name)?.value

/** Tells panels what the group around them calls them. */
export function nameTabs(element: Element): void {
  if (element.name !== 'Tabs') return
  const labels = labelsOf(element.attributes.get('values'))
  const items = itemsOf(element.attributes.get('items'))
  for (const [index, node] of panelsIn(element.node).entries()) {
    const value = valueIn(node, 'value')
    const title = (typeof value === 'string' ? labels.get(value) : undefined) ?? items[index]
    if (title !== undefined) titlesByPanel.set(node, title)
  }
}

/** Which panel a group shows first, where that is not the first one. */
function firstPanel(element: Element): string | undefined {
  const chosen = textAt(element, 'defaultValue')
  const given = element.attributes.get('defaultIndex')
  const index = panelsIn(element.node).findIndex(
    (node) => valueIn(node, 'default') !== undefined || (chosen !== undefined && valueIn(node, 'value') === chosen),
  )
  return index > 0 ? String(index) : typeof given === 'object' && /^[1-9]\d?$/.test(given.code) ? given.code : undefined
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

const told =
  (why: string): Mapper =>
  (element, context) => {
    context.note(`\`<${element.name}>\` was left out: ${why}.`, lineOf(element))
    return { whole: '' }
  }

const replaced =
  (make: (element: Element, context: ComponentContext) => string | undefined): Mapper =>
  (element, context) => {
    const whole = make(element, context)
    return whole === undefined ? undefined : { whole }
  }

/** `<PackageManagers pkg="kettle" dev />` of starlight-package-managers. */
function managersOf(element: Element): string | undefined {
  const [name, type] = [textAt(element, 'pkg'), textAt(element, 'type') ?? 'add']
  const words: Readonly<Record<string, string>> = {
    add: `npm install ${element.attributes.has('dev') ? '--save-dev ' : ''}${name ?? ''}`,
    create: `npm create ${name ?? ''}`,
    exec: `npx ${name ?? ''}`,
    dlx: `npx ${name ?? ''}`,
    run: `npm run ${textAt(element, 'args') ?? ''}`,
    install: 'npm install',
  }
  const args = type === 'run' ? '' : (textAt(element, 'args') ?? '')
  const command = words[type]
  return command === undefined ? undefined : textOf(writeManagers(`${command} ${args}`.trim(), { indent: '', line: 1 }))
}

const shared: Readonly<Record<string, Mapper>> = {
  Tabs: renamed('Tabs', (element) => [
    ['defaultTabIndex', firstPanel(element) === undefined ? undefined : { code: firstPanel(element) ?? '0' }],
  ]),
  YouTube: replaced(videoOf),
  LiteYouTubeEmbed: replaced(videoOf),
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
    ThemedImage: replaced(themedImagesOf),
    IdealImage: replaced(imageOf),
    Image: replaced(imageOf),
    BrowserOnly: told('what it shows is made by code'),
    TOCInline: told('the contents stand beside the page'),
    Head: told('pages have no head of their own'),
    Translate: unwrap,
    DocCardList: (_element, context) => ({ whole: context.cards() ?? '' }),
  },
  starlight: {
    ...shared,
    Aside: callout('type'),
    Badge: badge,
    Card: card,
    LinkCard: card,
    CardGrid: (_element) => ({ open: '<CardGroup cols={2}>', close: '</CardGroup>' }),
    LinkButton: (element, context) => ({
      open: writeTag('a', [
        ['className', buttonClass],
        ['href', hrefOf(element, context)],
      ]),
      close: '</a>',
    }),
    Icon: renamed('Icon', (element) => [
      ['icon', iconIn(element, 'name')],
      ['color', textAt(element, 'color')],
      ['size', sizeOf(textAt(element, 'size'))],
    ]),
    Code: code,
    Image: replaced(imageOf),
    Picture: replaced(imageOf),
    PackageManagers: replaced(managersOf),
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
    Image: replaced(imageOf),
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
