import { afterEach, describe, expect, it, vi } from 'vitest'
import { PublishView } from '#cli/tui/views/publish/publish.ts'
import { deploysSince, ownCommits } from '#authoring/branch-history.ts'
import type { Branch, HistoryCommit } from '#contract/branches.ts'
import type { Deploy, DeployEvent } from '#contract/deploys.ts'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import { aBranch, aDeploy, aDraft, aProject } from '#test/support/fake-workspace.ts'
import { fakeContext } from '#test/support/tui-context.ts'

const size = { width: 100, height: 40 }

const aCommit = (own: Partial<HistoryCommit>): HistoryCommit => ({
  oid: 'a'.repeat(40),
  parents: [],
  author: { name: 'ada', email: 'ada@example.com' },
  message: 'Write',
  committedAt: '2026-03-01T10:00:00.000Z',
  ...own,
})

const views: PublishView[] = []
afterEach(() => {
  for (const view of views.splice(0)) view.closed()
})

async function opened(branch: Branch | 'main' = aBranch()) {
  const context = fakeContext()
  const { app, workspace } = context
  const project = aProject({ live: aDeploy({ number: 41, branch: 'start', message: 'Publish start' }) })
  workspace.all = [project]
  workspace.branches = branch === 'main' ? [] : [branch]
  workspace.service
    .on(contract.branches.history, () => ({ items: [] }))
    .on(contract.deploys.list, () => ({ items: [] }))
  const view = new PublishView(context, { project, branch })
  views.push(view)
  app.push({ title: 'Branches', about: '', layout: () => [], commands: () => [] })
  app.push(view)
  await app.press('home')
  return { ...context, service: workspace.service, view }
}

/** Answers a publish with a deploy that goes through its stages and ends so. */
function endingWith(service: Awaited<ReturnType<typeof opened>>['service'], end: Deploy): void {
  service.on(contract.branches.publish, () => aDeploy({ status: 'building' }))
  service.stream(contract.deploys.events, async function* (): AsyncGenerator<DeployEvent> {
    yield { type: 'stage', stage: 'build', at: '2026-03-01T10:00:00.000Z' }
    yield { type: 'progress', done: 2, total: 3 }
    yield { type: 'stage', stage: 'point', at: '2026-03-01T10:00:01.000Z' }
    yield { type: 'done', deploy: end }
  })
}

