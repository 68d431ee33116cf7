import { ObjectNotFound, type Commit, type Oid } from '../repository.ts'

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag'

export interface GitObject {
  readonly type: ObjectType
  /** Empty where only the header was asked for. */
  readonly body: Buffer
  /** Bytes of the content. */
  readonly size: number
}

/** New objects that are to be written. */
export interface ObjectSource {
  /** Type and content, for a pack. */
  object(oid: Oid): Promise<{ readonly type: ObjectType; readonly body: Uint8Array }>
  /** The compressed file of a loose object, as it lies in `objects/`. */
  looseFile(oid: Oid): Promise<Uint8Array>
}

/** Where the objects of one repository are: on disk beside its refs, or in memory. */
export interface ObjectDatabase {
  /** The object, or null when the repository lacks it. */
  read(oid: Oid): Promise<GitObject | null>
  /** The type of an object, or null when the repository lacks it. */
  type(oid: Oid): Promise<ObjectType | null>
  /** Bytes of a blob, or null when the repository lacks it. */
  blobSize(oid: Oid): Promise<number | null>
  /** Brings new objects into the repository; durable on return. */
  write(source: ObjectSource, oids: readonly Oid[]): Promise<void>
}

/** One line of a tree object. `mode` as Git writes it: `100644`, `40000`, `120000`, … */
export interface TreeEntry {
  readonly name: string
  readonly mode: string
  readonly oid: Oid
}

export const directoryMode = '40000'
/** Of a symbolic link: its blob says where it leads. */
export const linkMode = '120000' as const

const maxMessageBytes = 64 * 1024
/** 9999-12-31T23:59:59Z */
const lastSecond = 253_402_300_799

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

/** A tree as Git keeps it: mode, name and raw id of each entry. @param entries in Git’s order */
export function encodeTree(entries: readonly TreeEntry[]): Buffer {
  // One buffer, as a folder may have 20,000 entries: two small ones of each take ten times as long.
  const size = entries.reduce((sum, { mode, name }) => sum + mode.length + Buffer.byteLength(name) + 22, 0)
  const body = Buffer.alloc(size)
  let at = 0
  for (const { mode, name, oid } of entries) {
    at += body.write(`${mode} ${name}\0`, at)
    at += body.write(oid, at, 'hex')
  }
  return body
}

/**
 * https://git-scm.com/book/en/v2/Git-Internals-Git-Objects#_git_commit_objects. What people wrote is read in the commit's
 * own encoding; of a message longer than 64 KB its beginning, because commits stay in memory.
 *
 * @throws ObjectNotFound for what is no commit.
 */
export function parseCommit(oid: Oid, body: Buffer): Commit {
  const split = body.indexOf('\n\n')
  const head = split < 0 ? body : body.subarray(0, split)
  const text = head.toString('latin1')
  const header = (name: string) =>
    text
      .split('\n')
      .filter((line) => line.startsWith(name + ' '))
      .map((line) => line.slice(name.length + 1))
  const [encoding = 'utf-8'] = header('encoding')
  const author = /^(.*?) ?<([^>]*)>/.exec(decode(Buffer.from(header('author')[0] ?? '', 'latin1'), encoding))
  const seconds = / (\d+) [+-]\d{4}$/.exec(header('committer')[0] ?? '')?.[1]
  const tree = header('tree')[0]
  if (tree === undefined || author === null || seconds === undefined)
    throw new ObjectNotFound(`commit ${oid} cannot be read`)
  return {
    oid,
    tree,
    parents: header('parent'),
    author: { name: author[1] ?? '', email: author[2] ?? '' },
    message: split < 0 ? '' : decode(body.subarray(split + 2, split + 2 + maxMessageBytes), encoding),
    // Git takes any number of seconds; beyond these no timestamp of RFC 3339 goes.
    committedAt: new Date(Math.min(Number(seconds), lastSecond) * 1000).toISOString(),
  }
}

/** What an annotated tag names; any other object is itself. @throws ObjectNotFound */
export async function taggedBy(objects: Pick<ObjectDatabase, 'read'>, oid: Oid): Promise<Oid> {
  const object = await objects.read(oid)
  if (object === null) throw new ObjectNotFound(`object ${oid}`)
  if (object.type !== 'tag') return oid
  const named = /^object ([0-9a-f]{40})\n/.exec(object.body.toString('latin1', 0, 48))?.[1]
  if (named === undefined) throw new ObjectNotFound(`tag ${oid} cannot be read`)
  return named
}

/** Text in an encoding that a client named. One that nobody knows is taken for UTF-8, as Git does. */
function decode(bytes: Uint8Array, encoding: string): string {
  // As a stream: bytes that are cut off in the middle of a character do not become a wrong one.
  return decoderOf(encoding).decode(bytes, { stream: true })
}

function decoderOf(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding)
  } catch (error) {
    if (error instanceof RangeError) return new TextDecoder()
    throw error
  }
}
