/** Does it when whoever waits has had a turn: in Node and in browsers, which have no `setImmediate`. */
export const later: (work: () => void) => unknown = globalThis.setImmediate ?? ((work) => setTimeout(work, 0))
