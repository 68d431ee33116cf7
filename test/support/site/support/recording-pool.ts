import type { RenderPool } from '#site/page.ts'
import type { FakePool } from './fake-pool.ts'

/** A pool with children, which tells what was asked of it; of the same owner's sessions like any other. */
export function recordingPool(pool: RenderPool): FakePool {
  const rendered: string[] = []
  const sessions = { open: 0 }
  return {
    rendered,
    sessions,
    ...(pool.fingerprint === undefined ? {} : { fingerprint: pool.fingerprint }),
    isolation: pool.isolation,
    get children() {
      return pool.children
    },
    close: () => pool.close(),
    open: (project, load, signal) => {
      sessions.open++
      const session = pool.open(project, load, signal)
      return {
        render: (job) => {
          rendered.push(job.path)
          return session.render(job)
        },
        describe: (job) => {
          rendered.push(job.path)
          return session.describe(job)
        },
        close: () => {
          sessions.open--
          session.close()
        },
      }
    },
  }
}
