import { createScanner } from 'jsonc-parser'
import { nextTurn, isTurnOver } from '../../lib/slices.ts'

// `SyntaxKind` of the package: a const enum, whose values a compiler that sees one file at a time cannot read.
const token = {
  openBrace: 1,
  closeBrace: 2,
  openBracket: 3,
  closeBracket: 4,
  comma: 5,
  colon: 6,
  firstLiteral: 7,
  string: 10,
  lastLiteral: 11,
  lineBreak: 14,
  space: 15,
  end: 17,
}
const noError = 0
/** UTF-16 units that are looked through: what a mistake costs must not grow with the request. */
export const searchedUnits = 1 << 20
/** Tokens after which the clock is read. */
const tokensOfTurn = 1000

type Expected =
  | 'a value'
  | 'a value or ]'
  | 'a name or }'
  | 'a name'
  | 'a colon'
  | 'a comma or ]'
  | 'a comma or }'
  | 'the end'

export interface JsonSyntaxError {
  /** 1-based. */
  readonly line: number
  /** 1-based, in UTF-16 units. */
  readonly column: number
  readonly expected: Expected
}

/**
 * Where a text stops being JSON (RFC 8259); null when it does not. JavaScript’s own parser tells that only sometimes.
 * Walks token by token without recursion: any depth is fine. `beyond`: not within the first 2²⁰ UTF-16 units.
 */
export async function findJsonError(whole: string): Promise<JsonSyntaxError | 'beyond' | null> {
  const text = whole.slice(0, searchedUnits)
  const cut = text.length < whole.length
  const scanner = createScanner(text)
  const grammar = new Grammar()
  for (let count = 1; ; count++) {
    if (count % tokensOfTurn === 0 && isTurnOver()) await nextTurn()
    const kind: number = scanner.scan()
    if (kind === token.space || kind === token.lineBreak) continue
    // What touches the cut may go on behind it.
    if (cut && scanner.getPosition() >= text.length) return 'beyond'
    if (kind === token.end && grammar.expected === 'the end') return null
    const mistake: number = scanner.getTokenError()
    if (mistake !== noError || !grammar.takes(kind)) return errorAt(text, scanner.getTokenOffset(), grammar.expected)
  }
}

/** What may come next in a JSON text. */
class Grammar {
  expected: Expected = 'a value'
  readonly #open: ('[' | '{')[] = []

  /** Whether a token may come next; then it has. */
  takes(kind: number): boolean {
    const next = this.#after(kind)
    if (next === null) return false
    this.expected = next
    return true
  }

  #after(kind: number): Expected | null {
    const { expected } = this
    const value = expected === 'a value' || expected === 'a value or ]'
    const name = expected === 'a name' || expected === 'a name or }'
    if (value && kind === token.openBrace) return (this.#open.push('{'), 'a name or }')
    if (value && kind === token.openBracket) return (this.#open.push('['), 'a value or ]')
    if (value && kind >= token.firstLiteral && kind <= token.lastLiteral) return this.#afterValue()
    if (name && kind === token.string) return 'a colon'
    if (expected === 'a colon' && kind === token.colon) return 'a value'
    if (kind === token.comma && expected === 'a comma or ]') return 'a value'
    if (kind === token.comma && expected === 'a comma or }') return 'a name'
    if (kind === token.closeBracket && (expected === 'a comma or ]' || expected === 'a value or ]'))
      return this.#closed()
    if (kind === token.closeBrace && (expected === 'a comma or }' || expected === 'a name or }')) return this.#closed()
    return null
  }

  #closed(): Expected {
    this.#open.pop()
    return this.#afterValue()
  }

  #afterValue(): Expected {
    const inside = this.#open.at(-1)
    return inside === undefined ? 'the end' : inside === '[' ? 'a comma or ]' : 'a comma or }'
  }
}

function errorAt(text: string, offset: number, expected: Expected): JsonSyntaxError {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n'), expected }
}
