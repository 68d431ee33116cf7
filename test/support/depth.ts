import { describe, it } from 'vitest'

/** True in the deep run, which runs every test, properties with more cases, and the dashboard in every size and theme. */
export const isDeep = process.env['DEEP'] !== undefined

const nothing: unknown = new Proxy(() => nothing, { get: () => nothing })

/** `it` for a test that takes too long for the normal run, beside those of its file that do not. */
export const inDepth = isDeep ? it : (nothing as typeof it)
/** `describe` for such tests. */
export const describeInDepth = isDeep ? describe : (nothing as typeof describe)
