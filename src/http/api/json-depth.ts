import { Failure } from '../../contract/failure.ts'

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
