import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { limits } from '../../contract/limits.ts'
import type { Steps } from '../../lib/slices.ts'
import { isArray, isObject, pointerTo, show, tokensOf, type Json, type JsonObject } from '../../lib/json-reader.ts'
import { warnOfIgnored, warnOfInner } from './ignored-settings.ts'
import type { Problems } from './problems.ts'
import { OfLanguage, RedirectEntry, Settings } from './schema.ts'

/** Values that all of them have together: their check has no pauses. */
const maxValues = 2000

/** The settings. Each wrong place is an error; what stands under its top-level key is then left out, so that the rest can still be judged. */
export function* checkSettings(value: JsonObject, problems: Problems): Steps<Settings> {
  warnOfIgnored(value, Object.keys(Settings.properties), problems)
  yield
  const others = checkOthers(value, problems)
  yield
  const redirects = yield* checkRedirects(value['redirects'], problems)
  return redirects === undefined ? others : { ...others, redirects }
}

function isUsed(key: string): boolean {
  return Object.hasOwn(Settings.properties, key)
}

function checkOthers(value: JsonObject, problems: Problems): Static<typeof Settings> {
  const used = Object.entries(value).filter(([key]) => isUsed(key))
  let left = maxValues
  for (const [key, setting] of used) {
    left = countDown(setting, left)
    if (left > 0) continue
    problems.error(
      'settings-limit',
      pointerTo('', key),
      `The settings beside navigation and redirects have more than ${maxValues} values; ${key} is too long. Shorten it.`,
    )
    return {}
  }
  for (const [key, setting] of used)
    warnOfInner(setting, Reflect.get(Settings.properties, key), pointerTo('', key), problems)
  const settings: unknown = Object.fromEntries(used)
  if (Value.Check(Settings, settings)) return settings
  const wrong = new Set(report(Settings, value, '', problems).map((pointer) => tokensOf(pointer)[0]))
  const rest: unknown = Object.fromEntries(used.filter(([key]) => !wrong.has(key)))
  return Value.Check(Settings, rest) ? rest : {}
}

/** What is left of a number of values; counts no further than that. */
function countDown(value: Json, left: number): number {
  let rest = left - 1
  if (typeof value !== 'object' || value === null) return rest
  for (const member of isArray(value) ? value : Object.values(value)) {
    if (rest <= 0) return 0
    rest = countDown(member, rest)
  }
  return rest
}

/** Banner, navbar and footer of an entry of `navigation.languages`; one that is wrong is an error, and left out. */
export function checkOfLanguage(entry: JsonObject, pointer: string, problems: Problems): OfLanguage {
  const value = Object.fromEntries(Object.entries(entry).filter(([key]) => Object.hasOwn(OfLanguage.properties, key)))
  let left = maxValues
  for (const member of Object.values(value)) left = countDown(member, left)
  if (left <= 0) {
    problems.error('settings-limit', pointer, `The settings of a language have more than ${maxValues} values.`)
    return {}
  }
  for (const [key, member] of Object.entries(value))
    warnOfInner(member, Reflect.get(OfLanguage.properties, key), pointerTo(pointer, key), problems)
  const plain: unknown = value
  if (Value.Check(OfLanguage, plain)) return plain
  report(OfLanguage, value, pointer, problems)
  return {}
}

function* checkRedirects(value: Json | undefined, problems: Problems): Steps<readonly RedirectEntry[] | undefined> {
  if (value === undefined) return undefined
  const pointer = '/redirects'
  if (!isArray(value)) {
    problems.error(
      'setting-invalid',
      pointer,
      `redirects must be a list of { source, destination }, not ${show(value)}.`,
    )
    return undefined
  }
  if (value.length > limits.redirects) {
    problems.error(
      'settings-limit',
      pointer,
      `redirects has ${value.length} entries; at most ${limits.redirects} are allowed. Remove those that nobody follows any more, or join them with :name or :name*.`,
    )
    return undefined
  }
  const entries: RedirectEntry[] = []
  for (const [index, entry] of value.entries()) {
    yield
    const plain: unknown = entry
    warnOfInner(entry, RedirectEntry, pointerTo(pointer, index), problems)
    if (Value.Check(RedirectEntry, plain)) entries.push(plain)
    else report(RedirectEntry, entry, pointerTo(pointer, index), problems)
  }
  return entries.length === value.length ? entries : undefined
}

/** One error a place: those of a union’s members would only repeat it. Returns the places’ pointers. */
function report(schema: TSchema, value: Json, pointer: string, problems: Problems): string[] {
  const found = [...Value.Errors(schema, value)]
  const unions = found.filter(({ keyword }) => keyword === 'anyOf').map(({ schemaPath }) => `${schemaPath}/anyOf/`)
  const said = new Set<string>()
  for (const { keyword, schemaPath, instancePath, params } of found) {
    if (unions.some((union) => schemaPath.startsWith(union))) continue
    const place = pointer + instancePath
    const missing = keyword === 'required' && 'requiredProperties' in params ? params.requiredProperties : []
    const message =
      missing.length > 0
        ? `${label(place)} lacks ${missing.join(' and ')}.`
        : `${label(place)} must be ${describe(schema, schemaPath)}, not ${show(at(value, instancePath))}.`
    if (said.has(place)) continue
    said.add(place)
    problems.error('setting-invalid', place, message)
  }
  return [...said]
}

/** `/footer/links/0` → `footer.links.0`. */
function label(pointer: string): string {
  return pointer === ''
    ? 'docs.json'
    : pointer.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')
}

function describe(schema: TSchema, schemaPath: string): string {
  let node: unknown = schema
  for (const token of schemaPath.split('/').slice(1)) {
    if (typeof node === 'object' && node !== null) node = Reflect.get(node, token)
  }
  const description: unknown = typeof node === 'object' && node !== null ? Reflect.get(node, 'description') : undefined
  return typeof description === 'string' && description !== '' ? description : 'of another type'
}

function at(value: Json, pointer: string): Json | undefined {
  let node: Json | undefined = value
  for (const token of tokensOf(pointer))
    node = isArray(node) ? node[Number(token)] : isObject(node) ? node[token] : undefined
  return node
}
