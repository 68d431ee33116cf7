import { isArray, isObject, pointerTo, type Json, type JsonObject } from '../../lib/json-reader.ts'
import { nearestName } from '../../lib/nearest-name.ts'
import type { Problems } from './problems.ts'

interface Ignored {
  /** What it does elsewhere: completes “it would …”. */
  readonly would: string
  /** The way to have that here, or what is done instead: a sentence. */
  readonly instead: string
  /** Of these values alone, and of lists that have one of them; absent: of any. */
  readonly of?: readonly Json[]
}

const noTheme = 'The look is one; colors, fonts, background, styling and logo are settings of it.'
const descriptions = 'Name descriptions of APIs in navigation, or in api.openapi and api.asyncapi.'

/**
 * Settings of Mintlify’s docs.json and mint.json that do nothing here, by their path, with what they would have done.
 * Whoever makes one work takes it out.
 */
const ignoredSettings: Readonly<Record<string, Ignored>> = {
  theme: { would: 'choose one of several layouts', instead: noTheme },
  openapi: { would: 'make pages of an API', instead: descriptions },
  asyncapi: { would: 'make pages of an API', instead: descriptions },
  'api.playground.proxy': {
    would: 'send requests by way of a server',
    instead: 'The reader’s browser sends them itself.',
    of: [true],
  },
  'api.playground.display': {
    would: 'have the form for readers alone who are signed in',
    instead: 'Requests stand on the page, and nobody sees the form.',
    of: ['auth'],
  },
  'api.examples.languages': {
    would: 'have requests in Rust and Dart, too',
    instead: 'x-codeSamples of an operation may bring them.',
    of: ['rust', 'rs', 'dart', 'flutter'],
  },
  'styling.latex': {
    would: 'load the styles of formulas on every page, or on none',
    instead: 'Formulas need no styles of their own: pages without one load nothing.',
  },
  'styling.codeblocks.languages': {
    would: 'colour code by grammars of your own',
    instead: 'Code in a language that is not known is shown without colours.',
  },
  'contextual.display': {
    would: 'show the menu of pages over their contents list',
    instead: 'It stands beside the title.',
    of: ['toc'],
  },
  'feedback.suggestEdit': {
    would: 'link each page to its source',
    instead: 'Set repository to the address of the repository; its pages then have “Edit this page”.',
    of: [true],
  },
  'feedback.raiseIssue': {
    would: 'link each page to a new issue',
    instead: 'Set repository to the address of the repository; its pages then have “Raise an issue”.',
    of: [true],
  },
  'thumbnails.background': {
    would: 'put a picture behind the title on cards',
    instead: 'Cards have the colours of the site; og:image in seo.metatags or front matter takes their place.',
  },
  'thumbnails.fonts': { would: 'set cards in another font', instead: 'Cards are set in Inter.' },
  topbar: { would: 'change the look of the bar at the top', instead: 'Links at the top are in navbar.' },
  layout: { would: 'move the navigation', instead: noTheme },
  rounded: { would: 'round or square the corners', instead: noTheme },
  sidebar: { would: 'change the look of the sidebar', instead: noTheme },
  isWhiteLabeled: { would: 'take the name of the host out of the footer', instead: 'The footer names Quire.' },
  markdown: {
    would: 'add instructions for agents to the Markdown of pages',
    instead: 'Bring an llms.txt of your own: it takes the place of ours.',
  },
}

/** Read elsewhere, or by editors. */
const others: readonly string[] = ['$schema', 'navigation', 'redirects', 'integrations']

/** Unknown names that are told one by one. */
const maxTold = 20
/** Of a name in a message. */
const longestPath = 60

/** Comments, and what editors read. */
const isRemark = (name: string): boolean => /^[$_/]/.test(name)

/** The members that a schema knows of an object; undefined where it takes any. */
function membersOf(schema: unknown): Readonly<Record<string, unknown>> | undefined {
  const { properties, anyOf = [] } = schema as {
    readonly properties?: Readonly<Record<string, unknown>>
    readonly anyOf?: readonly unknown[]
  }
  return properties ?? anyOf.map(membersOf).find((members) => members !== undefined)
}

/** Warns of members that a known setting does not have. Of its size: whoever calls counts the values before. */
export function warnOfInner(value: Json | undefined, schema: unknown, pointer: string, problems: Problems): void {
  if (isArray(value)) {
    const { items } = schema as { readonly items?: unknown }
    if (items !== undefined)
      for (const [index, item] of value.entries()) warnOfInner(item, items, pointerTo(pointer, index), problems)
    return
  }
  const members = isObject(value) ? membersOf(schema) : undefined
  if (members === undefined || !isObject(value)) return
  for (const [name, member] of Object.entries(value)) {
    const inner = pointerTo(pointer, name)
    const path = inner
      .slice(1)
      .replaceAll(/\/\d+(?=\/|$)/g, '')
      .replaceAll('/', '.')
    if (Object.hasOwn(members, name)) warnOfInner(member, members[name], inner, problems)
    else if (!isRemark(name) && !Object.hasOwn(ignoredSettings, path))
      problems.warning('setting-unknown', inner, ...unknownSetting(path, name, Object.keys(members)))
  }
}

function unknownSetting(path: string, name: string, known: readonly string[]): [message: string, hint?: string] {
  const meant = nearestName(name, known)
  const message = `There is no setting ${path.slice(0, longestPath)}; it is ignored.`
  return meant === undefined ? [message] : [`${message} Did you mean ${meant}?`, `Write ${meant}.`]
}

/** Warns of what nobody reads: of each setting that means something elsewhere, and of each that is not known at all. */
export function warnOfIgnored(value: JsonObject, used: readonly string[], problems: Problems): void {
  for (const [path, { would, instead, of }] of Object.entries(ignoredSettings)) {
    const tokens = path.split('.')
    const setting = tokens.reduce<Json | undefined>(
      (outer, token) => (isObject(outer) ? outer[token] : undefined),
      value,
    )
    if (setting === undefined) continue
    if (of !== undefined && !of.some((one) => one === setting || (isArray(setting) && setting.includes(one)))) continue
    if (path.startsWith('feedback.') && value['repository'] !== undefined) continue
    const pointer = tokens.reduce(pointerTo, '')
    problems.warning('setting-ignored', pointer, `${path} does nothing here; it would ${would}. ${instead}`)
  }
  const known = [...used, ...others]
  const names = Object.keys(value).filter(
    (key) => !isRemark(key) && !known.includes(key) && !Object.hasOwn(ignoredSettings, key),
  )
  for (const name of names.slice(0, maxTold)) {
    problems.warning('setting-unknown', pointerTo('', name), ...unknownSetting(name, name, known))
  }
  if (names.length > maxTold)
    problems.warning('setting-unknown', '', `${names.length - maxTold} more settings are not known.`)
}
