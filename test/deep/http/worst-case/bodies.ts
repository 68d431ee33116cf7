import type { TSchema } from 'typebox'
import type { Endpoint } from '#contract/endpoint.ts'
import { limits } from '#contract/limits.ts'
import type { Schema } from '#test/support/endpoints.ts'

/** What is hard on whoever reads it: text of exactly so many bytes, as JSON or nearly. */
export interface WorstBody {
  readonly what: string
  readonly bytes: Buffer
}

/** `STALLS=1`: all that can be thought of, for minutes; else what has been the hardest, for one and a half. */
export const isThorough = process.env['STALLS'] !== undefined

/** Escapes, what is no UTF-16, letters of a byte, of two and of three, two units. */
const alphabets: Readonly<Record<string, string>> = {
  escapes: String.raw`\n`,
  'half pairs': String.raw`\ud800`,
  ...(isThorough
    ? {
        letters: 'a',
        'escaped units': String.raw`\u20ac`,
        'two bytes': 'é',
        'three bytes': '€\\n',
        emoji: '😀a',
        replacements: '\uFFFD',
      }
    : {}),
}

/** Bodies for an endpoint, made of its schema and its size limit. */
export function worstBodies({ body, bodyLimit = limits.bodyBytes }: Endpoint): WorstBody[] {
  const schema = (body ?? {}) as TSchema & Schema
  return [...shapes(bodyLimit), ...lists(schema, bodyLimit), ...texts(schema, bodyLimit)]
}

/** What no endpoint takes. */
function shapes(size: number): WorstBody[] {
  return [
    { what: 'empty objects', bytes: repeated('{"a":[', () => '{},', '{}]}', size) },
    { what: 'empty lists, bare', bytes: repeated('[', () => '[],', '[]]', size) },
    { what: 'numbers', bytes: repeated('{"a":[', () => '0,', '0]}', size) },
    { what: 'names', bytes: repeated('{', (index) => `"${index.toString(36)}":0,`, '"-":0}', size) },
    { what: 'one name again', bytes: repeated('{', () => `"a":0,`, '"a":0}', size) },
    { what: 'objects of other names', bytes: repeated('{"a":[', (at) => `{"a${at}":0,"b${at}":0},`, '{}]}', size) },
    { what: 'nested lists', bytes: repeated('[', () => `${'['.repeat(20)}${']'.repeat(20)},`, '0]', size) },
    { what: 'white space', bytes: repeated('{', () => ' ', '}', size) },
    { what: 'one text', bytes: repeated('"', () => 'a', '"', size) },
    { what: 'one number', bytes: repeated('', () => '1', '', size) },
    { what: 'brackets', bytes: repeated('', () => '[', '', size) },
    { what: 'quotes', bytes: repeated('[', () => '"",', '""]', size) },
    { what: 'not UTF-8 at its end', bytes: repeated('["', () => 'é', '\xff"]', size) },
    { what: 'cut off in a list', bytes: repeated('{"a":[', () => '1,', '', size) },
    { what: 'cut off in a text', bytes: repeated('{"a":"', () => '€', '', size) },
    { what: 'a mistake after 1 MB', bytes: repeated('{"a":"', () => 'a', '"]', size) },
  ]
}

/** Each list of the body, as long as it may be: of right items, of wrong ones, of nothing, and too long. */
function lists(schema: Schema, size: number): WorstBody[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, list]) => {
    if (list.type !== 'array' || list.items === undefined) return []
    const { items, maxItems = Infinity } = list
    const most = (what: string, item: (index: number) => unknown, count = maxItems): WorstBody => {
      const others = Object.entries(schema.properties ?? {}).filter(([other]) => other !== name)
      const rest = others.map(([other, of]) => `${JSON.stringify(other)}:${JSON.stringify(valueOf(of, 0))},`).join('')
      const open = `{${rest}${JSON.stringify(name)}:[`
      const bytes = repeated(open, (index) => JSON.stringify(item(index)) + ',', 'null]}', size, count)
      return { what: `${name}: ${what}`, bytes: withoutNull(bytes) }
    }
    const all = [
      most('right items', (index) => valueOf(items, index)),
      most('items of wrong types', (index) => wrongOf(items, index)),
      most('items of nothing', () => ({})),
      most('numbers', () => 0),
      most('too many', (index) => valueOf(items, index), Infinity),
    ]
    if (![items, ...(items.anyOf ?? [])].some(({ properties }) => properties?.['path'] !== undefined)) return all
    return [
      ...all,
      most('long paths', (index) => valueOf(items, index, longPath)),
      most('odd paths', (index) => valueOf(items, index, oddPath)),
      most('one path', (index) => valueOf(items, index, () => 'a')),
      most('paths in one another', (index) => valueOf(items, index, (at) => 'a/'.repeat(at % 30) + 'b')),
      most('bad paths', (index) => valueOf(items, index, (at) => `CON/.git/${at}/../\u200e`)),
    ]
  })
}

