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
 * The secrets in a text, by the forms that their issuers give them and by what they are assigned to. Every pattern takes
 * time in proportion to the text.
 */
export function findSecrets(text: string): FoundSecret[] {
  const found: { index: number; kind: string }[] = []
  for (const { kind, pattern, bits, isSecret } of secretPatterns) {
    for (const match of text.matchAll(pattern)) {
      const value = match.groups?.['value'] ?? match[0]
      const counts = isSecret === undefined ? looksGenerated(value, bits) : isSecret(value, match.groups ?? {})
      if (counts && !placeholder.test(value)) found.push({ index: match.index, kind })
    }
  }
  found.sort((a, b) => a.index - b.index)
  const secrets: FoundSecret[] = []
  let line = 1
  let read = 0
  for (const { index, kind } of found) {
    for (; read < index; read += 1) if (text.charCodeAt(read) === 10) line += 1
    if (!secrets.some((secret) => secret.line === line && secret.kind === kind)) secrets.push({ line, kind })
  }
  return secrets
}
