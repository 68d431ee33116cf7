import vm from 'node:vm'

/** A pattern that backtracks for longer than this would make the keyboard wait. */
const limitMilliseconds = 20

let work: () => unknown = () => undefined
// A script that runs in a context of its own is the one thing that Node interrupts, a pattern at work included.
const context = vm.createContext({ run: () => work() })
const script = new vm.Script('run()')

/** On a busy machine the time passes without the work: so often it is begun again. */
const attempts = 30

/**
 * Runs synchronous work that must not take long, such as a pattern that a person typed.
 * @param pure changes nothing, because it may be broken off anywhere, and begun again
 * @returns undefined when it was broken off
 */
export function guarded<T>(pure: () => T): { readonly value: T } | undefined {
  work = pure
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const before = process.cpuUsage()
      try {
        return { value: script.runInContext(context, { timeout: limitMilliseconds }) as T }
      } catch (error) {
        // It comes from the other context, so it is no Error of this one.
        if ((error as { code?: unknown } | null)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
        const { user, system } = process.cpuUsage(before)
        if (user + system > limitMilliseconds * 700) return undefined
      }
    }
    return undefined
  } finally {
    work = () => undefined
  }
}
