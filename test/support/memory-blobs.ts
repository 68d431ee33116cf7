import type { Sha256 } from '#contract/release.ts'
import { BlobMissing, type Blobs, type ByteRange, type NamedTexts, type ProjectBlobs } from '#storage/blobs.ts'

interface Kept {
  readonly blobs: Map<Sha256, Buffer>
  readonly texts: Map<string, string>
}

/** The blobs port in memory, for tests. Data lasts as long as the map that it is given. */
export class MemoryBlobs implements Blobs {
  readonly #kept: Map<string, Kept>

  constructor(kept = new Map<string, Kept>()) {
    this.#kept = kept
  }

  async open(project: string): Promise<ProjectBlobs> {
    let kept = this.#kept.get(project)
    if (kept === undefined) this.#kept.set(project, (kept = { blobs: new Map(), texts: new Map() }))
    return { blobs: blobStore(kept.blobs), texts: namedTexts(kept.texts) }
  }

  async remove(project: string): Promise<void> {
    this.#kept.delete(project)
  }
}

function blobStore(blobs: Map<Sha256, Buffer>): ProjectBlobs['blobs'] {
  return {
    has: (blob) => blobs.has(blob),
    read: async (blob, range?: ByteRange) => {
      const bytes = blobs.get(blob)
      if (bytes === undefined) throw new BlobMissing(blob, 'memory')
      return range === undefined ? bytes : bytes.subarray(range.start, range.end)
    },
    put: async (given) => {
      for (const [blob, bytes] of given) blobs.set(blob, Buffer.from(bytes))
    },
    retain: async (wanted) => {
      let freed = 0
      for (const [blob, bytes] of blobs) {
        if (wanted(blob)) continue
        freed += bytes.length
        blobs.delete(blob)
      }
      return freed
    },
    verify: async () => [],
    weight: 0,
  }
}

function namedTexts(texts: Map<string, string>): NamedTexts {
  return {
    list: async (folder) =>
      [...texts.keys()].filter((name) => name.startsWith(`${folder}/`)).map((name) => name.slice(folder.length + 1)),
    read: async (name) => texts.get(name) ?? null,
    write: async (name, text) => void texts.set(name, text),
    remove: async (names) => {
      for (const name of names) texts.delete(name)
    },
  }
}
