import { stemmer } from 'stemmer'

/** Words of a text as they are written: letters, digits, `_`. */
const written = /[\p{L}\p{M}\p{N}_]+/gu
/** Scripts that put no space between words: there, any two characters in a row stand for one. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
/** The words in a name: `idempotencyKey`, `MODEL_ROUTER_URL`. */
const inName = /_+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u
const longestWord = 40

/** What questions are made of, whatever they are about. */
const unasked: ReadonlySet<string> = new Set(
  (
    'a about am an and any are as at be been but by can could did do does for from get had has have how i if in into is ' +
    'it its me my of on or our please should so some tell than that the their them then there these they this those ' +
    'to us was we were what when where which who why will with would you your'
  ).split(' '),
)

export function wordsOf(text: string): readonly string[] {
  return text.match(written) ?? []
}

/** The terms that a word is found by: its stem, and those of the words in it. */
export function termsOf(word: string): readonly string[] {
  if (unspaced.test(word)) return pairsOf(word)
  const whole = stemOf(word)
  const parts = word.split(inName).filter((part) => part !== '')
  return parts.length < 2 ? [whole] : [...new Set([whole, ...parts.map(stemOf)])]
}

/** Most terms that a question is looked up by. */
const maxTerms = 32

/** The terms of a question, each once, without those that say nothing of what it is about. */
export function askedTerms(question: string): readonly string[] {
  const asked = wordsOf(question).filter((word) => !unasked.has(word.toLowerCase()))
  return [...new Set(asked.flatMap(termsOf))].slice(0, maxTerms)
}

function stemOf(word: string): string {
  const small = word.slice(0, longestWord).toLowerCase()
  return /^[a-z]{3,}$/.test(small) ? stemmer(small) : small
}

function pairsOf(word: string): readonly string[] {
  const characters = Array.from(word.toLowerCase())
  if (characters.length < 2) return characters
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`)
}
