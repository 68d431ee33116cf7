import { readdirSync, statSync, type Stats } from 'node:fs'
import { mkdir, open, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import pLimit from 'p-limit'
import type { Sha256 } from '../../contract/release.ts'
import { sha256 } from '../../lib/digest.ts'
import { hasCode, isMissing, nullIfMissing, syncDirectory } from '../../lib/disk.ts'
import { diskFileSystem, isTemporary, replaceFile } from '../../lib/durable-file.ts'
import { encodePack, nullIfShort, readFully, readPackIndex, type PackEntry } from './pack-format.ts'

/** Where common blobs lie, below the data directory. */
export const commonFolder = '.common'
const fileName = /^[0-9a-f]{64}\.pack$/
/** What a file system answers that gives a file one name only. */
const refusals = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']

/** Whether a file in the folder is one of a common blob. */
export function isCommonFile(name: string): boolean {
  return fileName.test(name)
}

/** The same for all names of a file, and no other file's: an inode is given away again, but the time differs then. */
export function identityOf({ dev, ino, mtimeMs }: Pick<Stats, 'dev' | 'ino' | 'mtimeMs'>): string {
  return `${dev} ${ino} ${mtimeMs}`
}

/**
 * Blobs that many projects publish, such as the files of the theme. Each is one pack below the data directory,
 * `.common/<blob>.pack`, and a project that publishes it has a second name of that file among its packs: a hard link. So
 * whose it is is counted by the file system, in the same step in which a project gets it or lets it go, and a project's
 * folder is whole by itself. A file that only the folder names is nobody's.
 */
export class CommonBlobs {
  readonly #directory: string
  readonly #blobs: ReadonlyMap<Sha256, Uint8Array>
  /** Blobs by the identity of their files. */
  readonly #files = new Map<string, Sha256>()
  /** Those whose file has been read since this process began, or written by it. */
  readonly #sound = new Set<Sha256>()
  /** No file is swept between a look at it and its next name. */
  readonly #turn = pLimit(1)

  /** @param blobs those that this version of the service gives its projects. */
  constructor(dataDirectory: string, blobs: ReadonlyMap<Sha256, Uint8Array>) {
    this.#directory = join(dataDirectory, commonFolder)
    this.#blobs = blobs
    for (const name of namesIn(this.#directory)) {
      if (isCommonFile(name)) this.#files.set(identityOf(statSync(join(this.#directory, name))), blobOf(name))
    }
  }

  /** Names of the blobs that are kept once from now on. */
  names(): Iterable<Sha256> {
    return this.#blobs.keys()
  }

  /** Whether a file is that of a common blob, by whichever name. */
  has(file: Stats): boolean {
    return this.#files.has(identityOf(file))
  }

  isCommon(blob: Sha256): boolean {
    return this.#blobs.has(blob)
  }

  /**
   * Gives the file of a blob a second name; durable once the directory of that is flushed. Null for a blob that is not
   * common, and on a file system that gives a file one name only: it is then kept as any other.
   */
  async link(blob: Sha256, path: string): Promise<{ entries: readonly PackEntry[]; bytes: number } | null> {
    const content = this.#blobs.get(blob)
    if (content === undefined) return null
    return this.#turn(async () => {
      const file = this.#fileOf(blob)
      if (!this.#sound.has(blob) && !(await isSound(file, blob))) {
        // Projects that have the damaged one get another one with their next collection.
        for (const [identity, other] of this.#files) if (other === blob) this.#files.delete(identity)
        await this.#write(blob, content)
      }
      this.#sound.add(blob)
      try {
        await diskFileSystem.link(file, path)
      } catch (error) {
        if (refusals.some((code) => hasCode(error, code))) return null
        // Somebody has removed it; or it has as many names as a file may have: another one takes those that come.
        if (!isMissing(error) && !hasCode(error, 'EMLINK')) throw error
        await this.#write(blob, content)
        await diskFileSystem.link(file, path)
      }
      const { entries, bytes } = encodePack(new Map([[blob, content]]))
      return { entries, bytes }
    })
  }

  /** Its file is read before it gets another name: what was read of it was not the blob. */
  doubt(blob: Sha256): void {
    this.#sound.delete(blob)
  }

  /** Removes the files that no project has. Returns their bytes. */
  sweep(): Promise<number> {
    return this.#turn(async () => {
      let bytes = 0
      for (const name of namesIn(this.#directory)) {
        const path = join(this.#directory, name)
        const found = await stat(path).catch(nullIfMissing)
        if (found === null || !(isTemporary(name) || (isCommonFile(name) && found.nlink === 1))) continue
        this.#files.delete(identityOf(found))
        this.#sound.delete(blobOf(name))
        await unlink(path)
        bytes += found.size
      }
      return bytes
    })
  }

  async #write(blob: Sha256, content: Uint8Array): Promise<void> {
    if ((await mkdir(this.#directory, { recursive: true, mode: 0o700 })) !== undefined)
      await syncDirectory(dirname(this.#directory))
    const path = this.#fileOf(blob)
    await replaceFile(diskFileSystem, path, encodePack(new Map([[blob, content]])).parts)
    this.#files.set(identityOf(await stat(path)), blob)
  }

  #fileOf(blob: Sha256): string {
    return join(this.#directory, `${blob}.pack`)
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

function blobOf(name: string): Sha256 {
  return basename(name, '.pack')
}

/** Whether a pack has the blob, as it was. */
async function isSound(path: string, blob: Sha256): Promise<boolean> {
  const handle = await open(path, 'r').catch(nullIfMissing)
  if (handle === null) return false
  try {
    const entry = (await readPackIndex(handle))?.entries.find((one) => one.blob === blob)
    if (entry === undefined) return false
    const bytes = await readFully(handle, entry.offset, entry.length).catch(nullIfShort)
    return bytes !== null && sha256(bytes) === blob
  } finally {
    await handle.close()
  }
}
