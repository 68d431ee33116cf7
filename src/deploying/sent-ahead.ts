import { Failure } from '../contract/failure.ts'

/** Bytes that a project may send ahead of deploys in a day: many times a whole site. */
export const maxSentAhead = 512 * 1024 * 1024
/** What an object takes at least, however small: a block of the disk. */
const leastBytes = 4096
const hour = 60 * 60_000
/** Sent content is counted by the hour, and forgotten after a day. */
const hours = 24

/**
 * Counts the content that projects send ahead. It stays on disk for a day even when no deploy takes it up: without a
 * bound, one key could fill the disk of all. In memory, as a restart forgives little.
 */
export class SentAhead {
  /** Bytes by hour since 1970, by project. */
  readonly #sent = new Map<string, Map<number, number>>()

  /**
   * Counts content that is about to be stored.
   *
   * @returns How to take it back, when it could not be stored.
   * @throws Failure `rate_limited` when the project has sent too much in the last day; then nothing is counted.
   */
  count(slug: string, contents: readonly Uint8Array[], now: Date): () => void {
    const current = Math.floor(now.getTime() / hour)
    this.#forget(current - hours)
    const bytes = contents.reduce((sum, { byteLength }) => sum + Math.max(byteLength, leastBytes), 0)
    const sent = this.#sent.get(slug) ?? new Map<number, number>()
    refuseTooMuch(sent, bytes, now)
    this.#sent.set(slug, sent)
    sent.set(current, (sent.get(current) ?? 0) + bytes)
    return () => sent.set(current, Math.max(0, (sent.get(current) ?? 0) - bytes))
  }

  /** Forgets all that is as old as `last`, an hour since 1970, or older. */
  #forget(last: number): void {
    for (const [slug, sent] of this.#sent) {
      for (const at of sent.keys()) if (at <= last) sent.delete(at)
      if (sent.size === 0) this.#sent.delete(slug)
    }
  }
}

function refuseTooMuch(sent: ReadonlyMap<number, number>, bytes: number, now: Date): void {
  let excess = [...sent.values()].reduce((sum, count) => sum + count, bytes) - maxSentAhead
  if (excess <= 0) return
  // The hours leave the day in their order; the last one of them makes room.
  let free = Math.floor(now.getTime() / hour) + hours
  for (const [at, count] of [...sent].sort(([a], [b]) => a - b)) {
    free = at + hours
    excess -= count
    if (excess <= 0) break
  }
  throw new Failure(
    'rate_limited',
    `The project has sent ${maxSentAhead / 1024 / 1024} MB of content ahead of deploys within a day, and may not send more.`,
    {
      hint: 'Send only content that the service lacks: a deploy takes files that it has by their oid.',
      retryAfter: Math.max(1, Math.ceil((free * hour - now.getTime()) / 1000)),
    },
  )
}
