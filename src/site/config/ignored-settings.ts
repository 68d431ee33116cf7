import { isObject, pointerTo, type JsonObject } from '../../lib/json-reader.ts'
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
  thumbnails: 'Pages have no pictures for links to them.',
  search: 'Its words cannot be chosen.',
  interaction: 'Groups of the navigation open without leading away.',
  errors: 'Missing pages are answered with a page of our own; old paths can lead on by redirects.',
  metadata: 'Its fields are not shown.',
  variables: 'Words that stand for others are exports of a snippet.',
  api: 'Pages of an API are written, with openapi in their front matter.',
  openapi: 'Pages of an API are written, with openapi in their front matter.',
  asyncapi: 'Pages of an API are written.',
  integrations: 'No scripts of others run on pages.',
  feedback: 'Readers are not asked.',
  topbar: 'Links at the top are in navbar.',
  layout: 'There is one look.',
  eyebrows: 'The name of the group stands over the title.',
  'background.image': 'Pages have a colour behind them: background.color.',
  'background.decoration': 'Pages have a colour behind them: background.color.',
}

/** Read elsewhere, or by editors. */
const others: readonly string[] = ['$schema', 'navigation', 'redirects']

/** Unknown names that are told one by one. */
const maxTold = 20

/** Warns of what nobody reads: of each setting that means something elsewhere, and of each that is not known at all. */
export function warnOfIgnored(value: JsonObject, used: readonly string[], problems: Problems): void {
  for (const [path, instead] of Object.entries(ignoredSettings)) {
    const [first = '', second] = path.split('.')
    const outer = value[first]
    const setting = second === undefined ? outer : isObject(outer) ? outer[second] : undefined
    if (setting === undefined || used.includes(path)) continue
    const pointer = second === undefined ? pointerTo('', first) : pointerTo(pointerTo('', first), second)
    problems.warning(pointer, `${path} does nothing here. ${instead}`)
  }
  const known = [...used, ...others]
  const names = Object.keys(value).filter((key) => !known.includes(key) && !Object.hasOwn(ignoredSettings, key))
  for (const name of names.slice(0, maxTold)) {
    const meant = nearestName(name, known)
    const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
    problems.warning(pointerTo('', name), `There is no setting ${name.slice(0, 60)}; it is ignored.${hint}`)
  }
  if (names.length > maxTold) problems.warning('', `${names.length - maxTold} more settings are not known.`)
}
