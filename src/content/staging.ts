import { promisify } from 'node:util'
import { deflate, deflateSync } from 'node:zlib'
import { readObject, writeCommit, writeTree, type TreeEntry as IsoTreeEntry } from 'isomorphic-git'
import { Volume, createFsFromVolume } from 'memfs'
import { service } from './author.ts'
import { directoryMode, type ObjectType, type TreeEntry } from './objects.ts'
import type { ObjectSource } from './object-writer.ts'
import type { Author, Oid } from './repository.ts'

const deflateInPool = promisify(deflate)
const gitdir = '/staging'
/** Below this size the thread pool costs more than the compression. */
const inlineBytes = 64 * 1024

/**
 * New objects of one change, in memory, until they are written at once. Trees and commits are encoded by isomorphic-git
 * into a memfs volume that has no refs and is not the repository, so that nothing it does can touch either. Blobs are
 * kept as they came: they are many, and Node hashes them a hundred times faster.
 */
export class Staging implements ObjectSource {
  readonly #fs = createFsFromVolume(Volume.fromJSON({}, gitdir))
  readonly #blobs = new Map<Oid, Uint8Array>()
  readonly #encoded = new Map<Oid, ObjectType>()

  get oids(): Oid[] {
    return [...this.#blobs.keys(), ...this.#encoded.keys()]
  }

  addBlob(oid: Oid, content: Uint8Array): void {
    this.#blobs.set(oid, content)
  }

  async addTree(entries: readonly TreeEntry[]): Promise<Oid> {
    const tree = entries.map(({ name, mode, oid }): IsoTreeEntry =>
      mode === directoryMode
        ? { path: name, oid, mode: '040000', type: 'tree' }
        : { path: name, oid, mode, type: 'blob' },
    )
    const oid = await writeTree({ fs: this.#fs, gitdir, tree })
    this.#encoded.set(oid, 'tree')
    return oid
  }

  /** @param author checked already. @param at becomes both dates, in whole seconds, UTC. */
  async addCommit(commit: {
    tree: Oid
    parents: readonly Oid[]
    author: Author
    message: string
    at: Date
  }): Promise<Oid> {
    const when = { timestamp: Math.floor(commit.at.getTime() / 1000), timezoneOffset: 0 }
    const oid = await writeCommit({
      fs: this.#fs,
      gitdir,
      commit: {
        tree: commit.tree,
        parent: [...commit.parents],
        author: { name: commit.author.name, email: commit.author.email, ...when },
        committer: { ...service, ...when },
        message: commit.message,
      },
    })
    this.#encoded.set(oid, 'commit')
    return oid
  }

  async object(oid: Oid): Promise<{ type: ObjectType; body: Uint8Array }> {
    const blob = this.#blobs.get(oid)
    if (blob) return { type: 'blob', body: blob }
    const read = await readObject({ fs: this.#fs, gitdir, oid, format: 'content' })
    if (read.format !== 'content') throw new Error(`isomorphic-git read ${oid} as ${read.format}`)
    return { type: read.type, body: read.object }
  }

  async looseFile(oid: Oid): Promise<Uint8Array> {
    const blob = this.#blobs.get(oid)
    if (!blob) return this.#fs.promises.readFile(`${gitdir}/objects/${looseName(oid)}`)
    const wrapped = Buffer.concat([Buffer.from(`blob ${blob.length}\0`), blob])
    return compress(wrapped)
  }
}

/** zlib, on this thread for small input and in the thread pool for large. */
export function compress(bytes: Uint8Array): Uint8Array | Promise<Uint8Array> {
  return bytes.length <= inlineBytes ? deflateSync(bytes) : deflateInPool(bytes)
}

export function looseName(oid: Oid): string {
  return `${oid.slice(0, 2)}/${oid.slice(2)}`
}
