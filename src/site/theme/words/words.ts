import type { Child } from '#lib/html.ts'
import { interfaceLanguage, type Language } from '../../languages.ts'

/** One word or phrase of the interface in every language that it speaks: without one of them it does not compile. */
export type Word = Readonly<Record<Language, string>>

type Table = Readonly<Record<string, Word>>
/** The words of a table in one language. */
export type WordsOf<Of extends Table> = { readonly [Name in keyof Of]: string }

const picked = new WeakMap<Table, Map<Language, Readonly<Record<string, string>>>>()

/**
 * The words of a table for pages in `lang`, a BCP 47 tag; English for a language that the interface does not speak.
 * Whoever adds to the interface adds a word to a table of this folder, or a table.
 */
export function wordsIn<Of extends Table>(table: Of, lang: string): WordsOf<Of> {
  const language = interfaceLanguage(lang)
  const known = picked.get(table) ?? new Map<Language, Readonly<Record<string, string>>>()
  picked.set(table, known)
  const words =
    known.get(language) ?? Object.fromEntries(Object.entries(table).map(([name, word]) => [name, word[language]]))
  known.set(language, words)
  return words as WordsOf<Of>
}

const hole = /\{(\w+)\}/

/** A phrase with its `{holes}` filled. */
export function fill(phrase: string, values: Readonly<Record<string, Child>>): Child[] {
  return phrase.split(hole).map((part, index) => (index % 2 === 0 ? part : values[part]))
}

/** The same as text. */
export function fillText(phrase: string, values: Readonly<Record<string, string>>): string {
  return phrase
    .split(hole)
    .map((part, index) => (index % 2 === 0 ? part : (values[part] ?? '')))
    .join('')
}
