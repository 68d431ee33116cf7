import type { Steps } from '../../lib/slices.ts'
import type { WholeIndex } from './files.ts'
import { encodeParts, encodePostings, keyOf, noTab, writeWords, type PartEntry, type PartText } from './format.ts'
import { lengthStep, wordsOfPart } from './parts.ts'

/** Name of the words in titles; a file of words has a key as its name, which is no word. */
const titlesName = 'titles'

/** An index in one piece, of some dozens of parts that change more often than sites are built. */
export function* wholeIndex(parts: readonly PartText[]): Steps<WholeIndex> {
  const entries: PartEntry[] = []
  const postings = new Map<string, { number: number; weight: number }[]>()
  const titles = new Map<string, number>()
  for (const [number, part] of parts.entries()) {
    yield 'large'
    const words = wordsOfPart(part)
    entries.push({ number, tab: noTab, length: lengthStep(words.length) })
    for (const [word, weight] of words.weights) {
      const known = postings.get(word)
      if (known === undefined) postings.set(word, [{ number, weight }])
      else known.push({ number, weight })
    }
    for (const word of words.titles) titles.set(word, (titles.get(word) ?? 0) + 1)
  }
  const files: Record<string, string> = { [titlesName]: writeWords([...titles].map(([word]) => [word, '1'])) }
  for (const [word, found] of postings) {
    yield
    const key = keyOf(word, 1)
    files[key] = (files[key] ?? '') + writeWords([[word, encodePostings(found)]])
  }
  const keys = Object.keys(files).filter((key) => key !== titlesName)
  const words = Object.fromEntries(keys.map((key) => [key, key]))
  const root = { format: 1 as const, scopes: [{}], tabs: [], parts: encodeParts(entries), words, titles: titlesName }
  return { root, files, parts }
}
