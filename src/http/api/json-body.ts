import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createScanner } from 'jsonc-parser'
import { Failure } from '../../contract/failure.ts'
import { limits } from '../../contract/limits.ts'

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
const searchedUnits = 1 << 20

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/**
 * Refuses JSON that nests deeper than `max` arrays and objects, before anything is parsed: a parser takes a hundred times
 * the memory of what it is sent for brackets alone. Reads each byte once; what is not JSON is the parser’s to find.
 */
export function assertShallow(json: Buffer, max: number): void {
  let depth = 0
  let inString = false
  for (let index = 0; index < json.length; index++) {
    const byte = json[index]
    if (inString) {
      if (byte === backslash) index++
      else if (byte === quote) inString = false
    } else if (byte === quote) inString = true
    else if (byte === openBracket || byte === openBrace) {
      if (++depth > max) throw tooDeep(index, max)
    } else if (byte === closeBracket || byte === closeBrace) depth--
  }
}

function tooDeep(offset: number, max: number): Failure {
  return new Failure(
    'invalid_request',
    `The body nests more than ${max} arrays and objects in one another, first at byte ${offset + 1}.`,
    { hint: 'No request needs that: see /api/docs for what it takes here.' },
  )
}

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
export function findJsonError(whole: string): JsonSyntaxError | 'beyond' | null {
  const text = whole.slice(0, searchedUnits)
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
    if (after === null) return errorAt(text, scanner.getTokenOffset(), expected)
    expected = after
  }
}

function errorAt(text: string, offset: number, expected: Expected): JsonSyntaxError {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n'), expected }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** `performance.now()` when the last byte of the body had come; 0 without a body. */
    receivedAt: number
    /** SHA-256 of the body, where the request has an Idempotency-Key. */
    bodyHash: string | null
  }
}

function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) {
    throw new Failure('invalid_request', 'The body is not UTF-8.', {
      hint: 'Send JSON in UTF-8, and binary content as Base64.',
    })
  }
  assertShallow(body, limits.jsonDepth)
  const text = body.toString('utf8')
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    const found = findJsonError(text)
    if (found === null) throw error
    if (found === 'beyond') {
      throw new Failure('invalid_request', 'The body is not JSON: it goes wrong somewhere after the first 1 MB.', {
        hint: 'Was it cut off, or put together by hand? Let a JSON library write it.',
      })
    }
    const { line, column, expected } = found
    const message = `${expected} was expected`
    throw new Failure('invalid_request', `The body is not JSON: in line ${line}, column ${column}, ${message}.`, {
      errors: [{ line, column, message }],
    })
  }
}

function parse(request: FastifyRequest, body: Buffer, done: (error: Error | null, body?: unknown) => void): void {
  request.receivedAt = performance.now()
  if (request.headers['idempotency-key'] !== undefined) {
    request.bodyHash = createHash('sha256').update(body).digest('hex')
  }
  let value: unknown
  try {
    value = body.length === 0 ? undefined : parseJson(body)
  } catch (error) {
    done(error as Error)
    return
  }
  done(null, value)
}

/** Takes JSON bodies only. The bytes are parsed once and not kept. */
export function useJsonBodies(app: FastifyInstance): void {
  app.decorateRequest('receivedAt', 0)
  app.decorateRequest('bodyHash', null)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(/^application\/(?:[\w.-]+\+)?json(?:\s*;|$)/i, { parseAs: 'buffer' }, parse)
}
