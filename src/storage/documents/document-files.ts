import type { Adapter } from 'lowdb'
import { readIfThere, removeFile, replaceFile, type FileSystem } from '../../lib/durable-file.ts'
import { decode, encode, type Envelope } from './envelope.ts'

/**
 * lowdb's adapter over a durable file. lowdb's own one never flushes: after a power cut its acknowledged writes are
 * gone. An envelope without a document is no file.
 */
export class DurableJsonFile implements Adapter<Envelope> {
  readonly path: string
  readonly #document: string
  readonly #fs: FileSystem

  constructor(path: string, document: string, fs: FileSystem) {
    this.path = path
    this.#document = document
    this.#fs = fs
  }

  async read(): Promise<Envelope | null> {
    const text = await readIfThere(this.#fs, this.path)
    return text === null ? null : decode(text, this.#document, this.path)
  }

  async write(envelope: Envelope): Promise<void> {
    if (envelope.document === undefined) await removeFile(this.#fs, this.path)
    else await replaceFile(this.#fs, this.path, encode(envelope))
  }
}
