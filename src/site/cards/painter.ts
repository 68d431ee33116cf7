import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { Card } from '../../contract/release.ts'
import { Failure } from '../../contract/failure.ts'
import { FairLimit } from '../../lib/fair-limit.ts'
import { dist } from '../../lib/paths.ts'
import { lowerPriority } from '../../lib/priority.ts'
import type { CardReply } from './child.ts'

/** Built of `child.ts`. */
const program = join(dist, 'card-child.js')
/** One card takes 0.1 s; a child that has begun now, and gets little of the processor, some seconds. */
const usualPatience = 15_000
/** A child that nobody needs ends. */
const idleMs = 20_000
/** Megabytes of its heap; the renderer and a picture are beside it. */
const heap = 64
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
  readonly #patienceMs: number
  readonly #turns = new FairLimit({ name: 'cards', slots: 1, firsts: 0, share: 1, reserve: 0, queue: mostOfOwner })
  #waiting = 0
  #child: ChildProcess | undefined
  #idle: NodeJS.Timeout | undefined
  #isClosed = false

  constructor({ ownerOf, patienceMs = usualPatience }: CardPainterOptions) {
    this.#ownerOf = ownerOf
    this.#patienceMs = patienceMs
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
    this.#end()
  }

  #end(): void {
    clearTimeout(this.#idle)
    this.#child?.kill('SIGKILL')
    this.#child = undefined
  }

  async #ask(card: Card): Promise<Buffer> {
    if (this.#isClosed) throw new Failure('unavailable', 'The service ends.', { retryAfter: 5 })
    clearTimeout(this.#idle)
    if (this.#child?.connected !== true) this.#child = startChild()
    const child = this.#child
    try {
      const reply = await replyOf(child, card, this.#patienceMs)
      if ('error' in reply) throw new Error(`A card could not be drawn: ${reply.error}`)
      return pngOf(reply.png)
    } catch (error) {
      this.#end()
      throw error
    } finally {
      this.#idle = setTimeout(() => this.#end(), idleMs).unref()
    }
  }
}

function startChild(): ChildProcess {
  const child = fork(program, [], {
    // Nothing of the service’s settings.
    env: {},
    execArgv: [`--max-old-space-size=${heap}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  child.on('error', () => undefined)
  if (child.pid !== undefined) lowerPriority(child.pid)
  child.unref()
  child.channel?.unref()
  return child
}

function replyOf(child: ChildProcess, card: Card, patienceMs: number): Promise<CardReply> {
  return new Promise((resolve, reject) => {
    const done = (act: () => void): void => {
      clearTimeout(timer)
      child.off('message', answered).off('exit', ended)
      act()
    }
    const answered = (reply: unknown): void => done(() => resolve(reply as CardReply))
    const ended = (): void => done(() => reject(new Error('The child that draws cards ended')))
    const timer = setTimeout(() => done(() => reject(new Error('A card took too long to draw'))), patienceMs)
    child.on('message', answered).on('exit', ended)
    child.send(card, (error) => {
      if (error !== null) done(() => reject(error))
    })
  })
}

function pngOf(bytes: unknown): Buffer {
  if (!(bytes instanceof Uint8Array) || bytes.length > mostBytes) throw new Error('A card is no picture')
  const png = Buffer.from(bytes)
  if (png.toString('latin1', 1, 4) !== 'PNG') throw new Error('A card is no picture')
  return png
}
