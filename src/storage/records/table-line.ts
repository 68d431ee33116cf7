import type { Position, Segment } from './segment-files.ts'

const tab = 0x09

/** A change as a line has it. `seq` says in which order the keys came; `body` is how many bytes of the line it takes. */
export type Operation<H> =
  | { readonly seq: number; readonly key: string; readonly head: H; readonly body?: number }
  | { readonly delete: string }

/** Where a line begins. */
export interface LineLocation {
  readonly segment: Segment
  readonly offset: number
}

/** Calls back for each operation of a line with the place of its body: a table of many records is opened this way. */
export function eachOperation<H>(
  operations: readonly Operation<H>[],
  { line: { segment, offset }, headBytes }: { readonly line: LineLocation; readonly headBytes: number },
  take: (operation: Operation<H>, position: Position | undefined) => void,
): void {
  let at = offset + headBytes + 1
  for (const operation of operations) {
    const length = 'delete' in operation ? undefined : operation.body
    take(operation, length === undefined ? undefined : { segment, offset: at, length })
    if (length !== undefined) at += length + 1
  }
}

/** Null for what is no line of a table. @param whole looks at the bodies, too. */
export function parseLine<H>(
  bytes: Buffer,
  { start, end }: { readonly start: number; readonly end: number },
  whole: boolean,
): { readonly operations: readonly Operation<H>[]; readonly headBytes: number } | null {
  // Not in all that follows: most lines of some files have no body.
  const found = bytes.subarray(start, end).indexOf(tab)
  const headEnd = found === -1 ? end : start + found
  try {
    const operations = JSON.parse(bytes.toString('utf8', start, headEnd)) as readonly Operation<H>[]
    if (!Array.isArray(operations)) return null
    if (whole && headEnd < end)
      for (const body of bytes.toString('utf8', headEnd + 1, end).split('\t')) JSON.parse(body)
    return { operations, headBytes: headEnd - start }
  } catch {
    return null
  }
}
