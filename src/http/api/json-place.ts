import { createScanner } from 'jsonc-parser'

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

type Expected =
  | 'a value'
  | 'a value or ]'
  | 'a name or }'
  | 'a name'
  | 'a colon'
  | 'a comma or ]'
  | 'a comma or }'
  | 'the end'

export interface JsonPlace {
  /** 1-based. */
  readonly line: number
  /** 1-based, in UTF-16 units. */
  readonly column: number
  readonly expected: Expected
}

/** UTF-16 units that are looked through: what a mistake costs must not grow with the request. */
const reach = 1 << 20

/**
 * Where a text stops being JSON (RFC 8259); null when it does not. JavaScript’s own parser tells that only sometimes.
 * Walks token by token without recursion: any depth is fine. `beyond`: not within the first 2²⁰ UTF-16 units.
 */
export function jsonPlace(whole: string): JsonPlace | 'beyond' | null {
  const text = whole.slice(0, reach)
  const cut = text.length < whole.length
  const scanner = createScanner(text)
  const open: ('[' | '{')[] = []
  let expected: Expected = 'a value'
  const afterValue = (): Expected => {
    const inside = open.at(-1)
    return inside === undefined ? 'the end' : inside === '[' ? 'a comma or ]' : 'a comma or }'
  }
  const close = (): Expected => {
    open.pop()
    return afterValue()
  }
  const next = (kind: number): Expected | null => {
    const value = expected === 'a value' || expected === 'a value or ]'
    const name = expected === 'a name' || expected === 'a name or }'
    if (value && kind === token.openBrace) return (open.push('{'), 'a name or }')
    if (value && kind === token.openBracket) return (open.push('['), 'a value or ]')
    if (value && kind >= token.firstLiteral && kind <= token.lastLiteral) return afterValue()
    if (name && kind === token.string) return 'a colon'
    if (expected === 'a colon' && kind === token.colon) return 'a value'
    if (kind === token.comma && expected === 'a comma or ]') return 'a value'
    if (kind === token.comma && expected === 'a comma or }') return 'a name'
    if (kind === token.closeBracket && (expected === 'a comma or ]' || expected === 'a value or ]')) return close()
    if (kind === token.closeBrace && (expected === 'a comma or }' || expected === 'a name or }')) return close()
    return null
  }
  for (;;) {
    const kind: number = scanner.scan()
    if (kind === token.space || kind === token.lineBreak) continue
    // What touches the cut may go on behind it.
    if (cut && scanner.getPosition() >= text.length) return 'beyond'
    if (kind === token.end && expected === 'the end') return null
    const mistake: number = scanner.getTokenError()
    const after = mistake === noError ? next(kind) : null
    if (after === null) return placeAt(text, scanner.getTokenOffset(), expected)
    expected = after
  }
}

function placeAt(text: string, offset: number, expected: Expected): JsonPlace {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n'), expected }
}
