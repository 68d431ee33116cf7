import { isArray, isObject, pointerTo, type Json, type JsonObject } from '../../lib/json-reader.ts'
import { nearestName } from '../../lib/nearest-name.ts'
import type { Problems } from './problems.ts'

/**
 * Settings of Mintlify's docs.json that do nothing here, by their path: what is done instead, a sentence. Whoever makes one
 * work takes it out.
 */
const ignoredSettings: Readonly<Record<string, string>> = {
  theme: 'There is one look; colors, logo and background are settings of it.',
  fonts: 'Pages have the fonts of the reader’s system, and load none.',
  styling: 'Code and the parts of a page look the same on all sites.',
  search: 'Its words cannot be chosen.',
  interaction: 'Groups of the navigation open without leading away.',
  errors: 'Missing pages are answered with a page of our own; old paths can lead on by redirects.',
  metadata: 'Its fields are not shown.',
  variables: 'Words that stand for others are exports of a snippet.',
  api: 'Pages of an API are written, with openapi in their front matter.',
  openapi: 'Pages of an API are written, with openapi in their front matter.',
  asyncapi: 'Pages of an API are written.',
  integrations: 'No scripts of others run on pages.',
  'feedback.suggestEdit': 'Pages link to their source where repository is set.',
  'feedback.raiseIssue': 'Pages link to issues where repository is set.',
  'analytics.ga4': 'No scripts of others run on pages; analytics.enabled counts without them.',
  'analytics.gtm': 'No scripts of others run on pages; analytics.enabled counts without them.',
  'analytics.plausible': 'No scripts of others run on pages; analytics.enabled counts without them.',
  'analytics.posthog': 'No scripts of others run on pages; analytics.enabled counts without them.',
  topbar: 'Links at the top are in navbar.',
  layout: 'There is one look.',
  eyebrows: 'The name of the group stands over the title.',
  'contextual.display': 'The menu stands beside the title.',
  'thumbnails.background': 'Cards have the colours of the site.',
  'thumbnails.fonts': 'Cards have one font.',
  'background.image': 'Pages have a colour behind them: background.color.',
  'background.decoration': 'Pages have a colour behind them: background.color.',
}

/** Read elsewhere, or by editors. */
const others: readonly string[] = ['$schema', 'navigation', 'redirects']

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
  for (const [path, instead] of Object.entries(ignoredSettings)) {
    const [first = '', second] = path.split('.')
    const outer = value[first]
    const setting = second === undefined ? outer : isObject(outer) ? outer[second] : undefined
    if (setting === undefined || used.includes(path)) continue
    const pointer = second === undefined ? pointerTo('', first) : pointerTo(pointerTo('', first), second)
    problems.warning('setting-ignored', pointer, `${path} does nothing here. ${instead}`)
  }
  const known = [...used, ...others]
  const names = Object.keys(value).filter((key) => !known.includes(key) && !Object.hasOwn(ignoredSettings, key))
  for (const name of names.slice(0, maxTold)) {
    problems.warning('setting-unknown', pointerTo('', name), ...unknownSetting(name, name, known))
  }
  if (names.length > maxTold)
    problems.warning('setting-unknown', '', `${names.length - maxTold} more settings are not known.`)
}
