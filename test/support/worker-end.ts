let exits = false

/**
 * Has this worker exit at its end, so that listeners of `exit` put away what its files share: Vitest sends SIGTERM, by
 * which Node would end without a word to them, and kills what is there half a second later.
 */
export function exitAtWorkerEnd(): void {
  if (exits) return
  exits = true
  process.once('SIGTERM', () => process.exit())
}
