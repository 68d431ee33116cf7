import { closestMatch } from 'leven'

/** Comparing longer ones would cost time, and no name of ours is as long. */
const longestName = 100

/** In how many characters a name of that length may differ from what was meant: two are a swap. */
const mostChanges = (length: number): number => (length < 4 ? 1 : length < 9 ? 2 : 3)

/** The known name that somebody meant who wrote `name`. Case, hyphens and underscores do not count. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > longestName) return undefined
  const bySpelling = new Map(known.map((each) => [plain(each), each]))
  const nearest = closestMatch(plain(name), [...bySpelling.keys()], { maxDistance: mostChanges(name.length) })
  return nearest === undefined ? undefined : bySpelling.get(nearest)
}

const plain = (name: string): string => name.toLowerCase().replace(/[-_]/g, '')
