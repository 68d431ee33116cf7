import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Release, Sha256 } from '../contract/release.ts'

/** Keeps and serves the releases of all projects. */
export interface Hosting {
  /** Blobs of a project, loaded once; `has` is then a look-up in memory. */
  open(project: string): Promise<ProjectReleases>
  /** Answers a request for a site: `site` was found from the Host header by the caller; null is an unknown host. */
  respond(
    request: IncomingMessage,
    response: ServerResponse,
    site: {
      readonly project: string
      readonly release: string
      readonly preview: boolean
      /** Where the project’s changelog is, when there is one. */
      readonly changelog?: string | undefined
    } | null,
  ): void
  /** Until the function that it returns is called, no file of the project is collected; `collect` waits. */
  hold(project: string): Promise<() => void>
  /** Removes all of a project. */
  remove(project: string): Promise<void>
  close(): Promise<void>
}

export interface ProjectReleases {
  has(blob: Sha256): boolean
  /** Keeps blobs ahead of the release that will name them, for the grace period at least. Durable. */
  store(blobs: ReadonlyMap<Sha256, Uint8Array>): Promise<void>
  /** Durable: blobs in one append-only pack, then the manifest atomically. Serving starts when the caller moves the live pointer. */
  publish(release: Release, blobs: ReadonlyMap<Sha256, Uint8Array>): Promise<void>
  /** Whether a release is kept; only memory is looked at. */
  keeps(id: string): boolean
  /** The manifest, or null when it is not kept (any more). */
  read(id: string): Promise<Release | null>
  /**
   * Drops releases that are not in `keep` and older than the grace period, and the blobs that no kept release names.
   * Hashed assets of dropped releases stay for their own, longer grace period.
   */
  collect(keep: ReadonlySet<string>, now: Date): Promise<{ releases: number; bytes: number }>
}
