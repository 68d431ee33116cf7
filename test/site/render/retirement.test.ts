import { existsSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import type * as Usage from '../../../src/lib/process-usage.ts'
import { openRenderPool } from '../../../src/site/render/pool.ts'
import { childrenOf, commandOf } from '../../support/process-tree.ts'
import { textOf } from './support/rendering.ts'

/** Children have used half of what the kernel gives them before they begin. */
vi.mock('../../../src/lib/process-usage.ts', async (load) => {
  const usage = await load<typeof Usage>()
  const cpuMsOf = (pid: number): number => (usage.cpuMsOf(pid) ?? 0) + 31_000
  return { ...usage, cpuMsOf }
})

const renderers = (): number[] =>
  childrenOf(process.pid)
    .filter((pid) => commandOf(pid).includes('render-child'))
    .flatMap(childrenOf)

it.skipIf(!existsSync('/proc/self/task')).each([{ isOwn: true }, {}])(
  'a child that has worked for long leaves the next page to another %o',
  async (options) => {
    const pool = await openRenderPool({ children: 1, ...options })
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
