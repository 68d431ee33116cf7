import cluster from 'node:cluster'

/** What a service says to the process above it, which starts the next one and knows of both. */
export type Word =
  /** It has all that it needs but the data directory. */
  | 'loaded'
  /** It has given the directory up, and answers readers. */
  | 'yielded'
  /** It listens. */
  | 'ready'

/** What it is told. */
export type Order =
  /** The directory is free. */
  | 'open'
  /** Give the directory up for the next one. */
  | 'yield'
  /** The next one did not start: take it again. */
  | 'resume'
  /** The next one answers. */
  | 'end'

/** The process above a service. */
export interface Parent {
  say(word: Word): void
  follow(order: Order, work: () => unknown): void
  /** Resolves when the data directory is free. */
  turn(): Promise<void>
}

/** Null where none is above. */
export function parentOfService(): Parent | null {
  if (!cluster.isWorker) return null
  const orders = new Map<unknown, () => unknown>()
  process.on('message', (order) => void orders.get(order)?.())
  const say = (word: Word): void => void process.send?.(word)
  // It may come before it is asked for, when the one before has died.
  const open = new Promise<void>((resolve) => void orders.set('open', resolve))
  return {
    say,
    follow: (order, work) => void orders.set(order, work),
    turn: () => {
      say('loaded')
      return open
    },
  }
}
