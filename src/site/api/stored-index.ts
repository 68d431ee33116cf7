import { Compile } from 'typebox/compile'
import type { Steps } from '../../lib/slices.ts'
import { type DescriptionIndex, Entry, IndexHead, Part } from './form.ts'

const isHead = Compile(IndexHead)
const isEntry = Compile(Entry)
const isPart = Compile(Part)

/** An index as lines of JSON, so that it is read in small steps: its head, then each entry, then each part. */
export function writeIndex({ entries, parts, ...rest }: DescriptionIndex): string {
  const head: IndexHead = { ...rest, entries: entries.length, parts: parts.length }
  return [head, ...entries, ...parts].map((each) => `${JSON.stringify(each)}\n`).join('')
}

/**
 * Reads such lines: what stands there may be the work of a child that has read the text of strangers.
 * @param at where they begin @returns where they end, too; undefined where these are no such lines
 */
export function* readIndex(
  bytes: Buffer,
  at: number,
): Steps<{ readonly index: DescriptionIndex; readonly end: number } | undefined> {
  let end = at
  const next = (): unknown => {
    const start = end
    end = bytes.indexOf('\n', start) + 1
    try {
      return end === 0 ? undefined : JSON.parse(bytes.toString('utf8', start, end))
    } catch {
      return undefined
    }
  }
  const head = next()
  if (!isHead.Check(head)) return undefined
  const entries: Entry[] = []
  const parts: Part[] = []
  while (entries.length < head.entries) {
    yield
    const entry = next()
    if (!isEntry.Check(entry)) return undefined
    entries.push(entry)
  }
  while (parts.length < head.parts) {
    yield
    const part = next()
    if (!isPart.Check(part)) return undefined
    parts.push(part)
  }
  const { title, tags, warnings } = head
  return { index: { title, tags, warnings, entries, parts }, end }
}
