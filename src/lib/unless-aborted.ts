/**
 * The result of work that goes on when whoever waits for it leaves: for others, or since it cannot be called off.
 * Rejects with the reason of the signal.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is what its owner says it is
    const leave = (): void => reject(signal.reason)
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    // Looked at in any case: what fails when nobody waits any more is no fault of the process.
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
