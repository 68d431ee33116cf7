import type { Dialogs } from './dialogs.ts'

/** A disk that works, also one over the network, has written by then. */
const patienceMs = 3_000
/** Of what is not on the disk, so many are named. */
const mostNamed = 3

/** How somebody left: with everything in its place, or at once, with what was not on the disk then. */
export type Quit = { readonly kind: 'settled' } | { readonly kind: 'hasty'; readonly lost: readonly string[] }

interface QuittingOptions {
  readonly dialogs: Pick<Dialogs, 'confirm' | 'progress'>
  /** False where the person wants to stay in a view. */
  readonly mayLeave: () => Promise<boolean>
  /** Makes everything durable, and ends it where the signal has not fired by then; throws when that cannot be. */
  readonly settle: (signal: AbortSignal) => Promise<void>
  /** What was typed and is not on the disk yet, in words. */
  readonly unkept: () => readonly string[]
  readonly log: (message: string) => void
  readonly end: (end: Quit) => void
}

/** From the wish to quit to the end. A disk that never answers holds nobody. */
export class Quitting {
  readonly #options: QuittingOptions
  #isUnderWay = false
  /** While the disk is waited for: leaves at once. */
  #leave: (() => void) | undefined

  constructor(options: QuittingOptions) {
    this.#options = options
  }

  /** Asked for once more while the disk is waited for, it is meant. */
  async quit(): Promise<void> {
    this.#leave?.()
    if (this.#isUnderWay) return
    this.#isUnderWay = true
    try {
      const quit = (await this.#options.mayLeave()) ? await this.#settled() : undefined
      if (quit !== undefined) this.#options.end(quit)
    } finally {
      this.#isUnderWay = false
    }
  }

  /** @returns undefined: the person stays */
  async #settled(): Promise<Quit | undefined> {
    const staying = new AbortController()
    const settling = this.#options.settle(staying.signal).then((): Quit => ({ kind: 'settled' }))
    let timer: NodeJS.Timeout | undefined
    const enough = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), patienceMs)))
    try {
      const quit = (await Promise.race([settling, enough])) ?? (await this.#waited(settling))
      // Whoever stays is not to find everything closed when the disk is back.
      if (quit === undefined) staying.abort()
      return quit
    } catch (error) {
      return (await this.#isMeant(error)) ? this.#hasty() : undefined
    } finally {
      clearTimeout(timer)
    }
  }

  #hasty(): Quit {
    return { kind: 'hasty', lost: this.#options.unkept() }
  }

  async #waited(settling: Promise<Quit>): Promise<Quit | undefined> {
    const { dialogs, unkept, log } = this.#options
    // Nobody looks at how it went where the person did not wait for it.
    settling.catch((error: unknown) => log(String(error)))
    const box = dialogs.progress({ title: 'Not everything is safe yet', cancel: 'stay here' })
    const names = unkept()
    if (names.length === 0)
      box.phase('Something is still under way', 'What you typed is kept here. Ctrl-Q leaves at once.')
    else
      box.phase(
        'The disk does not answer',
        `Not on it yet: ${named(names)}. This ends by itself when it is. Ctrl-Q leaves at once, and loses what was typed there last.`,
      )
    try {
      return await new Promise((resolve, reject) => {
        settling.then(resolve, reject)
        this.#leave = () => resolve(this.#hasty())
        box.signal.addEventListener('abort', () => resolve(undefined))
      })
    } finally {
      this.#leave = undefined
      box.close()
    }
  }

  async #isMeant(error: unknown): Promise<boolean> {
    this.#options.log(String(error))
    return this.#options.dialogs.confirm({
      title: 'Not everything is safe',
      body: [
        error instanceof Error ? error.message : String(error),
        'What you typed last is only in this window: copy it, or save it on the branch, before you quit.',
      ],
      act: 'Quit and lose it',
      danger: true,
    })
  }
}

/** Such as `a.mdx, b.mdx and 2 more`. */
export function named(names: readonly string[]): string {
  const rest = names.length - mostNamed
  return names.slice(0, mostNamed).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
