import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import { removeTree, syncDirectory, syncFile } from '../../lib/disk.ts'
import { isTurnOver, nextTurn } from '../../lib/slices.ts'
import type { Git } from '../git/git.ts'
import { isOid, type Oid } from '../repository.ts'
import { looseName, writeObjects } from './object-writer.ts'
import type { ObjectSource, ObjectType } from './objects.ts'

const inflateInPool = promisify(inflate)

/** Git’s own name for such a folder: its `prune` clears what is forgotten. */
export const quarantinePrefix = 'tmp_objdir-'

/**
 * Where objects stay until they are accepted, those of a push or of a merge: a folder on the repository’s own file
 * system, which git reads together with the repository, and of which the repository knows nothing.
 * https://git-scm.com/docs/git-receive-pack#_quarantine_environment
 */
export class Quarantine {
  readonly #objects: string
  /** Stands in for the repository’s `objects`. */
  readonly folder: string
  /** Git that writes into the quarantine and reads both. */
  readonly git: Git

  /** @param folder has to exist; `open` makes one. */
  constructor(git: Git, objects: string, folder: string) {
    this.#objects = objects
    this.folder = folder
    this.git = git.with({ GIT_OBJECT_DIRECTORY: folder, GIT_ALTERNATE_OBJECT_DIRECTORIES: listed(objects) })
  }

  /** @param directory the bare repository. */
  static async open(git: Git, directory: string): Promise<Quarantine> {
    const objects = join(directory, 'objects')
    const folder = join(objects, `${quarantinePrefix}push-${randomBytes(8).toString('hex')}`)
    await mkdir(join(folder, 'pack'), { recursive: true })
    return new Quarantine(git, objects, folder)
  }

  /** Ids of all objects in quarantine. */
  async objects(): Promise<Oid[]> {
    const names = await readdir(join(this.folder, 'pack'))
    const indexes = names.filter((name) => name.endsWith('.idx'))
    const lists = await Promise.all(indexes.map(async (name) => parseIndex(await readFile(this.#path(name)))))
    return lists.flat()
  }

  /**
   * Lets the objects into the repository, durable on return. A crash leaves whole packs, nothing, or a pack without its
   * index: whoever opens or collects the repository next makes it whole (`leftovers.ts`).
   */
  async migrate(): Promise<void> {
    const names = await readdir(join(this.folder, 'pack'))
    // As git does it: readers look for indexes, and each has to find its pack.
    const files = names
      .filter((name) => /^pack-[0-9a-f]{40}\.(?:pack|rev|idx)$/.test(name))
      .sort((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')))
    for (const name of files) await syncFile(this.#path(name))
    for (const name of files) await rename(this.#path(name), join(this.#objects, 'pack', name))
    await syncDirectory(join(this.#objects, 'pack'))
  }

  /** Removes what is left; the repository never saw it. */
  async remove(): Promise<void> {
    await removeTree(this.folder)
  }

  #path(name: string): string {
    return join(this.folder, 'pack', name)
  }
}

/** The variable holds a list: a colon in a path would end it, unless the path is quoted. */
function listed(path: string): string {
  return /[":]/.test(path) ? `"${path.replace(/["\\]/g, '\\$&')}"` : path
}

/** The object ids of a pack index, version 2: https://git-scm.com/docs/gitformat-pack */
function parseIndex(bytes: Buffer): Oid[] {
  const names = 8 + 256 * 4
  if (bytes.readUInt32BE(0) !== 0xff744f63 || bytes.readUInt32BE(4) !== 2)
    throw new Error('not a pack index, version 2')
  return Array.from({ length: bytes.readUInt32BE(names - 4) }, (_, index) =>
    bytes.toString('hex', names + index * 20, names + index * 20 + 20),
  )
}

/**
 * Runs git commands that write loose objects, and brings these into the repository afterwards. Not every command fsyncs
 * what it writes, and none the directories; and gc removes folders of `objects/` that are empty, also those of a writer.
 *
 * @param work gets the git to run.
 * @returns what `work` returned, once the objects are durable.
 */
export async function keepingObjects<T>(git: Git, directory: string, work: (git: Git) => Promise<T>): Promise<T> {
  const quarantine = await Quarantine.open(git, directory)
  try {
    const result = await work(quarantine.git)
    await writeObjects(git, directory, new LooseObjects(quarantine.folder), await looseOids(quarantine.folder))
    return result
  } finally {
    await quarantine.remove()
  }
}

class LooseObjects implements ObjectSource {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
  }

  looseFile(oid: Oid): Promise<Uint8Array> {
    return readFile(join(this.#directory, looseName(oid)))
  }

  async object(oid: Oid): Promise<{ type: ObjectType; body: Uint8Array }> {
    const bytes = await inflateInPool(await this.looseFile(oid))
    const type = bytes.toString('latin1', 0, bytes.indexOf(0x20)) as ObjectType
    return { type, body: bytes.subarray(bytes.indexOf(0) + 1) }
  }
}

async function looseOids(directory: string): Promise<Oid[]> {
  const oids: Oid[] = []
  // Not `recursive`, which asks of each file in turn whether it is a folder, without a pause.
  for (const folder of await readdir(directory)) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue
    if (isTurnOver()) await nextTurn()
    for (const name of await readdir(join(directory, folder))) if (isOid(folder + name)) oids.push(folder + name)
  }
  return oids
}
