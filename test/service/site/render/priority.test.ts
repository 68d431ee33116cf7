import { existsSync } from 'node:fs'
import { getPriority } from 'node:os'
import { describe, expect, it, vi } from 'vitest'
import { openRenderPool } from '#site/render/pool.ts'
import { childrenOf } from '#test/support/process-tree.ts'

/** Half a second of the processor, which with low priority may take a minute where others work. */
const large = '{1+1}'.repeat(7000)
/** Milliseconds until something is seen that comes of some processor time. */
const patienceMs = 20_000
const jobOf = (path: string, text: string) => ({ path, oid: path, source: Buffer.from(text) })

describe.skipIf(!existsSync('/proc/self/task'))('the processor (needs /proc)', () => {
  it('is a small build’s as it is everybody’s, and a large one’s after others; its owner’s next one begins so', async () => {
    const pool = await openRenderPool({ children: 1, ownerOf: (project) => project.split('/')[0] ?? project })
    const pages: Promise<unknown>[] = []
    /** Priority of the child of a project, as it asks for a file. */
    const prioritiesOf = async (project: string, page: string): Promise<() => number[]> => {
      let children: number[] = []
      const known = new Set(childrenOf(process.pid).flatMap(childrenOf))
      const session = pool.open(project, () => {
        children = childrenOf(process.pid)
          .flatMap(childrenOf)
          .filter((pid) => !known.has(pid))
        return Promise.resolve(null)
      })
      await session.render(jobOf('small.mdx', 'import A from "/snippets/a.mdx"\n\n<A />'))
      if (page !== '') pages.push(session.render(jobOf('large.mdx', page)))
      else session.close()
      return () => children.map((pid) => getPriority(pid))
    }
    const first = await prioritiesOf('one/1', large)
    expect(first()).toEqual([0])
    await vi.waitFor(() => expect(first()).toEqual([10]), patienceMs)
    const other = await prioritiesOf('other/1', '')
    expect(other()).toEqual([0])
    await vi.waitFor(async () => expect((await prioritiesOf('one/2', ''))()).toEqual([10]), patienceMs)
    // What is not rendered yet is given up.
    const ends = Promise.allSettled(pages)
    await pool.close()
    await ends
  })
})
