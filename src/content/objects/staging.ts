import { createHash } from 'node:crypto'
import { readObject, writeCommit } from 'isomorphic-git'
import { Volume, createFsFromVolume } from 'memfs'
import type { Author, Oid } from '../repository.ts'
import { committer } from './commits.ts'
import { compress, looseName } from './object-writer.ts'
import { encodeTree, type ObjectSource, type ObjectType, type TreeEntry } from './objects.ts'

const gitdir = '/staging'

/**
 * New objects of one change, in memory, until they are written at once. Commits are encoded by isomorphic-git into a
 * memfs volume that has no refs and is not the repository, so that nothing it does can touch either. Blobs are kept as
 * they came and trees encoded here: they are many, and Node hashes them a hundred times faster.
 */
export class Staging implements ObjectSource {
  readonly #fs = createFsFromVolume(Volume.fromJSON({}, gitdir))
  readonly #plain = new Map<Oid, { type: 'blob' | 'tree'; body: Uint8Array }>()
  readonly #commits = new Set<Oid>()

  get oids(): Oid[] {
    return [...this.#plain.keys(), ...this.#commits]
  }

  addBlob(oid: Oid, content: Uint8Array): void {
    this.#plain.set(oid, { type: 'blob', body: content })
  }

  /** @param entries in Git’s order */
  addTree(entries: readonly TreeEntry[]): Oid {
    const body = encodeTree(entries)
    const oid = createHash('sha1').update(`tree ${body.length}\0`).update(body).digest('hex')
    this.#plain.set(oid, { type: 'tree', body })
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
        committer: { ...committer, ...when },
        message: commit.message,
      },
    })
    this.#commits.add(oid)
    return oid
  }

  async object(oid: Oid): Promise<{ type: ObjectType; body: Uint8Array }> {
    const plain = this.#plain.get(oid)
    if (plain) return plain
    const read = await readObject({ fs: this.#fs, gitdir, oid, format: 'content' })
    if (read.format !== 'content') throw new Error(`isomorphic-git read ${oid} as ${read.format}`)
    return { type: read.type, body: read.object }
  }

  async looseFile(oid: Oid): Promise<Uint8Array> {
    const plain = this.#plain.get(oid)
    if (!plain) return this.#fs.promises.readFile(`${gitdir}/objects/${looseName(oid)}`)
    const { type, body } = plain
    return compress(Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body]))
  }
}
