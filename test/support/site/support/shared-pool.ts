import type { RenderPool } from '#site/page.ts'
import { openRenderPool } from '#site/render/pool.ts'
import { atWorkerEnd } from '#test/support/worker.ts'

let shared: Promise<RenderPool> | undefined

/** Children that render for all tests of this worker that need none of their own: nobody closes them. */
export function sharedPool(): Promise<RenderPool> {
  shared ??= openRenderPool({ children: 2 }).then((pool) => {
    atWorkerEnd(() => pool.close())
    return pool
  })
  return shared
}
