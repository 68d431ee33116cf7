import type { Adapter } from 'lowdb'
import { isDocumentName, type DocumentAdapter } from '#storage/documents/document-store.ts'
import { decode, encode, type Envelope } from '#storage/documents/envelope.ts'

/** The documents port in memory, for tests: what lasts are JSON texts, as a disk has them. */
export class MemoryDocuments implements DocumentAdapter {
  readonly #texts: Map<string, string>
  #starts: number

  constructor(texts: ReadonlyMap<string, string> = new Map(), starts = 0) {
    this.#texts = new Map(texts)
    this.#starts = starts
  }

  async list(): Promise<readonly string[]> {
    return [...this.#texts.keys()]
  }

  open(document: string): Adapter<Envelope> {
    if (!isDocumentName(document)) throw new Error(`not a document name: ${JSON.stringify(document)}`)
    return {
      read: async () => {
        const text = this.#texts.get(document)
        return text === undefined ? null : decode(text, document, document)
      },
      write: async (envelope) => {
        if (envelope.document === undefined) this.#texts.delete(document)
        else this.#texts.set(document, encode(envelope))
      },
    }
  }

  expected(): ReadonlyMap<string, number> {
    return new Map()
  }

  async previous(): Promise<Envelope | null> {
    return null
  }

  async putAway(document: string): Promise<void> {
    this.#texts.delete(document)
  }

  async putBack(document: string, envelope: Envelope): Promise<void> {
    this.#texts.set(document, encode(envelope))
  }

  async countStart(): Promise<number> {
    return (this.#starts += 1)
  }

  /** What the next process finds: of what this one still writes it sees nothing. */
  afterDeath(): MemoryDocuments {
    return new MemoryDocuments(this.#texts, this.#starts)
  }
}
