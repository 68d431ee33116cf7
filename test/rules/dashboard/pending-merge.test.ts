import { expect, it, onTestFinished, vi } from 'vitest'
import type { Conflict } from '#contract/branches.ts'
import { PendingMerge, type KeptMerge, type MergeDatabase } from '#dashboard/drafts/pending-merge.ts'
import { MemoryStorage } from '#test/support/memory-storage.ts'

const conflictIn = (path: string): Conflict => ({
  path,
  type: 'content',
  oids: { main: 'a'.repeat(40), branch: 'b'.repeat(40) },
  main: 'Main\n',
  branch: 'Branch\n',
})

/** A browser with tabs that have the same conflicts open. */
class Browser {
  readonly #kept = new Map<string, unknown>()

  static begin(): Browser {
    MemoryStorage.begin()
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    return new Browser()
  }

  /** @param writes false: the tab is killed before any write comes to its end */
  async tab({ writes = true } = {}): Promise<PendingMerge> {
    const kept = this.#kept
    const done = (write: () => unknown): Promise<void> =>
      writes ? Promise.resolve(void write()) : new Promise(() => undefined)
    const database: MergeDatabase = {
      read: async (keys) => keys.map((key) => kept.get(key)),
      set: (key, value) => done(() => kept.set(key, value)),
      update: (key, change) => done(() => kept.set(key, change(kept.get(key) as KeptMerge | undefined))),
      remove: (key) => done(() => kept.delete(key)),
    }
    return new PendingMerge('ada', 'branch', database).read()
  }
}

const passMinute = (): unknown => vi.setSystemTime(Date.now() + 60_000)

const decide = (tab: PendingMerge, path: string, content: string): void =>
  tab.decidePieces(path, [{ piece: path, choice: { text: content } }], content)

const decided = (tab: PendingMerge) =>
  Object.fromEntries(tab.resolutions().map((one) => [one.path, 'content' in one ? one.content : undefined]))

async function begun(): Promise<Browser> {
  const browser = Browser.begin()
  const first = await browser.tab()
  first.take([conflictIn('a.mdx'), conflictIn('b.mdx')], [])
  return browser
}

it('has what a tab decided in its last moment beside what another one has decided since', async () => {
  const browser = await begun()
  const [killed, other] = [await browser.tab({ writes: false }), await browser.tab()]
  decide(killed, 'a.mdx', 'Of the killed one')
  killed.write('Message of the killed one')
  killed.leave()
  passMinute()
  decide(other, 'b.mdx', 'Of the other')
  other.flush()
  const again = await browser.tab()
  expect(decided(again)).toEqual({ 'a.mdx': 'Of the killed one', 'b.mdx': 'Of the other' })
  expect(again.message).toBe('Message of the killed one')
  expect(decided(await browser.tab())).toEqual(decided(again))
})

it('has of what both decided the words that came last', async () => {
  const browser = await begun()
  const [killed, other] = [await browser.tab({ writes: false }), await browser.tab()]
  decide(killed, 'a.mdx', 'Earlier')
  killed.write('Earlier')
  killed.leave()
  passMinute()
  decide(other, 'a.mdx', 'Later')
  other.write('Later')
  other.flush()
  const again = await browser.tab()
  expect([decided(again), again.message]).toEqual([{ 'a.mdx': 'Later' }, 'Later'])
})

it('has the last words of a tab also where another one decided before them, unseen', async () => {
  const browser = await begun()
  const [killed, other] = [await browser.tab({ writes: false }), await browser.tab()]
  decide(other, 'a.mdx', 'Earlier')
  other.flush()
  passMinute()
  decide(killed, 'a.mdx', 'Later')
  killed.leave()
  expect(decided(await browser.tab())).toEqual({ 'a.mdx': 'Later' })
})