describe('before a publish', () => {
  it('is said in a few sentences to who hears it', async () => {
    const { view } = await opened(aBranch({ upToDate: false }))
    expect(view.spoken()).toMatch(/^Against main: .* changed.* Ready: .* Main has moved on since the branch left it\.$/)
  })

  it('a person sees what changes, what it replaces and what others wrote', async () => {
    const { app, service } = await opened(aBranch({ upToDate: false }))
    service.on(contract.branches.history, () => ({
      items: [
        aCommit({ oid: '1'.repeat(40), parents: ['2'.repeat(40)] }),
        aCommit({ oid: '2'.repeat(40), author: { name: 'grace', email: 'grace@example.com' }, message: 'Mend a typo' }),
      ],
    }))
    app.top.shown?.()
    await vi.waitFor(() => expect(app.screen(size)).toContain('grace'))
    const screen = app.screen(size)
    expect(screen).toContain('Publish new-api to Acme')
    expect(screen).toContain('1 file added, 2 changed')
    expect(screen).toContain('1 commit of 2 on this branch')
    expect(screen).toContain('Mend a typo')
    expect(screen).toContain('It replaces deploy 41')
    expect(screen).toContain('Main has moved on')
  })

  it('whoever has a key sees who wrote what, as nobody knows which of it is theirs', async () => {
    const { app, service, workspace } = await opened()
    Object.assign(workspace, { identity: { kind: 'key' } })
    const author = { name: 'Laptop', email: '1@keys.quire.invalid' }
    service.on(contract.branches.history, () => ({ items: [aCommit({ author, message: 'Write the guide' })] }))
    app.top.shown?.()
    await vi.waitFor(() => expect(app.screen(size)).toContain('1 commit on this branch'))
    expect(app.screen(size)).toMatch(/Laptop +Write the guide/)
    expect(app.screen(size)).not.toContain('others')
  })

  it('a person sees the warnings of the preview, and can go to them', async () => {
    const warnings = [{ path: 'index.mdx', line: 12, message: 'A link leads nowhere.' }]
    const preview = { ...aBranch().preview, warnings, counts: { errors: 0, warnings: 1 } }
    const { app } = await opened(aBranch({ preview }))
    expect(app.screen(size)).toContain('index.mdx:12  A link leads nowhere.')
    await app.press('e')
    expect(app.top.title).toBe('page new-api index.mdx:12')
  })

  it('Enter goes to an error of the preview, and Shift-P publishes all the same', async () => {
    const errors = [{ path: 'index.mdx', line: 3, message: 'Not closed.' }]
    const preview = { ...aBranch().preview, status: 'failed' as const, errors, counts: { errors: 1, warnings: 0 } }
    const { app, service, view } = await opened(aBranch({ preview }))
    await app.press('enter')
    expect(app.top.title).toBe('page new-api index.mdx:3')
    expect(service.count(contract.branches.publish)).toBe(0)
    expect(view.commands().find(({ id }) => id === 'publish')?.keys).toEqual(['P'])
  })

  it('a person sees what is not saved on the branch, and nothing is published without it unasked', async () => {
    const { app, service, workspace } = await opened()
    workspace.drafts = [aDraft({ path: 'late.mdx' }), aDraft({ path: 'other.mdx', branch: 'other' })]
    endingWith(service, aDeploy())
    app.dialogs.answer(false)
    await app.press('enter')
    await vi.waitFor(() => expect(app.dialogs.left).toBe(0))
    expect(app.dialogs.shown.at(-1)).toContain('Not saved on the branch: late.mdx.')
    expect(app.screen(size)).toContain('● late.mdx')
    expect(service.count(contract.branches.publish)).toBe(0)
    await app.press('e')
    expect(app.top.title).toBe('page new-api late.mdx:')
    app.pop()
    app.dialogs.answer(true)
    await app.press('enter')
    await vi.waitFor(() => expect(app.dialogs.progresses[0]?.outcome).toBe('done'))
  })

  it('nothing is published by the key that opened the summary', async () => {
    const { app, service } = await opened()
    await app.press('P')
    expect(service.count(contract.branches.publish)).toBe(0)
  })

  it('the preview is followed until it is built', async () => {
    const building = { ...aBranch().preview, status: 'building' as const }
    const { app, workspace } = await opened(aBranch({ preview: building }))
    expect(app.screen(size)).toContain('It is being built')
    workspace.branches = [aBranch()]
    await vi.waitFor(() => expect(app.screen(size)).toContain('Ready: 3 pages'), { timeout: 5000 })
  })
})

