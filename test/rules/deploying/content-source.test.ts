import { beforeEach, describe, expect, it } from 'vitest'
import { mainRef } from '#content/refs/ref-names.ts'
import { Failure } from '#contract/failure.ts'
import type { CommitContent, ContentSource } from '#deploying/content-source.ts'
import { author, ended, Rooms } from '#test/support/rooms.ts'

let rooms: Rooms

beforeEach(async () => {
  rooms = await Rooms.open()
})

/** A source that writes down how it is called; each commit that it gives has a new parent main. */
class Source implements ContentSource {
  readonly kind = 'push'
  readonly calls: string[] = []
  readonly retries?: true
  readonly #next: (main: string | null) => Promise<CommitContent>

  constructor(next: (main: string | null) => Promise<CommitContent>, retries = true) {
    this.#next = next
    if (retries) this.retries = true
  }

  async validate(): Promise<void> {
    this.calls.push('validate')
  }

  prepare(main: string | null): Promise<CommitContent> {
    this.calls.push('prepare')
    return this.#next(main)
  }

  committed(): void {
    this.calls.push('committed')
  }

  aborted(): void {
    this.calls.push('aborted')
  }
}
const commitOn = async (main: string | null, text: string): Promise<CommitContent> => {
  const files = [{ path: 'a.md', content: Buffer.from(text) }]
  const { commit } = await rooms.repository.replaceTree({ files, parent: main, author, message: text })
  return { type: 'commit', commit }
}
/** Somebody moves main each time before the deploy would. */
const overtake = (times: number, before: () => void = () => undefined): void => {
  let left = times
  rooms.onStep = (step) => {
    if (step !== 'after-release' || left-- === 0) return
    before()
    rooms.beforeMainMoves(async () => {
      const { commit } = await commitOn(await rooms.main(), `foreign ${left}`)
      await rooms.repository.updateRefs([{ ref: mainRef, new: commit }])
    })
  }
}

describe('a content source', () => {
  it('is asked once, and told that its commit is live', async () => {
    const source = new Source((main) => commitOn(main, 'mine'))
    expect(await ended(rooms.deploys.run(rooms.trigger(), source))).toMatchObject({ status: 'live', kind: 'push' })
    expect(source.calls).toEqual(['validate', 'prepare', 'committed'])
  })

  it('is asked again with what main is then, each time in a release of its own', async () => {
    const mains: (string | null)[] = []
    const source = new Source((main) => {
      mains.push(main)
      return commitOn(main, `on ${mains.length}`)
    })
    overtake(2)
    const deploy = await ended(rooms.deploys.run(rooms.trigger(), source))
    expect(deploy).toMatchObject({ status: 'live', number: 1 })
    expect(source.calls).toEqual(['validate', 'prepare', 'aborted', 'prepare', 'aborted', 'prepare', 'committed'])
    expect(new Set(mains).size).toBe(3)
    expect((await rooms.repository.readCommit(deploy.commit ?? '')).parents).toEqual([mains[2]])
    expect(rooms.site('/a.md')).toBe('on 3')
    expect([...rooms.releases.releases.keys()]).toEqual([deploy.id, `${deploy.id}-2`, `${deploy.id}-3`])
    expect(rooms.quota).toEqual([`deploy held ${deploy.id}`, 'deploy used'])
  })

  it('takes a deploy of the plan when it has come to change something, and gives it back when it no longer does', async () => {
    await rooms.deploy({ 'a.md': 'live' })
    const { length } = rooms.quota
    let asked = 0
    const source = new Source((main) => commitOn(main, ['live', 'other', 'live'][asked++] ?? ''))
    const taken: number[] = []
    overtake(2, () => taken.push(rooms.quota.length - length))
    const deploy = await ended(rooms.deploys.run(rooms.trigger(), source))
    expect(deploy).toMatchObject({ status: 'live' })
    expect(taken).toEqual([0, 1])
    expect(rooms.quota.slice(length)).toEqual([`deploy held ${deploy.id}`, 'deploy given back'])
  })

  it('gives up after five times', async () => {
    const source = new Source((main) => commitOn(main, `${Math.random()}`))
    overtake(9)
    await expect(ended(rooms.deploys.run(rooms.trigger(), source))).rejects.toMatchObject({ code: 'stale_ref' })
    expect(source.calls.filter((call) => call === 'prepare')).toHaveLength(5)
    expect(source.calls.at(-1)).toBe('aborted')
    expect((await rooms.history())[0]).toMatchObject({ status: 'failed' })
    expect(rooms.quota.at(-1)).toBe('deploy given back')
  })

  it('that does not retry is not asked again', async () => {
    const source = new Source((main) => commitOn(main, 'mine'), false)
    overtake(1)
    await expect(ended(rooms.deploys.run(rooms.trigger(), source))).rejects.toMatchObject({ code: 'stale_ref' })
    expect(source.calls).toEqual(['validate', 'prepare', 'aborted'])
  })

  it('that refuses the second time ends the deploy with its refusal', async () => {
    let asked = 0
    const source = new Source((main) => {
      if (++asked > 1) throw new Failure('merge_conflict', 'It does not go together any more.')
      return commitOn(main, 'mine')
    })
    overtake(1)
    await expect(ended(rooms.deploys.run(rooms.trigger(), source))).rejects.toMatchObject({ code: 'merge_conflict' })
    expect((await rooms.history())[0]).toMatchObject({
      status: 'failed',
      errors: [{ message: 'It does not go together any more.' }],
    })
    expect(rooms.logged).toEqual([])
    expect(source.calls.at(-1)).toBe('aborted')
  })

  it('is not asked when an earlier deploy with the same key is the answer', async () => {
    const idempotency = { key: 'k', body: 'b' }
    await ended(rooms.deploys.run(rooms.trigger({ idempotency }), new Source((main) => commitOn(main, 'mine'))))
    const second = new Source((main) => commitOn(main, 'mine'))
    expect(await ended(rooms.deploys.run(rooms.trigger({ idempotency }), second))).toMatchObject({ number: 1 })
    expect(second.calls).toEqual([])
  })
})
