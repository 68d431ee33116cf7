import { secretPatterns } from './secret-patterns.ts'

/** A secret that stands in a text. What it is stays where it was found. */
export interface FoundSecret {
  /** From 1. */
  readonly line: number
  /** For people: `an AWS access key`. */
  readonly kind: string
}

/** What stands where a reader is to put a secret of their own, and what is published as an example. */
const placeholder =
  /example|sample|placeholder|your|changeme|change[-_]me|redacted|dummy|fake|secret|password|xxxx|\*\*\*|\.\.\.|…|[<>{}]|%s|12345678|01234567|abcdef(?![0-9a-f])|(.)\1{5}/i

/** Payload of the token that jwt.io and half of all tutorials show. */
const publicPayload = 'eyJzdWIiOiIxMjM0NTY3ODkw'

/** Bits per character of a text, by how often each occurs in it (Shannon). */
function entropy(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

/** Words, however joined, have few digits; what a generator made of letters and digits has many. */
function looksGenerated(value: string, bits: number): boolean {
  if (placeholder.test(value) || value.includes(publicPayload)) return false
  return /\d/.test(value) && /[A-Za-z]/.test(value) && entropy(value) >= bits
}

/**
 * The lines of a text that hold secrets, by the forms that their issuers give them and by what they are assigned to. Every pattern takes
 * time in proportion to the text.
 */
export function findSecrets(text: string): FoundSecret[] {
  const found: { readonly index: number; readonly kind: string }[] = []
  for (const { kind, pattern, bits, isSecret } of secretPatterns) {
    for (const match of text.matchAll(pattern)) {
      const value = match.groups?.['value'] ?? match[0]
      const counts = isSecret === undefined ? looksGenerated(value, bits) : isSecret(value, match.groups ?? {})
      if (counts && !placeholder.test(value)) found.push({ index: match.index, kind })
    }
  }
  const lines = linesAt(
    text,
    found.map(({ index }) => index),
  )
  // The first pattern that knows what stands in a line says the most of it.
  const byLine = new Map<number, FoundSecret>()
  for (const { index, kind } of found) {
    const line = lines.get(index) ?? 1
    if (!byLine.has(line)) byLine.set(line, { line, kind })
  }
  return [...byLine.values()].toSorted((a, b) => a.line - b.line)
}

/** The lines that places of a text are in, from 1. */
function linesAt(text: string, places: readonly number[]): ReadonlyMap<number, number> {
  const lines = new Map<number, number>()
  let line = 1
  let read = 0
  for (const place of places.toSorted((a, b) => a - b)) {
    for (; read < place; read += 1) if (text.charCodeAt(read) === 10) line += 1
    lines.set(place, line)
  }
  return lines
}