const longPath = (index: number): string =>
  Array.from({ length: 20 }, (_, at) => `${at % 2 === 0 ? index : at}-segment-of-a-path`).join('/')
const oddPath = (index: number): string =>
  Array.from({ length: 30 }, (_, at) => `Ünïcödé ${'ſ'.repeat(at % 7)}${index}`).join('/')

/** Each text of the body, and of the items of its lists, as long as the body may be. */
function texts(schema: Schema, size: number): WorstBody[] {
  const fields: [what: string, open: string, close: string][] = []
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const others = Object.entries(schema.properties ?? {}).filter(([other]) => other !== name)
    const rest = others.map(([other, of]) => `,${JSON.stringify(other)}:${JSON.stringify(valueOf(of, 0))}`).join('')
    if (takesText(field)) fields.push([name, `{${JSON.stringify(name)}:"`, `"${rest}}`])
    const item = field.items?.anyOf?.at(-1) ?? field.items
    for (const [inner, of] of Object.entries(item?.properties ?? {})) {
      if (!takesText(of)) continue
      const beside = Object.entries(item?.properties ?? {}).filter(([other]) => other !== inner && other !== 'encoding')
      const more = beside.map(([other, o]) => `,${JSON.stringify(other)}:${JSON.stringify(valueOf(o, 0))}`).join('')
      fields.push([`${name}/${inner}`, `{${JSON.stringify(name)}:[{${JSON.stringify(inner)}:"`, `"${more}}]${rest}}`])
    }
  }
  return fields.flatMap(([field, open, close]) =>
    Object.entries(alphabets).map(([alphabet, letter]) => ({
      what: `${field} of ${alphabet}`,
      bytes: repeated(open, () => letter, close, size),
    })),
  )
}

function takesText({ type, const: only, anyOf }: Schema): boolean {
  return (type === 'string' && only === undefined) || anyOf?.some((one) => takesText(one)) === true
}

/** A value that a schema takes, another one for each index where that can be. */
function valueOf(schema: Schema, index: number, path: (index: number) => string = (at) => `f${at}`): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.anyOf !== undefined) return valueOf(schema.anyOf[0] ?? {}, index, path)
  if (schema.type === 'object') {
    const members = Object.entries(schema.properties ?? {}).map(([name, of]): [string, unknown] => {
      if (name === 'path') return [name, path(index)]
      return [name, valueOf(of, index, path)]
    })
    // A file has content or an id.
    return Object.fromEntries(members.filter(([name]) => name !== 'oid' && name !== 'encoding'))
  }
  if (schema.type === 'array') return []
  if (schema.type === 'boolean') return true
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1
  if (schema.pattern?.includes('{40}') === true) return index.toString(16).padStart(40, '0')
  if (schema.format === 'date-time') return '2030-01-01T00:00:00Z'
  if (schema.format === 'email') return `worst${index}@example.com`
  return `x${index}`
}

function wrongOf(schema: Schema, index: number): unknown {
  const value = valueOf(schema, index)
  if (typeof value !== 'object' || value === null) return [[]]
  return Object.fromEntries(Object.keys(value).map((name) => [name, { [name]: index }]))
}

/** `open`, as many parts as fit in `size` bytes, `close`. */
function repeated(open: string, part: (index: number) => string, close: string, size: number, most = Infinity): Buffer {
  const tail = Buffer.from(close, close.includes('\xff') ? 'latin1' : 'utf8')
  const pieces = [Buffer.from(open)]
  let room = size - (pieces[0]?.length ?? 0) - tail.length
  const constant = part.length === 0 ? Buffer.from(part(0)) : null
  if (constant !== null) {
    const count = Math.max(0, Math.min(most, Math.floor(room / constant.length)))
    return Buffer.concat([...pieces, Buffer.alloc(count * constant.length, constant), tail])
  }
  for (let index = 0; index < most - 1; index++) {
    const piece = Buffer.from(part(index))
    room -= piece.length
    if (room < 0) break
    pieces.push(piece)
  }
  return Buffer.concat([...pieces, tail])
}

/** A last item would be one of another kind. */
function withoutNull(bytes: Buffer): Buffer {
  const end = Buffer.from('null]}')
  const whole = bytes.subarray(0, bytes.length - end.length - 1)
  return Buffer.concat([whole, Buffer.from(']}')])
}
