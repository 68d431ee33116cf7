import { stemmer } from 'stemmer'
import { formsOf, wordsOf } from '../site/search/words.ts'

/** What questions are made of, whatever they are about. */
const unasked: ReadonlySet<string> = new Set(
  (
    'a about am an and any are as at be been but by can could did do does for from get had has have how i if in into is ' +
    'it its me my of on or our please should so some tell than that the their them then there these they this those ' +
    'to us was we were what when where which who why will with would you your'
  ).split(' '),
)

/** The terms that a word is found by: its stem, and those of the words in it. */
export function termsOf(word: string): readonly string[] {
  const forms = formsOf(word).map(stemOf)
  return forms.length < 2 ? forms : [...new Set(forms)]
}

/** Most terms that a question is looked up by. */
const maxTerms = 32

/** The terms of a question, each once, without those that say nothing of what it is about. */
export function askedTerms(question: string): readonly string[] {
  const asked = wordsOf(question).filter((word) => !unasked.has(word.toLowerCase()))
  return [...new Set(asked.flatMap(termsOf))].slice(0, maxTerms)
}

function stemOf(form: string): string {
  return /^[a-z]{3,}$/.test(form) ? stemmer(form) : form
}
