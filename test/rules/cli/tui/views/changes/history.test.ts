import { describe, expect, it, vi } from 'vitest'
import type { Draft } from '#cli/tui/data/drafts/draft.ts'
import { textDiff } from '#cli/tui/data/text-diff.ts'
import { BranchDiffView } from '#cli/tui/views/changes/branch-diff.ts'
import { HistoryView } from '#cli/tui/views/changes/history.ts'
import type { Branch, HistoryCommit } from '#contract/branches.ts'
import { contract } from '#contract/index.ts'
import { Failure } from '#contract/failure.ts'
import { aBranch, aProject } from '#test/support/fake-workspace.ts'
import { fakeContext } from '#test/support/tui-context.ts'

const aCommit = (own: Partial<HistoryCommit> = {}): HistoryCommit => ({
  oid: '1'.repeat(40),
  parents: ['2'.repeat(40)],
  author: { name: 'Ada', email: 'ada@example.com' },
  message: 'Explain keys\n\nMore',
  committedAt: '2026-03-01T10:00:00.000Z',
  ...own,
})

/** A draft that keeps what is done with it. */
function aFileDraft(own: Partial<Draft> = {}): Draft & { readonly done: string[] } {
  const done: string[] = []
  return {
    done,
    path: 'guide.mdx',
    base: { oid: '3'.repeat(40), text: 'new\n' },
    text: 'new\n',
    cursor: 0,
    recovered: false,
    state: 'saved',
    theirs: undefined,
    trouble: undefined,
    onChange: () => () => undefined,
    changed: (text: () => string) => void done.push(`changed ${text()}`),
    save: async (message?: string) => void done.push(`saved ${message}`),
    rebase: () => undefined,
    lend: () => Promise.reject(new Error('no program runs here')),
    discard: async () => undefined,
    keep: async () => undefined,
    close: async () => undefined,
    ...own,
  }
}

const aFile = (commit: string | undefined, content: string) => ({
  path: 'guide.mdx',
  oid: '5'.repeat(40),
  size: content.length,
  content,
  encoding: 'utf-8' as const,
  status: 'modified' as const,
  commit: commit ?? '',
})

function opened(path?: string, branch: Branch | 'main' = aBranch()) {
  const context = fakeContext()
  const { service } = context.workspace
  const commits = [aCommit(), aCommit({ oid: '4'.repeat(40), message: 'Begin' })]
  service.on(contract.branches.history, () => ({ items: commits }))
  service.on(contract.branches.diff, () => ({ head: 'a'.repeat(40), files: [textDiff('guide.mdx', 'old\n', 'new\n')] }))
  service.on(contract.branches.readFile, ({ query }) =>
    aFile(query.commit, query.commit === '4'.repeat(40) ? 'first\n' : 'old\n'),
  )
  const asked: unknown[] = []
  service.on(contract.files.history, ({ query }) => {
    asked.push(query)
    return { items: [aCommit({ message: 'Publish keys' })] }
  })
  service.on(contract.files.diff, ({ query }) => {
    asked.push(query)
    return { head: query.commit, files: [textDiff('guide.mdx', 'old\n', 'new\n')] }
  })
  const draft = aFileDraft()
  context.workspace.branchFiles = { edit: async () => draft }
  const view = new HistoryView({
    context,
    project: aProject(),
    branch,
    ...(path === undefined ? {} : { path }),
  })
  context.app.push(view)
  return { ...context, service, view, draft, asked }
}

