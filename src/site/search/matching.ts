import { stemmer } from 'stemmer'

/** How well a word of the index answers a word that was asked for. */
export interface Match {
  readonly word: string
  /** 0 to 1. */
  readonly closeness: number
}

/** Words of documentation that mean the same to those who look for something. */
const synonyms: ReadonlyMap<string, readonly string[]> = groups(
  'delete remove destroy drop,create add make new,install setup,configure configuration config settings options,' +
    'environment env,authentication auth login signin authenticate,authorization permission permissions access,' +
    'database db,repository repo,documentation docs,parameter argument param,error exception failure,' +
    'price pricing billing cost,upgrade update migrate migration,start begin quickstart,javascript js,typescript ts,' +
    'python py,kubernetes k8s,list show,fetch get retrieve read,edit change modify update,find search query lookup,' +
    'backup snapshot,limit limits quota,host deploy hosting deployment,key token secret,folder directory,' +
    'function method,faster performance speed,stop cancel abort,picture image images,example examples sample,' +
    'troubleshoot troubleshooting debug debugging,organization org team,reply response,send request call',
)

function groups(text: string): Map<string, readonly string[]> {
  const map = new Map<string, string[]>()
  for (const group of text.split(',')) {
    const words = group.split(' ')
    for (const word of words) map.set(word, [...(map.get(word) ?? []), ...words.filter((other) => other !== word)])
  }
  return map
}

export function synonymsOf(word: string): readonly string[] {
  return synonyms.get(word) ?? []
}

export function stemOf(word: string): string {
  return /^[a-z]{3,}$/.test(word) ? stemmer(word) : word
}

/** Changes that a word may have been misspelt by. */
function mostChanges(length: number): number {
  return length < 4 ? 0 : length < 8 ? 1 : 2
}

/** Closeness of the ways in which words are alike. */
const alike = { same: 1, stem: 0.85, start: 0.7, misspelt: [1, 0.6, 0.4] } as const
/** Words that a word may stand for. */
const maxMatches = 24

/** Lets others go first, where it is their turn. */
export type Pause = () => Promise<void> | undefined

/** Words that are looked at without a pause: long ones that are nearly the same take some microseconds each. */
const lookedAtOnce = 32
/** Words that are looked at, many times what sites have in one file: one that is made of such words has no more. */
const mostLooked = 20_000

/** Calls `look` with each word, with pauses. */
async function eachOf(words: readonly string[], look: (word: string) => void, pause: Pause): Promise<void> {
  for (let at = 0; at < words.length && at < mostLooked; at += 1) {
    if (at % lookedAtOnce === 0) await pause()
    look(words[at] as string)
  }
}

/**
 * The words of a file that answer a word, best first: the word itself, others of its stem, those that begin with it
 * where it may not be whole; where there is none of these, those that it may be a misspelling of.
 */
export async function matchesOf(
  asked: string,
  words: readonly string[],
  { isWhole, pause }: { readonly isWhole: boolean; readonly pause: Pause },
): Promise<readonly Match[]> {
  const stem = stemOf(asked)
  const found: Match[] = []
  const look = (word: string): void => {
    if (word === asked) found.push({ word, closeness: alike.same })
    else if (stem.length > 2 && word.startsWith(stem.slice(0, 3)) && stemOf(word) === stem)
      found.push({ word, closeness: alike.stem })
    else if (word.startsWith(asked) && (!isWhole || asked.length > 3)) {
      const closeness = alike.start * (isWhole ? 0.6 : 1) * shareOf(asked, word)
      found.push({ word, closeness })
    }
  }
  await eachOf(words, look, pause)
  const isKnown = found.some(({ closeness }) => closeness >= alike.stem) || (!isWhole && found.length > 0)
  return best(isKnown ? found : [...found.map(weaker), ...(await misspeltOf(asked, words, { isWhole, pause }))])
}

/** How much of a word is asked for that only begins with it. */
function shareOf(asked: string, word: string): number {
  return 0.4 + (0.6 * asked.length) / word.length
}

/** What only begins with a word is less likely meant by it than what it is a misspelling of. */
function weaker({ word, closeness }: Match): Match {
  return { word, closeness: closeness * 0.7 }
}

/** Words that a word may be a misspelling of. */
export async function misspeltOf(
  asked: string,
  words: readonly string[],
  { isWhole, pause }: { readonly isWhole: boolean; readonly pause: Pause },
): Promise<readonly Match[]> {
  const most = mostChanges(asked.length)
  const found: Match[] = []
  if (most === 0) return found
  const look = (word: string): void => {
    const distance = distanceOf(asked, word, most, isWhole)
    if (distance === 0 || distance > most) return
    const closeness = alike.misspelt[distance] ?? 0
    // A word that goes on says less, as it does where it is spelt well.
    const goesOn = !isWhole && word.length > asked.length + most
    found.push({ word, closeness: goesOn ? closeness * shareOf(asked, word) : closeness })
  }
  await eachOf(words, look, pause)
  return best(found)
}

function best(matches: Match[]): readonly Match[] {
  return matches.sort((one, other) => other.closeness - one.closeness).slice(0, maxMatches)
}

/**
 * Letters that were left out, added, replaced or swapped between two words, up to a number; more where there are more.
 *
 * @param isWhole false: what the word goes on with is not counted
 */
export function distanceOf(asked: string, word: string, most: number, isWhole: boolean): number {
  const length = isWhole ? word.length : Math.min(word.length, asked.length + most)
  if (Math.abs(asked.length - length) > most || word.length < asked.length - most) return most + 1
  let before: number[] = []
  let row = Array.from({ length: length + 1 }, (_, index) => index)
  for (let at = 1; at <= asked.length; at += 1) {
    // What is further from the diagonal has more changes than are counted.
    const next = row.map(() => most + 1)
    next[0] = at
    let least = at
    const first = Math.max(1, at - most)
    const last = Math.min(length, at + most)
    for (let column = first; column <= last; column += 1) {
      const isSame = asked[at - 1] === word[column - 1]
      let cost = Math.min(
        (row[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (row[column - 1] ?? 0) + (isSame ? 0 : 1),
      )
      const isSwapped = asked[at - 1] === word[column - 2] && asked[at - 2] === word[column - 1]
      if (at > 1 && column > 1 && isSwapped) cost = Math.min(cost, (before[column - 2] ?? 0) + 1)
      next[column] = cost
      least = Math.min(least, cost)
    }
    if (least > most) return most + 1
    before = row
    row = next
  }
  return isWhole ? (row[length] ?? most + 1) : Math.min(...row)
}
