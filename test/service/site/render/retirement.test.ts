import { existsSync } from 'node:fs'
import { expect, it, onTestFinished, vi } from 'vitest'
import type * as Usage from '#lib/process-usage.ts'
import type { RenderPool } from '#site/page.ts'
import type { RenderPoolOptions } from '#site/render/pool.ts'
import { childrenOf, commandOf } from '#test/support/process-tree.ts'
import { textOf } from '#test/support/site/render/rendering.ts'

/** Opens a pool whose children have used half of what the kernel gives them before they begin. */
async function openPool(options: RenderPoolOptions): Promise<RenderPool> {
  vi.resetModules()
  vi.doMock('#lib/process-usage.ts', async (load) => {
    const usage = await load<typeof Usage>()
    return { ...usage, cpuMsOf: (pid: number) => (usage.cpuMsOf(pid) ?? 0) + 31_000 }
  })
  onTestFinished(() => {
    vi.doUnmock('#lib/process-usage.ts')
    // The next file gets modules without it.
    vi.resetModules()
  })
  const { openRenderPool } = await import('#site/render/pool.ts')
  return openRenderPool({ children: 1, ...options })
}

const renderers = (): number[] =>
  childrenOf(process.pid)
    .filter((pid) => commandOf(pid).includes('render-child'))
    .flatMap(childrenOf)

it.skipIf(!existsSync('/proc/self/task')).each([{ isOwn: true }, {}])(
  'a child that has worked for long leaves the next page to another %o',
  async (options) => {
    const pool = await openPool(options)
    const there: number[] = []
    const session = pool.open('long', () => {
      there.push(...renderers())
      return Promise.resolve({ oid: 'a', source: Buffer.from('from the snippet') })
    })
    const source = Buffer.from('import A from "/snippets/a.mdx"\n\n<A />')
    for (const path of ['a.mdx', 'b.mdx', 'c.mdx'])
      expect(textOf(await session.render({ path, oid: path, source }))).toBe('<p>from the snippet</p>')
    session.close()
    await pool.close()
    expect(new Set(there).size).toBeGreaterThanOrEqual(3)
  },
)