describe('the history', () => {
  it('lists commits, and shows beside them what the selected one changed', async () => {
    const { app, view } = opened()
    const size = { width: 120, height: 20 }
    await vi.waitFor(() => expect(app.screen(size)).toContain('Explain keys'))
    await vi.waitFor(() => expect(app.screen(size)).toContain('+ new'))
    expect(app.screen(size)).toMatch(/Begin +Ada/)
    view.closed()
  })

  it('of a branch that somebody deleted says which one it was', async () => {
    const { app, service, view } = opened()
    await vi.waitFor(() => expect(app.screen()).toContain('Explain keys'))
    service.on(contract.branches.history, () => {
      throw new Failure('not_found', 'The project has no branch 5a1105a45fa141d2.')
    })
    await app.press('f5')
    await vi.waitFor(() => expect(app.notes.join()).toContain('The branch new-api is gone'))
    view.closed()
  })

  it('opens a commit with its message', async () => {
    const { app } = opened()
    await vi.waitFor(() => expect(app.screen()).toContain('Explain keys'))
    await app.press('enter')
    await vi.waitFor(() => expect(app.screen()).toContain('− old'))
    expect(app.screen()).toMatch(/^Explain keys\nMore\nAda, .*, 11111111/)
  })

  it('of main shows what its commits changed, and says where their versions of a file are taken back', async () => {
    const { app, asked } = opened('guide.mdx', 'main')
    await vi.waitFor(() => expect(app.screen()).toContain('Publish keys'))
    await app.press('enter')
    await vi.waitFor(() => expect(app.screen()).toContain('− old'))
    expect(asked).toEqual([
      { limit: 100, path: 'guide.mdx' },
      { commit: '1'.repeat(40), path: 'guide.mdx' },
    ])
    await app.press('r')
    expect(app.notes.at(-1)).toMatch(/^warning: main changes when a branch is published: .*take it back there/)
  })

  it('takes the version of a file back after it showed what that changes', async () => {
    const { app, draft } = opened('guide.mdx')
    await vi.waitFor(() => expect(app.screen()).toContain('Begin'))
    await app.press('down')
    await app.press('r')
    await vi.waitFor(() => expect(app.screen()).toContain('+ first'))
    expect(app.screen()).toContain('− new')
    expect(draft.done).toEqual([])
    await app.press('enter')
    await vi.waitFor(() => expect(draft.done).toEqual(['changed first\n', `saved Take guide.mdx back to 44444444`]))
    await vi.waitFor(() => expect(app.notes.at(-1)).toMatch(/^success: guide.mdx is what it was/))
    expect(app.top.title).toBe('History of guide.mdx')
  })

  it('keeps its place, far below, for who comes back from a commit', async () => {
    const { app, service } = opened('guide.mdx')
    const old = aCommit({ oid: '7'.repeat(40), message: 'Long ago' })
    service.on(contract.branches.history, ({ query }) =>
      query.cursor === undefined ? { items: [aCommit()], nextCursor: 'c1' } : { items: [old] },
    )
    await app.press('f5')
    await vi.waitFor(() => expect(app.screen()).not.toContain('Begin'))
    await app.press('m')
    await vi.waitFor(() => expect(app.screen()).toContain('Long ago'))
    await app.press('end')
    await app.press('enter')
    expect(app.top.title).toBe('Long ago')
    service.on(contract.branches.history, () => ({
      items: [aCommit({ oid: '8'.repeat(40), message: 'Newest' }), aCommit()],
    }))
    app.pop()
    await vi.waitFor(() => expect(app.screen()).toContain('Newest'))
    await app.press('enter')
    expect(app.top.title).toBe('Long ago')
  })

  it('takes a version of an image back, with its size for what cannot be shown', async () => {
    const { app, service, workspace } = opened('images/pic.png')
    service.on(contract.branches.readFile, () => ({
      ...aFile('', 'AAEC'),
      path: 'images/pic.png',
      size: 3,
      encoding: 'base64' as const,
    }))
    const put: unknown[] = []
    const now = { path: 'images/pic.png', status: 'modified' as const, oid: '6'.repeat(40), size: 2048 }
    workspace.branchFiles = {
      list: async () => ({ value: [now], asOf: new Date(), offline: false }),
      upload: async (...given) => void put.push(given),
    }
    await vi.waitFor(() => expect(app.screen()).toContain('Begin'))
    app.dialogs.answer(true)
    await app.press('r')
    await vi.waitFor(() => expect(app.notes.at(-1)).toMatch(/^success: images\/pic\.png is what it was/))
    expect(app.dialogs.shown.join()).toContain('Now it has 2.0 KB')
    expect(put).toEqual([['images/pic.png', Buffer.from([0, 1, 2]), now.oid]])
  })

  it('saves what is not saved before it takes a version back, so that the history keeps it', async () => {
    const { app, workspace } = opened('guide.mdx')
    const draft = aFileDraft({ text: 'typed\n', state: 'changed' })
    const save = async (message?: string): Promise<void> => {
      draft.done.push(`saved ${message}`)
      Object.assign(draft, { state: 'saved' })
    }
    workspace.branchFiles = { edit: async () => Object.assign(draft, { save }) }
    await vi.waitFor(() => expect(app.screen()).toContain('Begin'))
    await app.press('r')
    await vi.waitFor(() => expect(app.screen()).toContain('− typed'))
    app.dialogs.answer(true)
    await app.press('enter')
    await vi.waitFor(() => expect(app.top.title).toBe('History of guide.mdx'))
    expect(draft.done).toEqual([
      'saved Keep guide.mdx before it is taken back',
      'changed old\n',
      'saved Take guide.mdx back to 11111111',
    ])
  })

  it('asks before it replaces what is not saved', async () => {
    const { app, workspace } = opened('guide.mdx')
    const draft = aFileDraft({ text: 'typed\n', state: 'changed' })
    workspace.branchFiles = { edit: async () => draft }
    await vi.waitFor(() => expect(app.screen()).toContain('Begin'))
    await app.press('r')
    await vi.waitFor(() => expect(app.screen()).toContain('− typed'))
    app.dialogs.answer(false)
    await app.press('enter')
    await vi.waitFor(() => expect(app.dialogs.shown).toHaveLength(1))
    expect(draft.done).toEqual([])
  })

  it('takes back what a commit deleted', async () => {
    const { app, service, workspace } = opened('guide.mdx')
    service.on(contract.branches.readFile, ({ query }) => {
      if (query.commit === '1'.repeat(40)) throw new Failure('not_found', 'There is no such file.')
      return aFile(query.commit, 'before\n')
    })
    const created: string[] = []
    const draft = aFileDraft()
    workspace.branchFiles = {
      edit: () => Promise.reject(new Failure('not_found', 'There is no such file.')),
      create: async (path, text) => {
        created.push(path, text)
        return draft
      },
    }
    await vi.waitFor(() => expect(app.screen()).toContain('Begin'))
    await app.press('r')
    await vi.waitFor(() => expect(app.screen()).toContain('+ before'))
    await app.press('enter')
    await vi.waitFor(() => expect(created).toEqual(['guide.mdx', 'before\n']))
    await vi.waitFor(() => expect(draft.done.at(-1)).toBe('saved Take guide.mdx back to 22222222'))
  })

  it('says so where the file is as it was', async () => {
    const { app, workspace } = opened('guide.mdx')
    workspace.branchFiles = { edit: async () => aFileDraft({ text: 'old\n' }) }
    await vi.waitFor(() => expect(app.screen()).toContain('Begin'))
    await app.press('r')
    await vi.waitFor(() => expect(app.notes).toEqual(['info: The file is as it was then already.']))
  })
})

