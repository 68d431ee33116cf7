import { posix } from 'node:path'
import type { ErrorDetail } from '../../contract/common.ts'
import { limits } from '../../contract/limits.ts'
import { inSlices, isTurnOver, nextTurn, type Steps } from '../../lib/slices.ts'
import type { Source } from '../builder.ts'
import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  maxDepth,
  parseJson,
  pointerTo,
  show,
} from '../../lib/json-reader.ts'
import { navigationLists } from './navigation-keys.ts'
import { fromMint, mintFile } from './mint.ts'
import { pageReference } from './pages.ts'
import { Problems, type ConfigFile } from './problems.ts'
import type { Settings } from './schema.ts'
import { checkSettings } from './validation.ts'
import { readTags, type TagVersion } from './tags.ts'

const configFile = 'docs.json'
/** `$ref`s in a chain, and in a whole document. */
const maxChain = 16
const maxIncludes = 500

/** docs.json as far as it can be read without the pages. */
export interface SiteConfig {
  /** Null when the project has no docs.json. */
  readonly document: JsonObject | null
  /** Undefined when docs.json cannot be read at all. */
  readonly settings: Settings | undefined
  /** Pages that navigation names, without ending. */
  readonly navigated: ReadonlySet<string>
  /** Versions whose pages come from tags. */
  readonly tags: readonly TagVersion[]
  /** The files that it depends on, with their blob ids; null where there was none. */
  readonly files: ReadonlyMap<string, string | null>
  readonly errors: readonly ErrorDetail[]
  readonly warnings: readonly ErrorDetail[]
  /** How many there are beside those. */
  readonly omitted: Problems['omitted']
  /** For what is found out later, such as pages that do not exist. Empty of earlier findings. */
  problems(): Problems
}

/** What documents may have, and have had. */
export interface ConfigBudget {
  readonly values: { readonly max: number; used: number }
  /** Characters, of at most `limits.configBytes`. */
  text: number
}

export const newConfigBudget = (): ConfigBudget => ({ values: { max: limits.configValues, used: 0 }, text: 0 })

/**
 * Reads and checks docs.json with its includes. Never throws for what the files hold.
 * @param budget of several documents together; without one, that of this document
 */
export async function readConfig(
  source: Source,
  signal?: AbortSignal,
  budget = newConfigBudget(),
): Promise<SiteConfig> {
  const document = await readDocument(source, signal, budget)
  if (document === null) {
    return {
      document: null,
      settings: {},
      navigated: new Set(),
      tags: [],
      files: new Map([
        [configFile, null],
        [mintFile, null],
      ]),
      errors: [],
      warnings: [],
      omitted: { errors: 0, warnings: 0 },
      problems: () => new Problems(),
    }
  }
  const { value = null, problems, files } = document
  const settings = value === null ? undefined : await inSlices(checkSettings(value, problems), signal)
  const navigated = new Set<string>()
  if (value !== null) await inSlices(addNamedPages(value['navigation'], navigated), signal)
  const tags = value === null ? [] : readTags(value, problems)
  return {
    document: value ?? (Object.create(null) as JsonObject),
    settings,
    navigated,
    tags,
    files,
    errors: problems.errors,
    warnings: problems.warnings,
    omitted: problems.omitted,
    problems: () => problems.emptyCopy(),
  }
}

/** Whether the files that a configuration was read from are still the same. */
export function isCurrent(config: Pick<SiteConfig, 'files'>, files: ReadonlyMap<string, string>): boolean {
  for (const [path, oid] of config.files) if ((files.get(path) ?? null) !== oid) return false
  return true
}

const pageLists = ['root', ...navigationLists]

/** Adds every page named anywhere in navigation. Depth is bounded by the parser. */
function* addNamedPages(value: Json | undefined, named: Set<string>): Steps<void> {
  yield
  if (typeof value === 'string') {
    const reference = pageReference(value)
    if ('page' in reference) named.add(reference.page)
  } else if (isArray(value)) {
    for (const entry of value) yield* addNamedPages(entry, named)
  } else if (isObject(value)) {
    for (const key of pageLists) if (value[key] !== undefined) yield* addNamedPages(value[key], named)
  }
}

/** docs.json with its includes put in. */
export interface ConfigDocument {
  /** Absent when it cannot be read; `problems` say why. */
  readonly value?: JsonObject
  readonly problems: Problems
  /** Every file read, with its blob id, and every one looked for in vain: what the document depends on. */
  readonly files: ReadonlyMap<string, string | null>
}

/**
 * Reads docs.json and what it includes, or a mint.json as the docs.json that says the same. Null when the project has
 * neither. Never throws for what a file holds.
 */
async function readDocument(
  source: Source,
  signal: AbortSignal | undefined,
  budget: ConfigBudget,
): Promise<ConfigDocument | null> {
  const name = [configFile, mintFile].find((path) => source.files.has(path))
  if (name === undefined) return null
  const reader = new Reader(source, signal, budget)
  if (name === mintFile) reader.files.set(configFile, null)
  const read = await reader.include(name, '', [])
  if (read !== undefined && !isObject(read))
    reader.problems.error('settings-syntax', '', `${name} must hold an object: { "name": … }.`)
  if (!isObject(read) || reader.problems.errors.length > 0) return { problems: reader.problems, files: reader.files }
  if (name === configFile) return { value: read, problems: reader.problems, files: reader.files }
  const { value, origin } = await inSlices(fromMint(read), signal)
  reader.problems.warning(
    'settings-old',
    '',
    'mint.json is the old form of docs.json; it is read as the docs.json that says the same.',
  )
  reader.problems.standAt(origin)
  if (value !== undefined) return { value, problems: reader.problems, files: reader.files }
  reader.problems.error(
    'settings-limit',
    '/navigation',
    `The groups of all versions together are more than ${limits.configValues}. Name the version of each group.`,
  )
  return { problems: reader.problems, files: reader.files }
}

