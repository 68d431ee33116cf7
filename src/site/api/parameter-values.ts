/** A parameter as far as its values depend on it: how lists and objects are written, where that is not the usual way. */
export interface ParameterStyle {
  readonly name: string
  readonly style?: string
  readonly explode?: boolean
  /** Its value is JSON. */
  readonly json?: boolean
}

export type Pair = readonly [name: string, value: string]

/** OpenAPI’s `form` with `explode` in a query, unless the parameter says otherwise: pairs of texts that are not escaped. */
export function queryPairs(parameter: ParameterStyle, value: unknown): readonly Pair[] {
  const { name, style = 'form', explode = style === 'form' || style === 'deepObject', json } = parameter
  if (json === true) return [[name, JSON.stringify(value)]]
  if (Array.isArray(value)) {
    const texts = value.map(valueText)
    return explode ? texts.map((text) => [name, text]) : [[name, texts.join(separatorOf(style))]]
  }
  if (!isRecord(value)) return [[name, valueText(value)]]
  if (style === 'deepObject') return deepPairs(name, value, 0)
  const entries = Object.entries(value)
  if (explode) return entries.map(([key, each]) => [key, valueText(each)])
  return [[name, entries.flatMap(([key, each]) => [key, valueText(each)]).join(separatorOf(style))]]
}

/** A style may have any name: `constructor` is none that there is. */
const separatorOf = (style: string): string =>
  style === 'spaceDelimited' ? ' ' : style === 'pipeDelimited' ? '|' : ','
/** Objects in each other. */
const deepest = 5

/** `filter[price][gt]=3`; lists as several of one name. */
function deepPairs(name: string, value: unknown, depth: number): readonly Pair[] {
  if (Array.isArray(value)) return value.map((each): Pair => [name, valueText(each)])
  if (!isRecord(value) || depth >= deepest) return [[name, valueText(value)]]
  return Object.entries(value).flatMap(([key, each]) => deepPairs(`${name}[${key}]`, each, depth + 1))
}

/** In a form: lists as several fields of one name, objects as JSON, unless it says otherwise. */
export function formPairs(field: ParameterStyle, value: unknown): readonly Pair[] {
  const isPlain = isRecord(value) && field.style === undefined && field.explode === undefined
  return isPlain ? [[field.name, JSON.stringify(value)]] : queryPairs(field, value)
}

/** What stands in a path in place of `{name}`, escaped. */
export function pathText({ name, style = 'simple', explode = false, json }: ParameterStyle, value: unknown): string {
  if (json === true) return encodeURIComponent(JSON.stringify(value))
  const pairs: readonly Pair[] = isRecord(value)
    ? Object.entries(value).map(([key, each]) => [encodeURIComponent(key), encodeURIComponent(valueText(each))])
    : (Array.isArray(value) ? value : [value]).map((each): Pair => [name, encodeURIComponent(valueText(each))])
  const named = pairs.map(([key, text]) => `${key}=${text}`)
  const plain = isRecord(value) ? (explode ? named : pairs.flat()) : pairs.map(([, text]) => text)
  if (style === 'label') return `.${plain.join(explode ? '.' : ',')}`
  if (style === 'matrix') return explode ? named.map((each) => `;${each}`).join('') : `;${name}=${plain.join(',')}`
  return plain.join(',')
}

/** In a header or a cookie. */
export function headerText({ explode = false, json }: ParameterStyle, value: unknown): string {
  if (json === true) return JSON.stringify(value)
  if (Array.isArray(value)) return value.map(valueText).join(',')
  if (!isRecord(value)) return valueText(value)
  return Object.entries(value)
    .map(([key, each]) => `${key}${explode ? '=' : ','}${valueText(each)}`)
    .join(',')
}

/** A value in an address, a header or a form: a file by its name, what holds others as JSON. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof File !== 'undefined' && value instanceof File) return value.name
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  const isFile = typeof File !== 'undefined' && value instanceof File
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isFile
}
