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
 * safe beside `put` and `retain`. An object store keeps this with PUT of one object a `put` (blobs one after the other
 * and an index, as the packs here), GET with Range, LIST when a project is opened, and DELETE.
 */
export interface BlobStore {
  /** Looks in memory. */
  has(blob: Sha256): boolean
  /** All of a blob, checked against its name, or a part of it. Throws `BlobMissing`; a blob found damaged counts as absent. */
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
  /** Reads all blobs: those that are damaged count as absent from then on. Returns their names. */
  verify(): Promise<readonly Sha256[]>
  /** What it costs in memory, in bytes, about. */
  readonly weight: number
}

/**
 * Small texts of a project that are replaced as a whole, by a name such as `releases/00mwr9vnxidspxljg6`. An object store:
 * an object each; PUT is atomic, and what it answered is there for the next GET and LIST.
 */
export interface NamedTexts {
  /** Names below a folder, without it. */
  list(folder: string): Promise<readonly string[]>
  /** Null where there is none. */
  read(name: string): Promise<string | null>
  /** Durable when it settles; until then, and when it fails, readers get what was there before. */
  write(name: string, text: string): Promise<void>
  /** Durable. Names that are not there are fine. */
  remove(names: readonly string[]): Promise<void>
}

/** All that one project publishes. */
export interface ProjectBlobs {
  readonly blobs: BlobStore
  readonly texts: NamedTexts
}

/** Blobs of all projects. */
export interface Blobs {
  /** Removes what crashed writers left. Only one may be open of a project: two would not know of each other’s work. */
  open(project: string): Promise<ProjectBlobs>
  /** Removes all of a project: out of sight at once and durably, the bytes go after. An object store: the texts first. */
  remove(project: string): Promise<void>
}

/** A blob that should be there is not, or is damaged: a bug or a damaged disk, never a user's mistake. */
export class BlobMissing extends Error {
  override readonly name = 'BlobMissing'
  constructor(blob: Sha256, where: string, options?: ErrorOptions) {
    super(`Blob ${blob} cannot be read from ${where}`, options)
  }
}
