import { isSlug } from '../../contract/patterns.ts'
import { isCommonFile } from '../../storage/blobs/common.ts'
import { isServiceFile } from '../../storage/directory/data-directory.ts'

/**
 * A backup is a gzipped tar:
 *
 *     quire-backup.json                 format, version of Quire, when it was begun
 *     common/<sha256>.pack              files that many projects publish, each once; since format 2
 *     common/SHA256SUMS
 *     projects/<id>/document.json       the project's document
 *     projects/<id>/refs                all refs, hidden ones included: `<oid> <ref>` a line
 *     projects/<id>/objects/000000 …    one Git pack of all that the refs reach, cut in parts
 *     projects/<id>/files/…             releases, blobs, reports, records: as below the data directory's `<id>/`
 *     projects/<id>/common              names for common files below the data directory's `<id>/`: `<file> <name>` a line
 *     projects/<id>/SHA256SUMS          digests of all entries of the project; comes last of them
 *     projects/<id>/removed             in its place: the project was removed meanwhile, and is to be left out
 *     service/…                         documents that are no project's, and the count of starts
 *     service/SHA256SUMS
 *     SHA256SUMS                        digests of quire-backup.json and of the other lists; the last entry
 *
 * A list names the entries in their order, so a cut, a change and an entry too many are all noticed; no list grows with
 * the number of projects but the last. After unpacking with tar, `sha256sum -c` reads them.
 */
export const format = 2

export interface Header {
  readonly format: number
  /** Of Quire. */
  readonly version: string
  /** RFC 3339. */
  readonly createdAt: string
}

export const headerName = 'quire-backup.json'
export const digestsName = 'SHA256SUMS'
export const partBytes = 4 << 20

/** What an entry is, by its name; null for a name that no backup has. */
export type Entry =
  | { readonly kind: 'header' | 'sums' | 'common-sums' | 'service-sums' }
  | { readonly kind: 'common'; readonly file: string }
  | { readonly kind: 'service'; readonly file: string }
  | {
      readonly kind: 'document' | 'refs' | 'objects' | 'common-names' | 'project-sums' | 'removed'
      readonly projectId: string
    }
  | { readonly kind: 'file'; readonly projectId: string; readonly path: string }

const pathPattern = /^[A-Za-z0-9_][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_][A-Za-z0-9._-]*)*$/

/** One of a project's common files, and its name below the project's folder. */
export interface CommonName {
  readonly file: string
  readonly path: string
}

export function encodeCommonNames(names: readonly CommonName[]): string {
  return names.map(({ file, path }) => `${file} ${path}\n`).join('')
}

/** Null for a text that no backup has. */
export function parseCommonNames(text: string): readonly CommonName[] | null {
  const names: CommonName[] = []
  for (const line of text.split('\n').slice(0, -1)) {
    const [file = '', path = '', ...more] = line.split(' ')
    if (!isCommonFile(file) || !pathPattern.test(path) || more.length > 0) return null
    names.push({ file, path })
  }
  return names
}

export function parseName(name: string): Entry | null {
  if (name === headerName) return { kind: 'header' }
  if (name === digestsName) return { kind: 'sums' }
  if (name === `service/${digestsName}`) return { kind: 'service-sums' }
  if (name === `common/${digestsName}`) return { kind: 'common-sums' }
  const [root, second = '', ...rest] = name.split('/')
  if (root === 'common' && rest.length === 0) return isCommonFile(second) ? { kind: 'common', file: second } : null
  if (root === 'service' && rest.length === 0) return isServiceFile(second) ? { kind: 'service', file: second } : null
  const projectId = second
  if (root !== 'projects' || !isSlug(projectId)) return null
  const path = rest.slice(1).join('/')
  switch (rest[0]) {
    case 'document.json':
      return rest.length === 1 ? { kind: 'document', projectId } : null
    case 'refs':
    case 'removed':
      return rest.length === 1 ? { kind: rest[0], projectId } : null
    case 'common':
      return rest.length === 1 ? { kind: 'common-names', projectId } : null
    case digestsName:
      return rest.length === 1 ? { kind: 'project-sums', projectId } : null
    case 'objects':
      return /^\d{6}$/.test(path) ? { kind: 'objects', projectId } : null
    case 'files':
      return pathPattern.test(path) ? { kind: 'file', projectId, path } : null
    default:
      return null
  }
}

/** A list of digests as sha256sum(1) writes and checks it: one line an entry, digest first. */
export class Digests {
  readonly #lines: string[] = []

  add(name: string, sha256: string): void {
    this.#lines.push(`${sha256}  ${name}\n`)
  }

  get size(): number {
    return this.#lines.length
  }

  /** The same names with the same digests, in the same order. */
  toString(): string {
    return this.#lines.join('')
  }
}
