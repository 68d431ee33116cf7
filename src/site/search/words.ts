/** Words of a text as they are written: letters, digits, `_`; of names such as `Next.js` also what follows the dot. */
const written = /[\p{L}\p{M}\p{N}_]+(?:\.(?:ai|io|js|net|ts)(?![\p{L}\p{M}\p{N}_]))?/giu
/** Scripts that put no space between words: there, any two characters in a row stand for one. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
/** The words in a name: `idempotencyKey`, `MODEL_ROUTER_URL`, `Next.js`. */
const inName = /[_.]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u
const longestWord = 40
/** Most words: there is nothing in them to look for. */
const plain = /^[A-Za-z]?[a-z]*$/

export function wordsOf(text: string): readonly string[] {
  return text.match(written) ?? []
}

/** A word and where it stands in its text. */
export interface PlacedWord {
  readonly word: string
  readonly start: number
}

export function* placedWords(text: string): Generator<PlacedWord> {
  for (const { 0: word, index } of text.matchAll(written)) yield { word, start: index }
}

export function isUnspaced(word: string): boolean {
  return unspaced.test(word)
}

/** A word in small letters, and of a name the words in it, too; of scripts without spaces each two characters in a row. */
export function formsOf(word: string): readonly string[] {
  if (plain.test(word)) return [word.slice(0, longestWord).toLowerCase()]
  if (isUnspaced(word)) return pairsOf(word)
  const whole = smallOf(word)
  const parts = word.split(inName).filter((part) => part !== '')
  return parts.length < 2 ? [whole] : [...new Set([whole, ...parts.map(smallOf)])]
}

function smallOf(word: string): string {
  return word.slice(0, longestWord).toLowerCase().replaceAll('.', '')
}

function pairsOf(word: string): readonly string[] {
  const characters = Array.from(word.toLowerCase())
  if (characters.length < 2) return characters
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`)
}

/** Nothing is found by them alone, and they are everywhere. */
const unsaid: ReadonlySet<string> = new Set(
  (
    'a an and are as at be but by for from has have if in into is it its no not of on or our such that the their then ' +
    'there these they this to was we were will with you your i s t'
  ).split(' '),
)

/** Whether a word says nothing of what a page is about. */
export function isUnsaid(form: string): boolean {
  return unsaid.has(form)
}
