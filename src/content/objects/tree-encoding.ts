import type { TreeEntry } from './objects.ts'

/** A tree as Git keeps it: mode, name and raw id of each entry. @param entries in Git’s order */
export function encodeTree(entries: readonly TreeEntry[]): Buffer {
  return Buffer.concat(
    entries.flatMap(({ mode, name, oid }) => [Buffer.from(`${mode} ${name}\0`, 'utf8'), Buffer.from(oid, 'hex')]),
  )
}
