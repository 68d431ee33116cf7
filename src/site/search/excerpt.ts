import { formsOf, isUnspaced, placedWords } from './words.ts'

/** Where words that were asked for stand in a text. */
export interface Spot {
  readonly start: number
  readonly end: number
  /** Number of the asked word. */
  readonly asked: number
}

/** A piece of a text, with the places in it that are marked. */
export interface Excerpt {
  readonly text: string
  readonly marks: readonly (readonly [start: number, end: number])[]
}

/** Which asked word a form of a word answers; undefined for none. */
export type Wanted = ReadonlyMap<string, number>

export function spotsOf(text: string, wanted: Wanted): readonly Spot[] {
  const spots: Spot[] = []
  for (const { word, start } of placedWords(text)) {
    if (isUnspaced(word)) addPairs(spots, word, start, wanted)
    else {
      const forms = formsOf(word)
      const whole = wanted.get(forms[0] ?? '')
      if (whole !== undefined) spots.push({ start, end: start + word.length, asked: whole })
      else if (forms.length > 1) addNameParts(spots, word, start, { forms, wanted })
    }
  }
  return spots
}

function addPairs(spots: Spot[], word: string, start: number, wanted: Wanted): void {
  const pairs = formsOf(word)
  let at = 0
  for (const [index, character] of Array.from(word).entries()) {
    const asked = wanted.get(pairs[index] ?? '')
    if (asked !== undefined) spots.push({ start: start + at, end: start + at + (pairs[index] ?? '').length, asked })
    at += character.length
  }
}

function addNameParts(
  spots: Spot[],
  word: string,
  start: number,
  { forms, wanted }: { readonly forms: readonly string[]; readonly wanted: Wanted },
): void {
  const small = word.toLowerCase()
  let from = 0
  for (const form of forms.slice(1)) {
    const at = small.indexOf(form, from)
    if (at === -1) continue
    from = at + form.length
    const asked = wanted.get(form)
    if (asked !== undefined) spots.push({ start: start + at, end: start + from, asked })
  }
}

/** Characters of an excerpt. */
const excerptLength = 160

/** The piece of a text that has most of what was asked for. */
export function excerptOf(text: string, spots: readonly Spot[]): Excerpt {
  let best = 0
  let bestCount = -1
  for (const [index, { start }] of spots.entries()) {
    const asked = new Set<number>()
    for (let next = index; next < spots.length; next += 1) {
      const spot = spots[next] as Spot
      if (spot.end > start + excerptLength * 0.8) break
      asked.add(spot.asked)
    }
    if (asked.size > bestCount) {
      best = start
      bestCount = asked.size
    }
    if (index > 200) break
  }
  const from = best < excerptLength * 0.6 ? 0 : wordStart(text, best - 40)
  const to = from + excerptLength >= text.length ? text.length : wordEnd(text, from + excerptLength)
  const lead = from > 0 ? '… ' : ''
  const piece = text.slice(from, to).replaceAll(/\s/g, ' ')
  const marks: [number, number][] = []
  for (const { start, end } of spots) {
    if (start < from || end > to) continue
    const last = marks.at(-1)
    const at = start - from + lead.length
    if (last !== undefined && at <= last[1]) last[1] = Math.max(last[1], end - from + lead.length)
    else marks.push([at, end - from + lead.length])
  }
  return { text: `${lead}${piece}${to < text.length ? ' …' : ''}`, marks }
}

function wordStart(text: string, at: number): number {
  const space = text.slice(at, at + 30).search(/\s/)
  return space === -1 ? safe(text, at) : at + space + 1
}

function wordEnd(text: string, at: number): number {
  const space = text.slice(at, at + 30).search(/\s/)
  return space === -1 ? safe(text, at) : at + space
}

/** Not between the halves of a character. */
function safe(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code < 0xe000 ? at + 1 : at
}
