/** Steps of the pipeline after which a test may have the process killed. */
export const failpoints = [
  'after-lease',
  'after-commit',
  'after-record',
  'after-build',
  'after-release',
  'after-refs',
  'after-point',
] as const
export type FailpointName = (typeof failpoints)[number]
export type Failpoint = (name: FailpointName) => void

const never: Failpoint = () => undefined

/**
 * A step that kills its own process as `kill -9` does: nothing is flushed, no handler runs. How crash safety is
 * tested; without a name (always, outside tests) it does nothing.
 */
export function createFailpoint(wanted: FailpointName | undefined): Failpoint {
  if (wanted === undefined) return never
  return (name) => {
    if (name === wanted) process.kill(process.pid, 'SIGKILL')
  }
}
