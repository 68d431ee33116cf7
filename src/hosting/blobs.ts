import type { Sha256 } from '../contract/release.ts'

/** Bytes of a blob: from `start` on, before `end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * Immutable blobs of one project, named by the SHA-256 of their bytes.
 *
 * Promises: what `put` acknowledged survives kill -9 and a power cut; a blob is there whole or not at all; reading is
 * safe beside `put` and `retain`. An object store can keep this with PUT, GET (with Range), LIST and DELETE.
 */
export interface BlobStore {
  /** Looks in memory. */
  has(blob: Sha256): boolean
  /** All of a blob, checked against its name, or a part of it. Throws `BlobMissing`. */
  read(blob: Sha256, range?: ByteRange): Promise<Buffer>
  /** Durable when it settles. Blobs that are there already may be left out or sent again. */
  put(blobs: ReadonlyMap<Sha256, Uint8Array>): Promise<void>
  /**
   * Gives back the room of blobs that are not wanted; some of them may stay until it pays.
   *
   * @param wanted Pure; asked again right before a blob is out of reach, so that a blob that became wanted stays.
   * @returns Bytes given back.
   */
  retain(wanted: (blob: Sha256) => boolean): Promise<number>
  /** What it costs in memory, in bytes, about. */
  readonly weight: number
}

/** A blob that should be there is not, or is damaged: a bug or a damaged disk, never a user's mistake. */
export class BlobMissing extends Error {
  override readonly name = 'BlobMissing'
  constructor(blob: Sha256, where: string, options?: ErrorOptions) {
    super(`Blob ${blob} cannot be read from ${where}`, options)
  }
}