describe('the changes of a branch', () => {
  function changes() {
    const context = fakeContext()
    const files = [
      textDiff('guide.mdx', 'one\ntwo\n', 'one\n2\n'),
      { ...textDiff('new.mdx', '', 'a\n'), status: 'added' as const },
    ]
    context.workspace.service.on(contract.branches.diff, () => ({ head: 'a'.repeat(40), files }))
    const view = new BranchDiffView(context, aProject(), aBranch())
    context.app.push(view)
    return { ...context, view }
  }

  it('are its files with their counts, and the diff beside them', async () => {
    const { app, view } = changes()
    await vi.waitFor(() =>
      expect(app.screen({ width: 120, height: 20 })).toMatch(/\n~ {2}guide.mdx +\+1 −1 +▾ guide.mdx {2}changed/),
    )
    expect(
      view
        .status()
        .map(({ text }) => text)
        .join(''),
    ).toBe('2 files  +2 −1')
    expect(app.screen({ width: 60, height: 20 }).split('\n').slice(1, 6)).toEqual([
      expect.stringMatching(/^~ {2}guide.mdx +\+1 −1$/),
      expect.stringMatching(/^\+ {2}new.mdx +\+1 −0$/),
      '',
      'Since it left main',
      expect.stringMatching(/^▾ guide.mdx/),
    ])
  })

  it('lead to the editor, at the first change', async () => {
    const { app } = changes()
    await vi.waitFor(() => expect(app.screen()).toContain('guide.mdx'))
    await app.press('enter')
    expect(app.top.title).toBe('page new-api guide.mdx:2')
  })

  it('are undone after a question', async () => {
    const { app, workspace } = changes()
    const restored: string[] = []
    const file = { path: 'guide.mdx', status: 'modified' as const, oid: '1'.repeat(40), size: 1 }
    workspace.branchFiles = {
      list: async () => ({ value: [file], asOf: new Date(), offline: false }),
      restore: async ({ path }) => void restored.push(path),
    }
    await vi.waitFor(() => expect(app.screen()).toContain('guide.mdx'))
    app.dialogs.answer(true)
    await app.press('x')
    await vi.waitFor(() => expect(restored).toEqual(['guide.mdx']))
    await vi.waitFor(() => expect(app.notes).toContain('success: guide.mdx is as on main.'))
  })
})

it('the breadcrumb of changes and of a history names their branch, wherever they are opened from', () => {
  const context = fakeContext()
  const [project, branch] = [aProject(), aBranch({ name: 'words' })]
  expect(new BranchDiffView(context, project, branch).title).toBe('Changes of words')
  expect(new HistoryView({ context, project, branch }).title).toBe('History of words')
})
