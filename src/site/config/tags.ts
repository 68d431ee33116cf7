import { limits } from '../../contract/limits.ts'
import { isArray, isObject, pointerTo, show, type Json, type JsonObject } from '../../lib/json-reader.ts'
import { navigationLists } from './navigation-keys.ts'
import type { Problems } from './problems.ts'

/** A version whose pages come from a tag of the project's repository. */
export interface TagVersion {
  /** Of the tag: `v1.0.0`. */
  readonly tag: string
  /** First part of the paths that its pages have: `v1`. */
  readonly folder: string
  /** Of its entry in docs.json. */
  readonly pointer: string
}

/** Parts of the name of a folder that is made of a label. */
const maxFolder = 60

/** The entry of `navigation.versions` that names the tag, as a pointer. */
const places = /^\/navigation\/versions\/\d+$/

/** Reads the versions of docs.json that name a tag; of those that are wrong the others are still read. */
export function readTags({ navigation }: JsonObject, problems: Problems): readonly TagVersion[] {
  const entries = isObject(navigation) ? navigation['versions'] : undefined
  if (!isArray(entries)) return []
  const found = new Map<string, TagVersion>()
  for (const [index, entry] of entries.entries()) {
    if (!isObject(entry) || entry['gitTag'] === undefined || entry['hidden'] === true) continue
    const pointer = `/navigation/versions/${index}`
    const version = readTag(entry, pointer, problems)
    if (version === undefined) continue
    const other = found.get(version.folder.toLowerCase())
    if (other !== undefined)
      problems.error(
        'setting-invalid',
        pointer,
        `The pages of two tags, ${other.tag} and ${version.tag}, would both be at /${version.folder}. Give the versions other names.`,
      )
    else if (found.size >= limits.tagVersions)
      problems.error(
        'settings-limit',
        pointer,
        `At most ${limits.tagVersions} versions can come from tags. Remove the oldest.`,
      )
    else found.set(version.folder.toLowerCase(), version)
  }
  return [...found.values()]
}

function readTag(entry: JsonObject, pointer: string, problems: Problems): TagVersion | undefined {
  const { gitTag: tag, version } = entry
  if (!isTagName(tag)) {
    problems.error(
      'setting-invalid',
      pointerTo(pointer, 'gitTag'),
      `gitTag must be the name of a tag, such as "v1.0.0", not ${show(tag)}.`,
    )
    return undefined
  }
  const own = navigationLists.find((key) => entry[key] !== undefined)
  if (own !== undefined) {
    problems.error(
      'setting-invalid',
      pointerTo(pointer, own),
      `The tag ${tag} brings its own navigation: remove ${own} here, or gitTag.`,
    )
    return undefined
  }
  // What else is wrong with a name is found when navigation is read.
  const folder = typeof version === 'string' ? folderOf(version) : ''
  if (folder !== '') return { tag, folder, pointer }
  if (typeof version === 'string')
    problems.error(
      'setting-invalid',
      pointerTo(pointer, 'version'),
      `The pages of the tag ${tag} are at the name of its version: ${show(version)} has no letter from a to z and no digit.`,
    )
  return undefined
}

/** Whether a version may name a tag where it stands. */
export function mayNameTag(pointer: string): boolean {
  return places.test(pointer)
}

function isTagName(value: Json | undefined): value is string {
  return typeof value === 'string' && /^@?[A-Za-z0-9_][A-Za-z0-9._+@/-]{0,99}$/.test(value)
}

/** `v1` → `v1`, `1.0 (old)` → `1.0-old`. Never one of the service's own, which begin with a dot or `_`. */
function folderOf(label: string): string {
  return label
    .slice(0, maxFolder)
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/^[._-]+|[._-]+$/g, '')
}
