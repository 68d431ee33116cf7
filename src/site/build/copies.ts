import type { AssetRecord } from '../../contract/release.ts'
import type { FetchFile } from '../builder.ts'
import type { AssetRecords, BlobSink } from './blobs.ts'

/** Milliseconds that all copies of a build may take together: others wait for its turn. */
const maxCopying = 30_000

export interface CopySources {
  /** Records of builds before, the last one first: copies are among them by their URL. */
  readonly before: readonly (AssetRecords | null | undefined)[]
  readonly sink: BlobSink
  /** Absent: nothing can be copied. */
  readonly fetch: FetchFile | undefined
  readonly signal: AbortSignal | undefined
}

/** Files at other addresses, each copied once: readers ask nobody but the site, and the next build copies them no more. */
export class Copies {
  readonly #sources: CopySources
  readonly #records: Record<string, AssetRecord> = Object.create(null) as Record<string, AssetRecord>
  /** From the first copy on. */
  #time: AbortSignal | undefined

  constructor(sources: CopySources) {
    this.#sources = sources
  }

  /** Of what is used, by URL: to be kept with the release. */
  get records(): AssetRecords {
    return this.#records
  }

  /** What a build before has used is used again. */
  keep(records: AssetRecords): void {
    Object.assign(this.#records, records)
  }

  /** Whether a build before has copied it. */
  knows(url: string): boolean {
    return this.#copyOf(url) !== undefined
  }

  /** @throws an error whose message says why there is none; what the build was ended with where it was ended. */
  async read(url: string, maxBytes: number): Promise<Buffer> {
    const { sink, fetch, signal } = this.#sources
    const known = this.#records[url] ?? this.#copyOf(url)
    // What another check has copied was kept nowhere.
    const kept = known === undefined ? undefined : await sink.read(known.blob).catch(() => undefined)
    if (known !== undefined && kept !== undefined) {
      this.#records[url] = known
      return kept
    }
    if (fetch === undefined) throw new Error('files at other addresses are not copied here.')
    this.#time ??= AbortSignal.timeout(maxCopying)
    const time = this.#time
    try {
      const { bytes } = await fetch(url, {
        maxBytes,
        signal: signal === undefined ? time : AbortSignal.any([signal, time]),
      })
      if (bytes === null) throw new Error('its server sends nothing.')
      this.#records[url] = { oid: url, ...sink.add(bytes) }
      return bytes
    } catch (error) {
      signal?.throwIfAborted()
      throw time.aborted ? new Error(`copying took longer than ${maxCopying / 1000} seconds.`, { cause: error }) : error
    }
  }

  #copyOf(url: string): AssetRecord | undefined {
    for (const records of this.#sources.before) {
      const record = records !== null && records !== undefined && Object.hasOwn(records, url) ? records[url] : undefined
      if (record !== undefined && this.#sources.sink.has(record.blob)) return record
    }
    return undefined
  }
}
