import type { IncomingMessage, ServerResponse } from 'node:http'
import { takesNoChanges, takesNoMoreChanges } from '../lib/disk.ts'
import { KnownRequest } from './requests/known.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Whether a request may change something. A fetch or clone of Git is a POST, and only reads; a push begins with a GET, and is
 * best refused there: Git shows why.
 */
function changes({ method = '', url = '' }: Pick<IncomingMessage, 'method' | 'url'>): boolean {
  if (safeMethods.has(method)) return /\/info\/refs\?(?:.*&)?service=git-receive-pack(?:&|$)/.test(url)
  return !/\/git-upload-pack(?:\?|$)/.test(url)
}

/** It is here as a whole, or of somebody who is known: of a stranger, who could send it for ever, nothing is waited for. */
function isTaken(request: IncomingMessage): boolean {
  if (request.complete) return true
  const { handled } = request instanceof KnownRequest ? request : {}
  return (handled?.caller ?? handled?.gitCaller ?? null) !== null
}

function isEventStream(response: ServerResponse): boolean {
  return String(response.getHeader('content-type')).startsWith('text/event-stream')
}

/**
 * What is let in, and how a service comes to its end: what it has accepted gets its answer, what would change something is refused from now
 * on, and sites are served until the connections close.
 */
export class Drain {
  #hasBegun = false
  #hasSuccessor = false
  /** Requests that would change something, and were not taken before the end began. */
  readonly #late = new WeakSet<IncomingMessage>()
  /** Answers that are not through. */
  readonly #open = new Set<ServerResponse>()
  #onClose: (() => void) | undefined
  readonly #readOnly: string | null

  /** @param readOnly why nothing can be stored, in a few words; null: it can. */
  constructor(readOnly: string | null) {
    this.#readOnly = readOnly
  }

  get hasBegun(): boolean {
    return this.#hasBegun
  }

  /** Another service answers at the same address once this one has ended. */
  get hasSuccessor(): boolean {
    return this.#hasSuccessor
  }

  /** Knows of a request until its answer is through or its client gone. */
  track(response: ServerResponse): void {
    if (this.#hasBegun) response.shouldKeepAlive = false
    this.#open.add(response)
    response.once('close', () => {
      this.#open.delete(response)
      this.#onClose?.()
    })
  }

  /** Answers that are under way. */
  get open(): number {
    return this.#open.size
  }

  begin({ hasSuccessor = false }: { readonly hasSuccessor?: boolean } = {}): void {
    this.#hasSuccessor = hasSuccessor
    if (this.#hasBegun) return
    this.#hasBegun = true
    for (const { req } of this.#open) if (changes(req) && !isTaken(req)) this.#late.add(req)
    // A client that keeps its connection would send the next request on it, and lose it on the way.
    for (const response of this.#open) response.shouldKeepAlive = false
  }

  /**
   * Says what a request is that is let in. Throws Failure `unavailable` for one that would change something, once the end
   * has begun or where nothing can be stored.
   */
  admit(request: Pick<IncomingMessage, 'method' | 'url'>): 'change' | 'look' {
    if (!changes(request)) return 'look'
    if (this.#readOnly !== null) throw takesNoChanges(this.#readOnly)
    if (!this.#hasBegun) return 'change'
    throw takesNoMoreChanges()
  }

  /** As `admit`, once the body is here: throws Failure `unavailable` for what was not taken before the end began. */
  admitBody(request: IncomingMessage): void {
    if (this.#late.has(request)) throw takesNoMoreChanges()
  }

  /** Waits for the requests that may change something, at most so many milliseconds. */
  async settleChanges(milliseconds: number): Promise<void> {
    await this.#until(() => ![...this.#open].some(({ req }) => changes(req) && !this.#late.has(req)), milliseconds)
  }

  /** As `settleAnswers`, for the answers that are under way now. */
  async settlePresent(milliseconds: number): Promise<void> {
    const present = [...this.#open]
    await this.#until(() => present.every((one) => !this.#open.has(one) || isEventStream(one)), milliseconds)
  }

  /** Waits for all answers but event streams, which have no end of their own, at most so many milliseconds. */
  async settleAnswers(milliseconds: number): Promise<void> {
    await this.#until(() => [...this.#open].every(isEventStream), milliseconds)
  }

  async #until(isOver: () => boolean, milliseconds: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (isOver()) resolve()
      }
      timer = setTimeout(resolve, milliseconds)
      this.#onClose = look
      look()
    })
    clearTimeout(timer)
    this.#onClose = undefined
  }
}
