/** Points of a letter that matches, and what is taken off for those between two that do. */
const matched = 16
const gapStart = 3
const gapMore = 1
/** More for a letter that begins a name, or a word of it, or goes on with the one before. */
const beginsName = 9
const beginsWord = 8
const goesOn = 8
const none = -1_000_000
/** A path has fewer UTF-16 units; of matches that are equally good, the shorter path is the better one. */
const lengths = 2_048

const slash = 0x2f

/**
 * What was typed to find a path: words, whose letters stand in a path in their order, the words anywhere. It holds tables
 * for one path at a time, and keeps nothing of the paths.
 */
export class PathQuery {
  readonly #words: readonly string[]
  /** What a letter at a place of the path is worth there. */
  #bonus = new Int32Array(256)
  /** Where the letters of a word stand at the earliest and at the latest. */
  readonly #from: Int32Array
  readonly #to: Int32Array
  /** By letter and place: the best that ends with the one at the other, and the best up to there. */
  #ending = new Int32Array(0)
  #best = new Int32Array(0)

  constructor(text: string) {
    this.#words = text.toLowerCase().split(/\s+/).filter(Boolean)
    const longest = Math.max(0, ...this.#words.map(({ length }) => length))
    this.#from = new Int32Array(longest)
    this.#to = new Int32Array(longest)
  }

  /** Larger for a better match; undefined where it is none. */
  score(path: string): number | undefined {
    const lower = lowerOf(path)
    let score = 0
    for (const [index, word] of this.#words.entries()) {
      if (!this.#fits(lower, word)) return undefined
      if (index === 0) this.#weigh(path)
      score += this.#align(lower, word)
    }
    return score * lengths - Math.min(path.length, lengths - 1)
  }

  /** UTF-16 indices of the letters of a path that match, in order; none where it does not. */
  indexes(path: string): number[] {
    const lower = lowerOf(path)
    const indexes = new Set<number>()
    const width = path.length
    this.#weigh(path)
    for (const word of this.#words) {
      if (!this.#fits(lower, word)) return []
      this.#align(lower, word)
      let at = this.#last(word, width)
      for (let letter = word.length - 1; letter > 0; letter--) {
        indexes.add(at)
        const points = (this.#ending[letter * width + at] ?? none) - matched
        const row = (letter - 1) * width
        const own = this.#bonus[at] ?? 0
        at -= 1
        // It goes on with the letter before, or stands behind a gap.
        if ((this.#ending[row + at] ?? none) + Math.max(goesOn, own) === points) continue
        while (at > 0 && this.#best[row + at] !== this.#ending[row + at]) at -= 1
      }
      indexes.add(at)
    }
    return [...indexes].sort((a, b) => a - b)
  }

  /** Whether the letters of a word are there in their order, and between which places each of them. */
  #fits(lower: string, word: string): boolean {
    for (let letter = 0, at = -1; letter < word.length; letter++) {
      at = lower.indexOf(word.charAt(letter), at + 1)
      if (at < 0) return false
      this.#from[letter] = at
    }
    for (let letter = word.length - 1, at = lower.length; letter >= 0; letter--) {
      at = lower.lastIndexOf(word.charAt(letter), at - 1)
      this.#to[letter] = at
    }
    return true
  }

  #weigh(path: string): void {
    if (this.#bonus.length < path.length) this.#bonus = new Int32Array(path.length)
    let before = slash
    for (let at = 0; at < path.length; at++) {
      const unit = path.charCodeAt(at)
      this.#bonus[at] = before === slash ? beginsName : beginsAWord(before, unit) ? beginsWord : 0
      before = unit
    }
  }

  /** The best way to lay a word on a path that it fits. */
  #align(lower: string, word: string): number {
    const width = lower.length
    if (this.#ending.length < width * word.length) {
      this.#ending = new Int32Array(2 * width * word.length)
      this.#best = new Int32Array(2 * width * word.length)
    }
    const [ending, best, bonus, from, to] = [this.#ending, this.#best, this.#bonus, this.#from, this.#to]
    for (let letter = 0; letter < word.length; letter++) {
      const unit = word.charCodeAt(letter)
      const row = letter * width
      const end = letter + 1 < word.length ? (to[letter + 1] as number) - 1 : (to[letter] as number)
      let running = none
      let gap = gapStart
      for (let at = from[letter] as number; at <= end; at++) {
        let here = none
        if (lower.charCodeAt(at) === unit) {
          const own = bonus[at] as number
          // The first letter counts twice where it begins something: it is what people type first.
          if (letter === 0) here = matched + 2 * own
          else {
            const before = row - width + at - 1
            const joined = (ending[before] as number) + (own > goesOn ? own : goesOn)
            const apart = (best[before] as number) + own
            here = matched + (joined > apart ? joined : apart)
          }
        }
        running -= gap
        gap = gapMore
        if (here >= running) {
          running = here
          gap = gapStart
        }
        ending[row + at] = here
        best[row + at] = running
      }
    }
    return ending[(word.length - 1) * width + this.#last(word, width)] ?? none
  }

  /** Where the last letter of a word that is laid on a path stands best: what follows it costs nothing. */
  #last(word: string, width: number): number {
    const letter = word.length - 1
    const row = letter * width
    let last = this.#from[letter] as number
    for (let at = last + 1; at <= (this.#to[letter] as number); at++)
      if ((this.#ending[row + at] as number) > (this.#ending[row + last] as number)) last = at
    return last
  }
}

/** Of the same length, so that places in the one are places in the other. */
function lowerOf(path: string): string {
  const lower = path.toLowerCase()
  return lower.length === path.length ? lower : path
}

function beginsAWord(before: number, unit: number): boolean {
  if (!isWord(before)) return isWord(unit)
  // In camelCase, and numbers behind letters.
  const isUpper = unit >= 0x41 && unit <= 0x5a
  return (isUpper && before >= 0x61 && before <= 0x7a) || (isDigit(unit) && !isDigit(before))
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39
}

function isWord(unit: number): boolean {
  return isDigit(unit) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a) || unit > 0x7f
}