class Reader {
  readonly problems = new Problems()
  readonly files = new Map<string, string | null>()
  readonly #source: Source
  readonly #signal: AbortSignal | undefined
  readonly #budget: ConfigBudget
  #includes = 0

  constructor(source: Source, signal: AbortSignal | undefined, budget: ConfigBudget) {
    this.#source = source
    this.#signal = signal
    this.#budget = budget
  }

  async include(path: string, mount: string, chain: readonly string[]): Promise<Json | undefined> {
    const oid = this.#source.files.get(path) ?? null
    this.files.set(path, oid)
    if (oid === null) {
      this.problems.error('settings-syntax', mount, `$ref names ${show(path)}, which the project does not have.`)
      return undefined
    }
    const file: ConfigFile = { path, mount, text: stripMark((await this.#source.read(oid)).toString('utf8')) }
    const placeBy = this.problems.add(file)
    // Of all files together: acyclic includes of includes still grow exponentially.
    this.#budget.text += file.text.length
    if (this.#budget.text > limits.configBytes) {
      this.problems.error(
        'settings-limit',
        mount,
        `docs.json with the files that it includes is longer than ${limits.configBytes} characters. Shorten it.`,
      )
      return undefined
    }
    const parsed = await inSlices(
      parseJson(file.text, {
        budget: this.#budget.values,
        report: (severity, problem) => this.problems.at(severity, problem),
      }),
      this.#signal,
    )
    placeBy(parsed)
    if (parsed.value === undefined || !file.text.includes('"$ref"')) return parsed.value
    return this.#resolve(parsed.value, { pointer: mount, depth: 0, chain: [...chain, path] })
  }

  async #resolve(value: Json, at: ValueLocation): Promise<Json | undefined> {
    if (typeof value !== 'object' || value === null) return value
    if (isTurnOver()) await nextTurn()
    if (at.depth > maxDepth) {
      this.problems.error(
        'settings-limit',
        at.pointer,
        `docs.json with its includes is nested deeper than ${maxDepth} levels.`,
      )
      return undefined
    }
    if (isObject(value) && typeof value['$ref'] === 'string') return this.#follow(value, value['$ref'], at)
    if (!mayInclude(value)) return value
    if (isArray(value)) {
      const items: Json[] = []
      for (const [index, item] of value.entries()) {
        const resolved = await this.#resolve(item, below(at, index))
        if (resolved !== undefined) items.push(resolved)
      }
      return items
    }
    return this.#resolveMembers(value, at)
  }

  async #resolveMembers(value: JsonObject, at: ValueLocation): Promise<JsonObject> {
    const members = Object.create(null) as Record<string, Json>
    for (const [key, member] of Object.entries(value)) {
      const resolved = await this.#resolve(member, below(at, key))
      if (resolved !== undefined) members[key] = resolved
    }
    return members
  }

  /** Members beside `$ref` win over those of the included object. */
  async #follow(value: JsonObject, ref: string, at: ValueLocation): Promise<Json | undefined> {
    const path = resolveReference(ref, at.chain.at(-1) ?? configFile)
    if (path === null) {
      this.problems.error(
        'settings-syntax',
        pointerTo(at.pointer, '$ref'),
        `$ref must name a .json file of this project; ${show(ref)} does not.`,
      )
      return undefined
    }
    if (at.chain.includes(path) || at.chain.length >= maxChain || ++this.#includes > maxIncludes) {
      const why = at.chain.includes(path)
        ? `goes round in a circle: ${[...at.chain, path].join(' → ')}`
        : 'includes too many files'
      this.problems.error('settings-syntax', at.pointer, `$ref ${why}.`)
      return undefined
    }
    const included = await this.include(path, at.pointer, at.chain)
    const { $ref: _, ...beside } = value
    if (!isObject(included) || Object.keys(beside).length === 0) return included
    return Object.assign(Object.create(null) as JsonObject, included, await this.#resolveMembers(beside, at))
  }
}

interface ValueLocation {
  readonly pointer: string
  readonly depth: number
  /** Files from docs.json to the one that holds this value. */
  readonly chain: readonly string[]
}

function below(at: ValueLocation, key: string | number): ValueLocation {
  return { pointer: pointerTo(at.pointer, key), depth: at.depth + 1, chain: at.chain }
}

/** Lists of strings need no walk: an await for each page of a large navigation would cost more than the rest. */
function mayInclude(value: Json): boolean {
  const members = isArray(value) ? value : Object.values(value as JsonObject)
  return members.some((member) => typeof member === 'object' && member !== null)
}

function resolveReference(ref: string, from: string): string | null {
  if (ref.length > limits.pathBytes) return null
  if (!/^[^\p{Cc}\\:#?]+\.json$/iu.test(ref) || ref.startsWith('//')) return null
  const path = ref.startsWith('/') ? posix.normalize(ref.slice(1)) : posix.join(posix.dirname(from), ref)
  return path.startsWith('../') ? null : path
}

function stripMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}
