import { nearestName } from '../../lib/nearest-name.ts'
import { pointerTo, type JsonObject } from '../../lib/json-reader.ts'
import type { Section } from '../shell.ts'
import type { Problems } from './problems.ts'

export type SwitchKind = Section['switches'][number]['kind']

/** Lists of a node whose entries are alternatives, the key that names an entry, and what readers see it as. */
export const switchKinds: readonly (readonly [list: string, name: string, kind: SwitchKind])[] = [
  ['languages', 'language', 'language'],
  ['versions', 'version', 'version'],
  ['products', 'product', 'product'],
  ['dropdowns', 'dropdown', 'dropdown'],
  ['anchors', 'anchor', 'anchor'],
  ['tabs', 'tab', 'tab'],
  ['menu', 'item', 'dropdown'],
]

/** Those lists. */
export const switchLists: readonly string[] = switchKinds.map(([list]) => list)

/** Members of navigation that hold more of it. */
export const navigationLists: readonly string[] = ['pages', 'groups', ...switchLists]

const otherKeys =
  'global groups group pages root icon iconType tag expanded hidden href url ' +
  'openapi asyncapi default description banner footer navbar title notice gitTag'

/** Keys of Mintlify’s navigation that do nothing here: what they do there, and the way to have that. */
const absentKeys: ReadonlyMap<string, { readonly would: string; readonly instead: string }> = new Map([
  [
    'searchable',
    {
      would: 'leave the pages below it out of the search',
      instead: 'Write searchable: false in the front matter of each.',
    },
  ],
  [
    'boost',
    { would: 'move the pages below it up or down in the search', instead: 'Write boost in the front matter of each.' },
  ],
  [
    'directory',
    {
      would: 'list what is in a group below the words of its root page',
      instead: 'Write cards that lead there into that page.',
    },
  ],
  [
    'color',
    { would: 'give the icon of an anchor a colour', instead: 'Icons have the colour of the text beside them.' },
  ],
  [
    'graphql',
    {
      would: 'make pages of a GraphQL schema',
      instead: 'Name pages of your own in pages, or a description in openapi.',
    },
  ],
  [
    'sdk',
    {
      would: 'make pages of what TypeDoc, DocFX, Javadoc, Sphinx or phpDocumentor write',
      instead: 'Have them write Markdown, and name its pages.',
    },
  ],
  ['public', { would: 'show the pages below it to everybody', instead: 'A private site is private as a whole.' }],
])

const known: ReadonlySet<string> = new Set([
  ...switchKinds.flatMap(([list, name]) => [list, name]),
  ...otherKeys.split(' '),
])

/** Unknown names that are told. */
const maxUnknown = 20

/** Tells of keys that nobody reads, of each name once. */
export class NavigationKeys {
  readonly #problems: Problems
  readonly #unknown = new Set<string>()

  constructor(problems: Problems) {
    this.#problems = problems
  }

  /** Warns of keys of a part of navigation that nobody reads. */
  note(node: JsonObject, pointer: string): void {
    for (const key of Object.keys(node)) {
      if (known.has(key) || /^[$_/]/.test(key) || this.#unknown.has(key) || this.#unknown.size >= maxUnknown) continue
      if (key === 'directory' && node[key] === 'none') continue
      this.#unknown.add(key)
      const absent = absentKeys.get(key)
      if (absent !== undefined) {
        const message = `${key} does nothing in navigation; it would ${absent.would}. ${absent.instead}`
        this.#problems.warning('setting-ignored', pointerTo(pointer, key), message)
        continue
      }
      const meant = nearestName(key, [...known])
      const question = meant === undefined ? '' : ` Did you mean ${meant}?`
      const hint = meant === undefined ? undefined : `Write ${meant}.`
      const message = `There is no ${key.slice(0, 60)} in navigation; it is ignored.${question}`
      this.#problems.warning('setting-unknown', pointerTo(pointer, key), message, hint)
    }
  }
}
