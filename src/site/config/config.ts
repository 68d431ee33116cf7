import type { ErrorDetail } from '../../contract/common.ts'
import type { Source } from '../builder.ts'
import { configFile, readDocument } from './document.ts'
import { isArray, isObject, type Json, type JsonObject } from './json.ts'
import { pageReference } from './pages.ts'
import { Problems } from './problems.ts'
import { checkSettings, type Settings } from './schema.ts'

/** docs.json as far as it can be read without the pages. */
export interface SiteConfig {
  /** Null when the project has no docs.json. */
  readonly document: JsonObject | null
  /** Undefined when docs.json cannot be read at all. */
  readonly settings: Settings | undefined
  /** Pages that navigation names, without ending. */
  readonly navigated: ReadonlySet<string>
  /** The files that it depends on, with their blob ids; null where there was none. */
  readonly files: ReadonlyMap<string, string | null>
  readonly errors: readonly ErrorDetail[]
  readonly warnings: readonly ErrorDetail[]
  /** For what is found out later, such as pages that do not exist. Empty of earlier findings. */
  problems(): Problems
}

/** Reads and checks docs.json with its includes. Never throws for what the files hold. */
export async function readConfig(source: Source): Promise<SiteConfig> {
  const document = await readDocument(source)
  if (document === null) {
    return {
      document: null,
      settings: {},
      navigated: new Set(),
      files: new Map([[configFile, null]]),
      errors: [],
      warnings: [],
      problems: () => new Problems(),
    }
  }
  const { value = null, problems, files } = document
  const settings = value === null ? undefined : checkSettings(value, problems)
  return {
    document: value ?? (Object.create(null) as JsonObject),
    settings,
    navigated: new Set(value === null ? [] : namedPages(value['navigation'])),
    files,
    errors: problems.errors,
    warnings: problems.warnings,
    problems: () => problems.afresh(),
  }
}

/** Whether the files that a configuration was read from are still the same. */
export function isCurrent(config: SiteConfig, files: ReadonlyMap<string, string>): boolean {
  for (const [path, oid] of config.files) if ((files.get(path) ?? null) !== oid) return false
  return true
}

/** Every page named anywhere in navigation. Depth is bounded by the parser. */
function* namedPages(value: Json | undefined): Generator<string> {
  if (typeof value === 'string') {
    const reference = pageReference(value)
    if ('page' in reference) yield reference.page
  } else if (isArray(value)) {
    for (const entry of value) yield* namedPages(entry)
  } else if (isObject(value)) {
    for (const key of [
      'pages',
      'groups',
      'root',
      'tabs',
      'versions',
      'languages',
      'products',
      'dropdowns',
      'anchors',
      'menu',
    ])
      yield* namedPages(value[key])
  }
}
