import { afterEach, describe, expect, it, vi } from 'vitest'
import { lineText } from '#cli/tui/canvas/width.ts'
import { BranchesView } from '#cli/tui/views/branches/branches.ts'
import { contract } from '#contract/index.ts'
import { Failure } from '#contract/failure.ts'
import type { UnsavedFile } from '#cli/tui/data/workspace.ts'
import type { Branch } from '#contract/branches.ts'
import { aBranch, aDeploy, aDraft, aProject } from '#test/support/fake-workspace.ts'
import { fakeContext } from '#test/support/tui-context.ts'

const wide = { width: 120, height: 30 }

async function opened(branches: readonly Branch[] = [aBranch()]) {
  const context = fakeContext()
  const project = aProject({ live: aDeploy({ number: 41, branch: 'start', message: 'Publish start' }) })
  context.workspace.all = [project]
  context.workspace.branches = branches
  context.workspace.service.on(contract.branches.history, () => ({ items: [] }))
  const view = new BranchesView(context, project)
  context.app.push(view)
  await vi.waitFor(() => expect(context.app.screen()).toContain('what readers see'))
  return { ...context, service: context.workspace.service, view }
}

describe('the branches of a project', () => {
  const views: BranchesView[] = []
  afterEach(() => {
    for (const view of views.splice(0)) view.closed()
  })
  const open: typeof opened = async (branches) => {
    const all = await opened(branches)
    views.push(all.view)
    return all
  }

  it('are main with what is live, then each with its changes and its preview', async () => {
    const failed = { ...aBranch().preview, status: 'failed' as const, counts: { errors: 2, warnings: 0 } }
    const { app } = await open([aBranch({ upToDate: false, preview: failed }), aBranch({ name: 'typos' })])
    const [, main, first, second] = app.screen({ width: 90, height: 20 }).split('\n')
    expect(main).toMatch(/^main .*deploy 41 .*live/)
    expect(first).toMatch(/^new-api .*\+1 ~2 −0 .*behind main .*2 errors/)
    expect(second).toMatch(/^typos .*up to date .*ready/)
  })

  it('are there from the newest on, where there are so many that the others take longer', async () => {
    const context = fakeContext()
    const { app, workspace } = context
    workspace.branches = [aBranch({ name: 'typos' }), aBranch({ name: 'the-oldest' })]
    workspace.newest = workspace.branches.slice(0, 1)
    let resolve = (): void => undefined
    workspace.others = new Promise((done) => (resolve = done))
    workspace.all = [aProject()]
    workspace.service.on(contract.branches.history, () => ({ items: [] }))
    const view = new BranchesView(context, aProject())
    views.push(view)
    app.push(view)
    await vi.waitFor(() => expect(app.screen()).toContain('typos'))
    expect(app.screen()).not.toContain('the-oldest')
    expect(lineText(view.status())).toBe('reading the other branches …')
    resolve()
    await vi.waitFor(() => expect(app.screen()).toContain('the-oldest'))
    expect(lineText(view.status())).toBe('')
  })

  it('are read less often where that takes long', async () => {
    vi.useFakeTimers()
    try {
      const building = { ...aBranch().preview, status: 'building' as const }
      const context = fakeContext()
      const { app, workspace } = context
      let reads = 0
      workspace.branches = [aBranch({ preview: building })]
      workspace.newest = workspace.branches
      Object.defineProperty(workspace, 'others', {
        get: () => {
          reads += 1
          return new Promise((done) => setTimeout(done, 4_000))
        },
      })
      workspace.all = [aProject()]
      workspace.service.on(contract.branches.history, () => ({ items: [] }))
      const view = new BranchesView(context, aProject())
      views.push(view)
      app.push(view)
      await vi.advanceTimersByTimeAsync(4_000 + 39_000)
      expect(reads).toBe(1)
      await vi.advanceTimersByTimeAsync(2_000)
      expect(reads).toBe(2)
    } finally {
      vi.useRealTimers()
    }
  })

  it.each([200, 120, 90, 78, 70, 60])('stand in columns, main and the others, in %i columns', async (width) => {
    const { app } = await open([aBranch({ name: 'typos' })])
    const [, main = '', branch = ''] = app.screen({ width, height: 20 }).split('\n')
    expect(main.indexOf('live')).toBe(branch.indexOf('ready'))
    expect(main.indexOf('deploy 41')).toBe(branch.indexOf('up to date'))
  })

  it('have for their names what the other columns leave', async () => {
    const name = 'a-chapter-on-webhooks-and-signatures'
    const { app } = await open([aBranch({ name })])
    expect(app.screen({ width: 78, height: 20 }).split('\n')[2]).toContain(`${name}  `)
  })

  it('have no details and nothing to publish while the filter leaves none of them', async () => {
    const { app } = await open()
    await app.press('/')
    await app.type('zzz')
    expect(app.screen(wide)).toContain('Nothing matches.')
    expect(app.screen(wide)).not.toContain('What readers see')
    expect(app.top.commands().map(({ id }) => id)).not.toContain('branch.publish')
  })

  it('fit into 40 columns', async () => {
    const { app } = await open()
    expect(app.screen({ width: 40, height: 15 }).split('\n')[2]).toMatch(/^new-api .*\+1 ~2 −0 +ready$/)
  })

  it('are looked at while a preview is built, so that its state is the true one', async () => {
    const building = { ...aBranch().preview, status: 'building' as const }
    const { app, workspace } = await open([aBranch({ preview: building })])
    expect(app.screen()).toContain('building')
    workspace.branches = [aBranch()]
    await vi.waitFor(() => expect(app.screen()).toContain('ready'), { timeout: 5000 })
  })

  it('open the place of an error of the preview', async () => {
    const errors = [{ path: 'guide.mdx', line: 7, column: 3, message: 'Expected a closing tag.', frame: '7 | <Note' }]
    const preview = { ...aBranch().preview, status: 'failed' as const, errors, counts: { errors: 1, warnings: 0 } }
    const { app, view } = await open([aBranch({ preview })])
    await app.press('down')
    expect(app.screen(wide)).toContain('guide.mdx:7:3  Expected a closing tag.')
    view.focused = view.layout(wide)[1]?.pane
    await app.press('enter')
    expect(app.top.title).toBe('page new-api guide.mdx:7')
  })

  it('say from when they are where the service cannot be reached', async () => {
    const context = await open()
    context.workspace.connection = 'offline'
    await context.app.press('r')
    expect(
      context.view
        .status()
        .map(({ text }) => text)
        .join(''),
    ).toMatch(/^offline, as of \d\d:\d\d$/)
  })

  it('begin as a copy of main or of another, under the name that was meant', async () => {
    const { app, service, workspace } = await open()
    service.on(contract.branches.create, ({ body }) => {
      const created = aBranch({ name: body.name, id: 'b2' })
      workspace.branches = [created, aBranch()]
      return created
    })
    app.dialogs.answer({ name: 'Fix the Intro' })
    await app.press('down', 'n')
    await vi.waitFor(() => expect(app.top.title).toBe('files of acme-docs fix-the-intro'))
    expect(service.bodies).toContainEqual({ name: 'fix-the-intro' })
    app.pop()
    app.dialogs.answer({ name: 'other', from: 'new-api' })
    await app.press('n')
    expect(service.bodies).toContainEqual({ name: 'other', from: 'new-api' })
  })

  it('promise a name only where the branch may be called so', async () => {
    const { app } = await open()
    const ask = vi.spyOn(app.dialogs, 'ask')
    app.dialogs.answer(undefined)
    await app.press('n')
    const help = ask.mock.calls[0]?.[0].fields[0]?.help
    const said = (typed: string): unknown => (typeof help === 'function' ? help(typed) : help)
    expect(said('New words')).toBe('It will be called new-words.')
    expect(said('New words!')).toBe('A few words on what it is for.')
  })

  it('keep the form open with why the service refuses', async () => {
    const { app, service } = await open()
    service.on(contract.branches.create, () => {
      throw new Failure('quota_exceeded', 'The Free plan allows 1 generation a month, and it is used up.', {
        hint: 'The count resets tomorrow.',
      })
    })
    app.dialogs.answer({ name: 'new-api' }, { name: 'other' }, undefined)
    await app.press('n')
    expect(app.dialogs.refusals).toEqual([
      'There is a branch new-api already.',
      'The Free plan allows 1 generation a month, and it is used up. The count resets tomorrow.',
    ])
    expect(app.dialogs.left).toBe(0)
  })

  it('are deleted when the name was typed, and only then', async () => {
    const { app, service, workspace } = await open()
    service.on(contract.branches.remove, () => {
      workspace.branches = []
      return undefined
    })
    await app.press('down')
    app.dialogs.answer('new')
    await app.press('x')
    expect(service.count(contract.branches.remove)).toBe(0)
    app.dialogs.answer('new-api')
    await app.press('delete')
    await vi.waitFor(() => expect(app.screen()).not.toContain('new-api'))
    expect(app.notes).toContain('success: Deleted new-api')
  })

  it('tell of drafts that would have nowhere to go before one is deleted', async () => {
    const { app, workspace } = await open()
    workspace.drafts = [aDraft({ path: 'a.mdx' }), aDraft({ path: 'b.mdx', branch: 'other' })]
    app.dialogs.answer(false)
    await app.press('down', 'x')
    expect(app.dialogs.shown.at(-1)).toContain('Not saved on it: 1 draft of this machine')
  })

  it('are no longer asked about by whom Esc led on before the drafts were found', async () => {
    const { app, workspace } = await open()
    let found: (drafts: readonly UnsavedFile[]) => void = () => undefined
    vi.spyOn(workspace, 'unsaved').mockReturnValue(new Promise((resolve) => (found = resolve)))
    await app.press('down', 'x')
    app.breakOff()
    found([])
    await app.press('up')
    expect(app.dialogs.shown).toEqual([])
    expect([app.bugs, app.notes]).toEqual([[], []])
  })

  it('take in what main has', async () => {
    const { app, service, workspace } = await open([aBranch({ upToDate: false })])
    service.on(contract.branches.update, () => {
      workspace.branches = [aBranch()]
      return aBranch()
    })
    await app.press('down', 'u')
    await vi.waitFor(() => expect(app.screen()).toContain('up to date'))
    expect(app.notes).toContain('success: new-api has all that main has.')
    await app.press('u')
    expect(app.notes.at(-1)).toBe('warning: new-api has all that main has.')
  })

  it('that somebody else deleted meanwhile are told so by their names, and go from the list', async () => {
    const { app, service, workspace } = await open([aBranch({ upToDate: false }), aBranch({ id: 'b2', name: 'typos' })])
    const refuse = (): never => {
      throw new Failure('not_found', 'The project has no branch 4f8d2e4dfe180489.')
    }
    service.on(contract.branches.update, refuse).on(contract.branches.remove, refuse)
    await app.press('down')
    workspace.branches = [aBranch({ id: 'b2', name: 'typos' })]
    await app.press('u')
    await vi.waitFor(() => expect(app.screen()).not.toContain('new-api'))
    expect(app.notes.at(-1)).toContain(
      'error: The branch new-api is gone for you: somebody published or deleted it, or',
    )
    await app.press('home', 'down')
    workspace.branches = []
    app.dialogs.answer('typos')
    await app.press('x')
    await vi.waitFor(() => expect(app.screen()).not.toContain('typos'))
    expect(app.notes.at(-1)).toBe('success: typos was gone already: somebody published or deleted it.')
  })

  it('show their preview in the browser, else its address', async () => {
    const { app } = await open()
    await app.press('down', 'o')
    expect(app.opened).toEqual(['http://acme-docs--new-api.localhost:4000'])
    Object.assign(app.environment, { browser: false })
    await app.press('o')
    expect(app.copied).toEqual(['http://acme-docs--new-api.localhost:4000'])
    expect(app.dialogs.shown.at(-1)).toContain('http://acme-docs--new-api.localhost:4000')
  })

  it('of the sample project cannot be changed', async () => {
    const { app, workspace, service } = await open()
    workspace.readOnly = true
    await app.press('down', 'n', 'x', 'P')
    expect(new Set(app.notes)).toEqual(
      new Set(['warning: The sample project can only be looked at. Sign in to change something.']),
    )
    expect(service.count(contract.branches.create)).toBe(0)
  })

  it('of a service that cannot be reached are not changed, and it is said why', async () => {
    const { app, workspace, service } = await open()
    workspace.connection = 'offline'
    await app.press('down', 'n', 'P')
    expect(new Set(app.notes)).toEqual(new Set(['warning: The service cannot be reached now.']))
    expect(service.count(contract.branches.create)).toBe(0)
  })

  it('are no longer looked at when the view is left', async () => {
    const { app, workspace } = await open()
    app.pop()
    expect(workspace.listeners).toBe(0)
  })
})
