import type { Sha256 } from '../../contract/release.ts'
import { sha256 } from '../../lib/digest.ts'

/** A blob of the site: its name, and how many bytes it has. */
export interface StoredBlob {
  readonly blob: Sha256
  readonly size: number
}

/** Bytes that a build holds before it hands them to the store: a large site must not lie in memory whole. */
const HELD = 8 * 1024 * 1024

export interface BlobKeeper {
  /** The blob is stored already. */
  has(blob: Sha256): boolean
  /** Stores blobs before the build ends; without it all are handed back with the result. */
  store?(blobs: ReadonlyMap<Sha256, Uint8Array>): Promise<void>
}

/** Collects the blobs of a build that the store does not have. */
export class BlobSink {
  private held = new Map<Sha256, Uint8Array>()
  private heldBytes = 0
  /** On their way to the store. */
  private leaving: ReadonlyMap<Sha256, Uint8Array> = new Map()
  private relief: Promise<void> | undefined
  private readonly keeper: BlobKeeper

  constructor(keeper: BlobKeeper) {
    this.keeper = keeper
  }

  /** Blobs that are not stored yet. */
  get fresh(): ReadonlyMap<Sha256, Uint8Array> {
    return this.held
  }

  add(bytes: Uint8Array): StoredBlob {
    const blob = sha256(bytes)
    this.addKnown(blob, bytes)
    return { blob, size: bytes.length }
  }

  /** A blob whose hash is known already. */
  addKnown(blob: Sha256, bytes: Uint8Array): void {
    if (this.has(blob)) return
    this.held.set(blob, bytes)
    this.heldBytes += bytes.length
  }

  has(blob: Sha256): boolean {
    return this.held.has(blob) || this.leaving.has(blob) || this.keeper.has(blob)
  }

  /** Whoever adds much waits here: hands over what is held once it is enough. */
  async relieve(): Promise<void> {
    while (this.heldBytes >= HELD && this.keeper.store !== undefined) {
      this.relief ??= this.handOver(this.keeper.store.bind(this.keeper))
      await this.relief
    }
  }

  private async handOver(store: NonNullable<BlobKeeper['store']>): Promise<void> {
    this.leaving = this.held
    this.held = new Map()
    this.heldBytes = 0
    try {
      await store(this.leaving)
    } finally {
      this.leaving = new Map()
      this.relief = undefined
    }
  }
}
