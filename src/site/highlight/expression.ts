import { EmulatedRegExp } from 'oniguruma-to-es'
import { defaultJavaScriptRegexConstructor } from 'shiki/engine/javascript'

/** A pattern as JavaScript has it. */
export interface Expression {
  /** Without the flag `d` where the pattern has no groups: telling where they are costs more than most searches. */
  readonly regexp: RegExp
  /** Groups that are not the pattern’s: the translation needs them. */
  readonly hidden: readonly number[]
  /** Whether a match depends on where the search began. */
  readonly dependsOnStart: boolean
}

export function expressionOf(regexp: RegExp, hidden: readonly number[]): Expression {
  const clips = regexp instanceof EmulatedRegExp && regexp.rawOptions.strategy != null
  return { regexp, hidden, dependsOnStart: regexp.sticky || clips }
}

/** As scripts/patterns.mjs translates: what every Node can do that Quire runs on, so that each gives the same colours. */
const target = 'ES2024'

/** Translates a pattern now; null when JavaScript cannot express it. */
export function translate(source: string): Expression | null {
  try {
    return expressionOf(defaultJavaScriptRegexConstructor(source, { target }), [])
  } catch {
    // A few patterns of rare grammars cannot be written in JavaScript: less colour.
    return null
  }
}
