import { isUtf8 } from 'node:buffer'
import { limits } from '../../contract/limits.ts'
import { PageProblem } from './problem.ts'
import { findExcess } from './scan.ts'

/** The first line of the bytes that is not valid UTF-8, 1-based. */
function lineOfInvalid(bytes: Uint8Array): number {
  let line = 1
  let start = 0
  while (start < bytes.length) {
    const found = bytes.indexOf(10, start)
    const end = found === -1 ? bytes.length : found
    if (!isUtf8(bytes.subarray(start, end))) return line
    start = end + 1
    line++
  }
  return line
}

/**
 * Bytes of a page → text, or a `PageProblem` where it is too large, not UTF-8, or shaped to wear out a parser.
 * Linear in the size; runs before any parser sees the text. A byte order mark is dropped; NUL, which HTML cannot hold,
 * becomes U+FFFD (CommonMark, 2.3).
 */
export function readSource(path: string, bytes: Uint8Array): string {
  if (bytes.length > limits.pageBytes) {
    const size = (bytes.length / 1024).toFixed(0)
    throw new PageProblem({
      path,
      message: `The page is ${size} KiB; a page may have at most ${limits.pageBytes / 1024} KiB. Split it into several pages.`,
    })
  }
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    throw new PageProblem({ path, line: 1, column: 1, message: 'The file is UTF-16. Save it as UTF-8.' })
  }
  if (!isUtf8(bytes)) {
    const line = lineOfInvalid(bytes)
    throw new PageProblem({ path, line, message: `Line ${line} is not valid UTF-8. Save the file as UTF-8.` })
  }
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .replaceAll('\0', '\uFFFD')
  const excess = findExcess(text, !path.toLowerCase().endsWith('.md'))
  if (excess !== undefined) throw new PageProblem({ path, ...excess })
  return text
}
