export type Encoding = 'br' | 'gzip' | 'identity'

/** Few different values come, many times each. */
const encodings = new Map<string, Encoding>()
const maxRemembered = 256

/** The best encoding that an Accept-Encoding header allows (RFC 9110, 12.5.3): the heavier weight, Brotli when equal. */
export function acceptedEncoding(header: string | undefined): Encoding {
  if (header === undefined) return 'identity'
  const known = encodings.get(header)
  if (known !== undefined) return known
  const weights = parseWeights(header)
  const any = weights.get('*') ?? 0
  const br = weights.get('br') ?? any
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? any
  const best: Encoding = br > 0 && br >= gzip ? 'br' : gzip > 0 ? 'gzip' : 'identity'
  if (encodings.size >= maxRemembered) encodings.clear()
  encodings.set(header, best)
  return best
}

/** True when an Accept header asks for Markdown at least as much as for HTML; of equals the first named. */
export function prefersMarkdown(header: string | undefined): boolean {
  if (header === undefined || !/text\/markdown/i.test(header)) return false
  const weights = parseWeights(header)
  const markdown = weights.get('text/markdown') ?? 0
  const html = weights.get('text/html') ?? 0
  if (markdown === 0 || markdown < html) return false
  const names = [...weights.keys()]
  return markdown > html || names.indexOf('text/markdown') < names.indexOf('text/html')
}

function parseWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>()
  for (const item of header.slice(0, 1000).split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
    const q = parameters.find((parameter) => parameter.startsWith('q='))
    const weight = q === undefined ? 1 : Number(q.slice(2))
    if (name !== '' && !weights.has(name)) weights.set(name, Number.isFinite(weight) ? weight : 0)
  }
  return weights
}

/** The tag of an If-None-Match header that is one of `tags`, by weak comparison (RFC 9110, 13.1.2). */
export function matchingTag(header: string, tags: readonly string[]): string | undefined {
  const exact = tags.find((tag) => tag === header)
  if (exact !== undefined) return exact
  if (header.trim() === '*') return tags[0]
  for (const item of header.slice(0, 4000).split(',')) {
    const tag = item.trim().replace(/^W\//, '')
    if (tags.includes(tag)) return tag
  }
  return undefined
}

export type RangeAnswer = { readonly start: number; readonly end: number } | 'whole' | 'unsatisfiable'

/** The part that a Range header asks for: one range of bytes; everything else is answered with the whole (RFC 9110, 14.2). */
export function requestedRange(header: string | undefined, size: number): RangeAnswer {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.replace(/\s/g, '') ?? '')
  const [, first = '', last = ''] = match ?? []
  if (match === null || (first === '' && last === '')) return 'whole'
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size }
  }
  const start = Number(first)
  const end = last === '' ? size : Math.min(Number(last) + 1, size)
  if (last !== '' && Number(last) < start) return 'whole'
  return start >= size ? 'unsatisfiable' : { start, end }
}
