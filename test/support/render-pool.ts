import { openRenderPool } from '#site/render/pool.ts'
import type { RenderPool, RenderSession } from '#site/page.ts'
import { sharedInWorker } from './worker.ts'

const children = sharedInWorker(
  () => openRenderPool({ children: 1 }),
  (pool) => pool.close(),
)

/**
 * Children that render for one after the other in this worker, because to start what forks them takes a second of the
 * processor. They end with the worker: what is closed is only what was opened here.
 */
export async function sharedRenderPool(): Promise<RenderPool> {
  const pool = await children()
  const sessions = new Set<RenderSession>()
  return {
    get children() {
      return pool.children
    },
    isolation: pool.isolation,
    ...(pool.fingerprint === undefined ? {} : { fingerprint: pool.fingerprint }),
    open(...of) {
      const session = pool.open(...of)
      const own: RenderSession = {
        ...session,
        close: () => {
          sessions.delete(own)
          session.close()
        },
      }
      sessions.add(own)
      return own
    },
    close: async () => sessions.forEach((session) => session.close()),
  }
}