describe('a publish', () => {
  it('tells its phases, and at the end where the site is', async () => {
    const { app, service } = await opened()
    endingWith(service, aDeploy({ number: 42, durationMs: 1234 }))
    await app.press('enter')
    await vi.waitFor(() => expect(app.dialogs.progresses[0]?.outcome).toBe('done'))
    const [progress] = app.dialogs.progresses
    expect(progress?.said).toEqual(['joining with main', 'building pages', '2 of 3', 'going live'])
    expect(progress?.lines).toEqual(['Live at http://acme-docs.localhost:4000', '3 pages, 1 built anew, 1.2 s.'])
    await progress?.actions[0]?.run()
    expect(app.opened).toEqual(['http://acme-docs.localhost:4000'])
    expect(app.top.title).toBe('Branches')
  })

  it('has the message that the person gave it', async () => {
    const { app, service } = await opened()
    endingWith(service, aDeploy())
    app.dialogs.answer({ message: 'Describe the API' })
    await app.press('m', 'enter')
    await vi.waitFor(() => expect(app.dialogs.progresses[0]?.outcome).toBe('done'))
    expect(service.bodies).toContainEqual({ branchId: 'b-new-api', message: 'Describe the API' })
  })

  it('that does not build lists what is wrong, and leads there', async () => {
    const { app, service } = await opened()
    const errors = [{ path: 'guide.mdx', line: 5, message: 'Not closed.' }]
    endingWith(service, aDeploy({ status: 'failed', errors, counts: { errors: 1, warnings: 0 } }))
    await app.press('enter')
    await vi.waitFor(() => expect(app.dialogs.progresses[0]?.outcome).toBe('failed'))
    expect(app.screen(size)).toContain('guide.mdx:5  Not closed.')
    await app.press('enter')
    expect(app.top.title).toBe('page new-api guide.mdx:5')
  })

  it('that the plan refuses says why and until when', async () => {
    const { app, service } = await opened()
    service.on(contract.branches.publish, () => {
      throw new Failure('quota_exceeded', 'The Free plan allows 3 deploys a day, and they are used up.', {
        hint: 'The count resets at midnight.',
        retryAfter: 3600,
      })
    })
    await app.press('enter')
    await vi.waitFor(() => expect(app.dialogs.progresses[0]?.outcome).toBe('failed'))
    expect(app.dialogs.progresses[0]?.lines).toEqual([
      'The Free plan allows 3 deploys a day, and they are used up.',
      'The count resets at midnight.',
      'Readers see what they saw before, and the branch is as it was.',
    ])
  })

  it('says in one sentence why it waits, and for how long', async () => {
    const { app, service } = await opened()
    service.on(contract.branches.publish, () => {
      throw new Failure('unavailable', 'It cannot be reached.', { retryAfter: 60 })
    })
    await app.press('enter')
    await vi.waitFor(() => expect(app.dialogs.progresses[0]?.said).toContain('It cannot be reached; again in 60 s'))
    app.dialogs.progresses[0]?.cancel()
  })

  it('waits for another deploy, says so, and is not begun when the person stops waiting', async () => {
    const { app, service } = await opened()
    service.on(contract.branches.publish, () => {
      throw new Failure('deploy_in_progress', 'A deploy is in progress.', { retryAfter: 60 })
    })
    await app.press('enter')
    await vi.waitFor(() =>
      expect(app.dialogs.progresses[0]?.said).toContain('another deploy is under way; again in 60 s'),
    )
    app.dialogs.progresses[0]?.cancel()
    await vi.waitFor(() => expect(app.notes.at(-1)).toContain('You no longer wait'))
    expect(service.count(contract.branches.publish)).toBe(1)
    expect(app.top.title).toBe('Publish')
  })

  it.each([
    ['and cannot be begun again', []],
    ['also where the branch was there a moment ago', [aBranch()]],
  ])('for which nobody waits any more is told when it has ended, %s', async (_words, branches) => {
    const { app, service, workspace } = await opened()
    service.on(contract.branches.publish, () => aDeploy({ status: 'building' }))
    service.stream(contract.deploys.events, async function* (): AsyncGenerator<DeployEvent> {
      yield { type: 'stage', stage: 'build', at: '2026-03-01T10:00:00.000Z' }
      await new Promise((_, reject) => {
        const stop = (): void => reject(new DOMException('stopped', 'AbortError'))
        app.dialogs.progresses[0]?.signal.addEventListener('abort', stop)
      })
    })
    await app.press('enter')
    await vi.waitFor(() => expect(app.dialogs.progresses[0]?.said).toContain('building pages'))
    service.on(contract.deploys.list, () => {
      workspace.branches = []
      return { items: [aDeploy({ id: 'd42', number: 42, branch: 'new-api' })] }
    })
    workspace.branches = branches
    app.dialogs.progresses[0]?.cancel()
    await vi.waitFor(() => expect(app.notes.at(-1)).toBe('success: new-api is published, with deploy 42.'), 5_000)
    expect(app.screen(size)).toContain('All of it is in main')
    await app.press('enter')
    expect(app.dialogs.progresses).toHaveLength(1)
    expect(app.notes.at(-1)).toBe('warning: new-api is published, with deploy 42.')
  })

  it('of a branch that somebody deleted meanwhile says so, and gives up what was decided for it', async () => {
    const { app, service, pendingMerges, workspace } = await opened()
    const place = { slug: 'acme-docs', branchId: aBranch().id }
    const pendingMerge = await pendingMerges.open(place)
    const seen = { main: null, branch: null }
    pendingMerge.absorb([{ path: 'a.mdx', seen, decision: { content: 'By hand' }, settled: true }])
    service.on(contract.branches.publish, () => {
      throw new Failure('not_found', 'The project has no branch b1.')
    })
    workspace.branches = []
    await app.press('enter')
    await vi.waitFor(() =>
      expect(app.dialogs.progresses[0]?.lines).toEqual(['The branch new-api is gone: somebody deleted it.']),
    )
    expect(app.screen(size)).toContain('Nothing of it can be published any more.')
    expect((await pendingMerges.open(place)).written).toEqual([])
  })

  it('whose answer was lost is sent with the same key again, and a new one with another', async () => {
    const keys: (string | undefined)[] = []
    const { app, service } = await opened()
    service.on(contract.branches.publish, ({ headers }) => {
      keys.push(headers['idempotency-key'])
      if (keys.length <= 2) throw new Failure('unavailable', 'It cannot be reached.', { retryAfter: 0 })
      throw new Failure('forbidden', 'You may not publish.')
    })
    await app.press('enter')
    await vi.waitFor(() => expect(app.dialogs.progresses[0]?.outcome).toBe('failed'))
    await app.press('enter')
    await vi.waitFor(() => expect(app.dialogs.progresses[1]?.outcome).toBe('failed'))
    expect(new Set(keys.slice(0, 3)).size).toBe(1)
    expect(keys[3]).not.toBe(keys[0])
  })

  it('has conflicts settled on the way, and goes on', async () => {
    const { app, service } = await opened()
    const conflict = {
      path: 'logo.png',
      type: 'binary',
      omitted: 'binary',
      oids: { main: 'c'.repeat(40), branch: 'd'.repeat(40) },
    }
    endingWith(service, aDeploy())
    const publish = service
    publish.on(contract.branches.publish, ({ body }) => {
      if (body.resolutions === undefined)
        throw new Failure('merge_conflict', 'They do not go together.', { extra: { conflicts: [conflict] } })
      return aDeploy({ status: 'building' })
    })
    await app.press('enter')
    await vi.waitFor(() => expect(app.top.title).toBe('Conflicts'))
    await app.press('1', 'ctrl+s')
    await vi.waitFor(() => expect(app.dialogs.progresses.at(-1)?.outcome).toBe('done'))
    expect(service.bodies.at(-2)).toEqual({
      branchId: 'b-new-api',
      resolutions: [{ path: 'logo.png', use: 'branch', seen: { main: 'c'.repeat(40), branch: 'd'.repeat(40) } }],
    })
  })

  it('of main builds it anew', async () => {
    const { app, service } = await opened('main')
    endingWith(service, aDeploy())
    expect(app.screen(size)).toContain('Publish main again')
    await app.press('enter')
    await vi.waitFor(() => expect(app.dialogs.progresses[0]?.outcome).toBe('done'))
    expect(service.bodies.at(-2)).toEqual({})
  })
})

describe('the commits of a branch', () => {
  it('are those that main does not have', () => {
    const commits = [
      aCommit({ oid: 'own2', parents: ['merge'] }),
      aCommit({ oid: 'merge', parents: ['own1', 'main2'] }),
      aCommit({ oid: 'main2', parents: ['main1'] }),
      aCommit({ oid: 'own1', parents: ['main1'] }),
      aCommit({ oid: 'main1', parents: [] }),
    ]
    expect(ownCommits(commits, 'main2').map(({ oid }) => oid)).toEqual(['own2', 'merge', 'own1'])
    expect(ownCommits(commits, undefined)).toHaveLength(5)
  })
})

describe('what became live since a branch left main', () => {
  it('are the later deploys that worked', () => {
    const deploys = [
      aDeploy({ number: 4, commit: 'd' }),
      aDeploy({ number: 3, commit: 'c', status: 'failed' }),
      aDeploy({ number: 2, commit: 'b', status: 'superseded' }),
      aDeploy({ number: 1, commit: 'a', status: 'superseded' }),
    ]
    expect(deploysSince(deploys, 'a').map(({ number }) => number)).toEqual([4, 2])
    expect(deploysSince(deploys, 'unknown')).toEqual([])
  })
})
