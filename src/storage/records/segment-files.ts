import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { nullIfMissing } from '../../lib/disk.ts'
import { isTemporary, removeFile, type FileSystem } from '../../lib/durable-file.ts'
import { openLine } from '../checksum.ts'
import type { ClaimsBelow } from '../inventory.ts'

/** Where bytes lie: in which file, from where on, how many. */
export interface Position {
  readonly segment: Segment
  readonly offset: number
  readonly length: number
}

/** A file of lines that is on disk for good as far as its size says. */
export interface Segment {
  /** Grows from segment to segment. */
  readonly number: number
  readonly path: string
  /** Bytes of whole, acknowledged lines. */
  size: number
}

export const lineEnd = 0x0a
const segmentName = /^(\d{8,15})(?:-(\d{1,9}))?\.jsonl$/

/** The first file of that number. */
export function segmentPath(directory: string, number: number): string {
  return join(directory, `${String(number).padStart(8, '0')}.jsonl`)
}

/** Oldest first. Takes away what a killed process was writing, and the former version of what it had written anew. */
export async function findSegments(
  directory: string,
  {
    fs,
    inventory,
    readOnly = false,
  }: { readonly fs: FileSystem; readonly inventory?: ClaimsBelow | undefined; readonly readOnly?: boolean },
): Promise<Segment[]> {
  const found = new Map<number, { name: string; version: number }>()
  const leftover: string[] = []
  for (const name of (await readdir(directory).catch(nullIfMissing)) ?? []) {
    if (isTemporary(name)) leftover.push(name)
    const [, digits, versionDigits = '0'] = segmentName.exec(name) ?? []
    if (digits === undefined) continue
    const [number, version] = [Number(digits), Number(versionDigits)]
    const other = found.get(number)
    if (other !== undefined) leftover.push(other.version < version ? other.name : name)
    if (other === undefined || other.version < version) found.set(number, { name, version })
  }
  if (!readOnly) {
    await inventory?.claims.forget(leftover.map((name) => inventory.prefix + name))
    for (const name of leftover) await removeFile(fs, join(directory, name))
  }
  const numbers = [...found.keys()].sort((a, b) => a - b)
  return Promise.all(
    numbers.map(async (number) => {
      const path = join(directory, found.get(number)?.name ?? '')
      return { number, path, size: (await stat(path)).size }
    }),
  )
}

/** The same, written anew. */
export function nextPath(path: string): string {
  const [, number = '', version = '0'] = /(\d+)(?:-(\d+))?\.jsonl$/.exec(path) ?? []
  return join(dirname(path), `${number}-${Number(version) + 1}.jsonl`)
}

/**
 * Whole lines, oldest first: where each begins, where it ends without its seal and line end, and whether it is not what
 * was written. Lines of before there were checksums have no seal.
 */
export function* linesOf(
  bytes: Buffer,
): Generator<{ readonly start: number; readonly end: number; readonly damaged: boolean }> {
  let start = 0
  for (let end = bytes.indexOf(lineEnd); end !== -1; end = bytes.indexOf(lineEnd, start)) {
    const { soundness, length } = openLine(bytes.subarray(start, end))
    yield { start, end: start + length, damaged: soundness === 'damaged' }
    start = end + 1
  }
}

/** For good. */
export async function cut(fs: FileSystem, path: string, size: number): Promise<void> {
  const file = await fs.open(path, 'a', 0o600)
  try {
    await file.truncate(size)
    await file.sync()
  } finally {
    await file.close()
  }
}
