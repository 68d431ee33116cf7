import type { Stall } from './stalls.ts'

/** See watch.mjs: milliseconds. */
export function processorClock(): () => number

export function watchEventLoop(tell: (stall: Stall) => void, options?: { readonly onlyRequests?: boolean }): () => void
