import type { Card } from '../../contract/release.ts'
import { Failure } from '../../contract/failure.ts'
import { FairLimit } from '../../lib/fair-limit.ts'
import { IdleChild } from '../../lib/idle-child.ts'
import type { CardReply } from './child.ts'

/** Built of `child.ts`. */
const program = 'card-child.js'
/** One card takes 0.1 s; a child that has begun now, and gets little of the processor, some seconds. */
const usualPatience = 15_000
/** Megabytes of its heap, and of all its memory: the renderer and a picture are beside it. */
const heap = 64
const memory = 512
/** Cards of one owner that may wait, and of all. */
const mostOfOwner = 20
const mostWaiting = 200
const mostBytes = 2 << 20

interface CardPainterOptions {
  readonly ownerOf: (projectId: string) => string
  /** Milliseconds for one card. */
  readonly patienceMs?: number
}

/**
 * Has cards drawn, one after the other and owners by turns, by a child of low priority: it is ended when it takes too
 * long, and when nobody has asked for a while.
 */
export class CardPainter {
  readonly #ownerOf: (projectId: string) => string
  readonly #child: IdleChild<Card>
  readonly #turns = new FairLimit({ name: 'cards', slots: 1, firsts: 0, share: 1, reserve: 0, queue: mostOfOwner })
  #waiting = 0
  #isClosed = false

  constructor({ ownerOf, patienceMs = usualPatience }: CardPainterOptions) {
    this.#ownerOf = ownerOf
    this.#child = new IdleChild({ program, heap, memory, patienceMs })
  }

  /** A PNG. @throws Failure unavailable when too many wait */
  async draw(projectId: string, card: Card): Promise<Buffer> {
    const owner = this.#ownerOf(projectId)
    if (this.#isClosed || this.#waiting >= mostWaiting || this.#turns.isFull(owner))
      throw new Failure('unavailable', 'Too many pictures are being drawn.', { retryAfter: 5 })
    this.#waiting += 1
    try {
      return await this.#turns.run(owner, () => this.#ask(card))
    } finally {
      this.#waiting -= 1
    }
  }

  close(): void {
    this.#isClosed = true
    this.#child.end()
  }

  async #ask(card: Card): Promise<Buffer> {
    if (this.#isClosed) throw new Failure('unavailable', 'The service ends.', { retryAfter: 5 })
    return this.#child.ask(card, (answer) => {
      const reply = answer as CardReply
      if ('error' in reply) throw new Error(`A card could not be drawn: ${reply.error}`)
      return pngOf(reply.png)
    })
  }
}

function pngOf(bytes: unknown): Buffer {
  if (!(bytes instanceof Uint8Array) || bytes.length > mostBytes) throw new Error('A card is no picture')
  const png = Buffer.from(bytes)
  if (png.toString('latin1', 1, 4) !== 'PNG') throw new Error('A card is no picture')
  return png
}
