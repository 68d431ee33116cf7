import type { Sha256 } from '../contract/release.ts'
import { sha256 } from './digest.ts'

/** A blob of the site: its name, and how many bytes it has. */
export interface StoredBlob {
  readonly blob: Sha256
  readonly size: number
}

/** Collects the blobs of a build that the store does not have. */
export class BlobSink {
  readonly fresh = new Map<Sha256, Uint8Array>()
  private readonly stored: (blob: Sha256) => boolean

  constructor(stored: (blob: Sha256) => boolean) {
    this.stored = stored
  }

  add(bytes: Uint8Array): StoredBlob {
    const blob = sha256(bytes)
    this.addKnown(blob, bytes)
    return { blob, size: bytes.length }
  }

  /** A blob whose hash is known already. */
  addKnown(blob: Sha256, bytes: Uint8Array): void {
    if (!this.stored(blob)) this.fresh.set(blob, bytes)
  }

  has(blob: Sha256): boolean {
    return this.fresh.has(blob) || this.stored(blob)
  }
}
