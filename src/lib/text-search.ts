import type { Steps } from './slices.ts'

/** Characters between two pauses: some hundredths of a millisecond. */
const stepCharacters = 8192

/**
 * Where a text begins in another one, at most so many times, overlaps included. Takes time in proportion to both
 * (Knuth, Morris and Pratt): `indexOf` takes minutes for a long text that nearly repeats.
 */
export function* placesOf(text: string, wanted: string, most: number): Steps<number[]> {
  const length = wanted.length
  // For each beginning of what is wanted: how long the longest beginning is that it ends with.
  const borders = new Int32Array(length)
  for (let at = 1, border = 0; at < length; at++) {
    while (border > 0 && wanted.charCodeAt(at) !== wanted.charCodeAt(border)) border = borders[border - 1] ?? 0
    if (wanted.charCodeAt(at) === wanted.charCodeAt(border)) border += 1
    borders[at] = border
    if (at % stepCharacters === 0) yield
  }
  const places: number[] = []
  for (let at = 0, met = 0; at < text.length && places.length < most; at++) {
    while (met > 0 && text.charCodeAt(at) !== wanted.charCodeAt(met)) met = borders[met - 1] ?? 0
    if (text.charCodeAt(at) === wanted.charCodeAt(met)) met += 1
    if (met === length) {
      places.push(at - length + 1)
      met = borders[met - 1] ?? 0
    }
    if (at % stepCharacters === 0) yield
  }
  return places
}
