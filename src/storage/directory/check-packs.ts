import { createHash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sha256 } from '../../contract/release.ts'
import { nullIfMissing } from '../../lib/disk.ts'
import { identityOf } from '../blobs/common.ts'
import { readFully, readPackIndex, type PackEntry } from '../blobs/pack-format.ts'
import { filesBelow, type FaultReport } from './reading.ts'

/** A large file is hashed piece by piece. */
const chunkBytes = 1 << 20
const removeIt = 'Run quire admin repair with the project, which makes again what releases lack. Then remove the file.'

interface BlobLocation {
  readonly path: string
  readonly offset: number
  readonly length: number
  readonly whole: boolean
}

/** The published files of a project, all of them read and compared with their names. */
export class CheckedPacks {
  readonly #folder: string
  readonly #locations: ReadonlyMap<Sha256, BlobLocation>
  readonly bytes: number

  private constructor(folder: string, locations: ReadonlyMap<Sha256, BlobLocation>, bytes: number) {
    this.#folder = folder
    this.#locations = locations
    this.bytes = bytes
  }

  /**
   * Packs that are not whole are problems; damaged files are, when something names them.
   *
   * @param whole identities of packs that other projects have as well, and that were found whole: they are read once.
   */
  static async read(
    {
      folder,
      packFolder,
      whole,
    }: { readonly folder: string; readonly packFolder: string; readonly whole: Set<string> },
    report: FaultReport,
  ): Promise<CheckedPacks> {
    const locations = new Map<Sha256, BlobLocation>()
    let bytes = 0
    // As the service does: of two packs with the same file the later one counts.
    for (const path of await filesBelow(folder, packFolder)) {
      if (!path.endsWith('.pack')) continue
      const handle = await open(join(folder, path), 'r').catch(nullIfMissing)
      if (handle === null) continue
      try {
        const index = await readPackIndex(handle)
        if (index === null) report.problem(path, 'is cut or its index is damaged: the service ignores it', removeIt)
        const found = await handle.stat()
        const known = whole.has(identityOf(found))
        let damaged = false
        for (const entry of index?.entries ?? []) {
          const isEntryWhole = known || (await isWhole(handle, entry))
          damaged ||= !isEntryWhole
          locations.set(entry.blob, { path, ...entry, whole: isEntryWhole })
          bytes += entry.length
        }
        if (found.nlink > 1 && !damaged) whole.add(identityOf(found))
      } finally {
        await handle.close()
      }
    }
    return new CheckedPacks(folder, locations, bytes)
  }

  get size(): number {
    return this.#locations.size
  }

  /** What is wrong with a file that something names; null when it is there and as it was. */
  fault(blob: Sha256): string | null {
    const location = this.#locations.get(blob)
    if (location === undefined) return 'missing'
    return location.whole ? null : `damaged in ${location.path}`
  }

  /** Damaged files. */
  *damaged(): Generator<readonly [blob: Sha256, path: string]> {
    for (const [blob, { path, whole }] of this.#locations) if (!whole) yield [blob, path]
  }

  /** Null for a file that is missing or damaged. */
  async text(blob: Sha256): Promise<string | null> {
    const location = this.#locations.get(blob)
    if (location === undefined || !location.whole) return null
    const handle = await open(join(this.#folder, location.path), 'r')
    try {
      return (await readFully(handle, location.offset, location.length)).toString()
    } finally {
      await handle.close()
    }
  }
}

async function isWhole(handle: FileHandle, { blob, offset, length }: PackEntry): Promise<boolean> {
  const hash = createHash('sha256')
  for (let done = 0; done < length; done += chunkBytes)
    hash.update(await readFully(handle, offset + done, Math.min(chunkBytes, length - done)))
  return hash.digest('hex') === blob
}
