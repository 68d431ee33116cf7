import type { Stall } from './stalls.ts'

export function watchEventLoop(tell: (stall: Stall) => void, options?: { readonly onlyRequests?: boolean }): () => void
