import { createHash } from 'node:crypto'
import { ObjectNotFound, type Commit, type Oid } from './repository.ts'

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag'

export interface GitObject {
  readonly type: ObjectType
  /** Empty where only the header was asked for. */
  readonly body: Buffer
  /** Bytes of the content. */
  readonly size: number
}

/** One line of a tree object. `mode` as Git writes it: `100644`, `40000`, `120000`, … */
export interface TreeEntry {
  readonly name: string
  readonly mode: string
  readonly oid: Oid
}

export const directoryMode = '40000'

export function isOid(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text)
}

/** The id that Git gives to a blob. */
export function blobOid(content: Uint8Array): Oid {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex')
}

/** https://git-scm.com/book/en/v2/Git-Internals-Git-Objects#_tree_objects. A name that is not UTF-8 becomes ''. */
export function parseTree(body: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = []
  for (let at = 0; at < body.length;) {
    const space = body.indexOf(0x20, at)
    const end = body.indexOf(0, space)
    if (space < 0 || end < 0 || end + 21 > body.length) throw new ObjectNotFound('a tree object is cut short')
    const name = body.toString('utf8', space + 1, end)
    const valid = !name.includes('\ufffd') || Buffer.from(name).equals(body.subarray(space + 1, end))
    entries.push({
      mode: body.toString('latin1', at, space),
      name: valid ? name : '',
      oid: body.toString('hex', end + 1, end + 21),
    })
    at = end + 21
  }
  return entries
}

export function parseCommit(oid: Oid, body: Buffer): Commit {
  const text = body.toString()
  const split = text.indexOf('\n\n')
  const headers = (split < 0 ? text : text.slice(0, split)).split('\n')
  const header = (name: string) =>
    headers.filter((line) => line.startsWith(name + ' ')).map((line) => line.slice(name.length + 1))
  const author = /^(.*?) ?<([^>]*)>/.exec(header('author')[0] ?? '')
  const seconds = / (\d+) [+-]\d{4}$/.exec(header('committer')[0] ?? '')?.[1]
  const tree = header('tree')[0]
  if (tree === undefined || author === null || seconds === undefined)
    throw new ObjectNotFound(`commit ${oid} cannot be read`)
  return {
    oid,
    tree,
    parents: header('parent'),
    author: { name: author[1] ?? '', email: author[2] ?? '' },
    message: split < 0 ? '' : text.slice(split + 2),
    committedAt: new Date(Number(seconds) * 1000).toISOString(),
  }
}
