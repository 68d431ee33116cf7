import { afterEach, describe, expect, it, vi } from 'vitest'
import type { UnsavedFile } from '#cli/tui/data/workspace.ts'
import { ProjectsView, slugTrouble } from '#cli/tui/views/projects/projects.ts'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import type { Project } from '#contract/projects.ts'
import { aBranch, aDeploy, aDraft, aProject } from '#test/support/fake-workspace.ts'
import { fakeContext } from '#test/support/tui-context.ts'

const two = [aProject({ live: aDeploy() }), aProject({ slug: 'handbook', title: 'Handbook', role: 'writer' })]
const opened: ReturnType<typeof fakeContext>[] = []
afterEach(() => {
  for (const { app } of opened.splice(0)) for (const view of app.views) view.closed?.()
})

async function open(projects: readonly Project[] | Error, drafts: readonly UnsavedFile[] = []) {
  const context = fakeContext()
  opened.push(context)
  context.workspace.all = projects
  context.workspace.drafts = drafts
  context.app.push(new ProjectsView(context))
  await vi.waitFor(() => expect(context.app.screen()).not.toContain('Loading'))
  return context
}

describe('the projects of an account', () => {
  it('are in a list, each with its role and whether it is live', async () => {
    const { app } = await open(two)
    const [, first, second] = app.screen({ width: 90, height: 10 }).split('\n')
    expect(first).toMatch(/^Acme .*acme-docs .*owner .*live/)
    expect(second).toMatch(/^Handbook .*handbook .*writer .*not published yet/)
    await app.press('down', 'enter')
    expect(app.top.title).toBe('handbook')
  })

  it('are gone into at once where there is one only, and Esc comes back to the list', async () => {
    const { app } = await open([aProject()])
    await vi.waitFor(() => expect(app.top.title).toBe('acme-docs'))
    await app.press('escape')
    await vi.waitFor(() => expect(app.screen()).toContain('Acme'))
    expect(app.top.title).toBe('Projects')
  })

  it('are not gone into by themselves where somebody was faster', async () => {
    const context = fakeContext()
    opened.push(context)
    let read: (drafts: readonly UnsavedFile[]) => void = () => undefined
    context.workspace.all = [aProject()]
    context.workspace.unsaved = () => new Promise((resolve) => (read = resolve))
    context.app.push(new ProjectsView(context))
    await vi.waitFor(() => expect(context.app.screen()).toContain('Acme'))
    await context.app.press('enter')
    read([])
    // All that the list does with the answer.
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(context.app.views.map(({ title }) => title)).toEqual(['Projects', 'acme-docs'])
  })

  it('stand below the drafts of this machine that are not saved, which open where they were left', async () => {
    const { app, workspace } = await open([aProject()], [aDraft({ path: 'guide.mdx' })])
    expect(app.top.title).toBe('Projects')
    expect(app.screen({ width: 90, height: 10 })).toMatch(/● guide\.mdx .*acme-docs › new-api .*draft, not saved/)
    workspace.branches = [aBranch()]
    await app.press('enter')
    await vi.waitFor(() => expect(app.top.title).toBe('page new-api guide.mdx:'))
  })

  it('show what was typed, to be copied, where one is no member any more', async () => {
    const { app, workspace } = await open(two, [aDraft({ slug: 'lost', text: async () => 'Words of hers.\n' })])
    const project = workspace.project.bind(workspace)
    workspace.project = (slug) => {
      if (slug !== 'lost') return project(slug)
      const gone = () => Promise.reject(new Failure('not_found', 'There is no such project, or it is not yours.'))
      return { ...project(slug), read: gone, branches: gone }
    }
    await vi.waitFor(() => expect(app.screen()).toContain('lost'))
    app.dialogs.answer(true)
    await app.press('enter')
    await vi.waitFor(() => expect(app.copied).toEqual(['Words of hers.\n']))
    expect(app.dialogs.shown.join()).toContain('Words of hers.')
  })

  describe('are there before the drafts of this machine, of which there may be many', () => {
    const openBeforeDrafts = async () => {
      const context = fakeContext()
      opened.push(context)
      Object.assign(context.workspace, { all: two, branches: [aBranch()] })
      let read: (drafts: readonly UnsavedFile[]) => void = () => undefined
      context.workspace.unsaved = () => new Promise((resolve) => (read = resolve))
      context.app.push(new ProjectsView(context))
      await vi.waitFor(() => expect(context.app.screen()).toContain('Handbook'))
      const tell = async (): Promise<void> => {
        read([aDraft({ path: 'guide.mdx' })])
        await vi.waitFor(() => expect(context.app.screen()).toContain('guide.mdx'))
      }
      return { app: context.app, tell }
    }

    it('and what somebody has selected meanwhile stays so', async () => {
      const { app, tell } = await openBeforeDrafts()
      await app.press('down')
      await tell()
      await app.press('enter')
      expect(app.top.title).toBe('handbook')
    })

    it('and who has done nothing yet goes on with the newest draft by Enter', async () => {
      const { app, tell } = await openBeforeDrafts()
      await tell()
      await app.press('enter')
      await vi.waitFor(() => expect(app.top.title).toBe('page new-api guide.mdx:'))
    })
  })

  it('tell where a draft is when its branch is gone', async () => {
    const { app } = await open(two, [aDraft({ branch: 'gone' })])
    await app.press('enter')
    expect(app.notes.at(-1)).toMatch(/^error: The branch gone of acme-docs is gone.* The draft stays on this machine/)
  })

  it('say what to do where there is none, and where they cannot be read', async () => {
    const { app } = await open([])
    expect(app.screen()).toContain('Press n to create one')
    const { app: other } = await open(new Failure('unavailable', 'It cannot be reached.'))
    expect(other.screen()).toContain('could not be read')
    expect(other.notes).toEqual(['error: It cannot be reached.'])
  })

  it('get one more by a form, which stays while the service refuses', async () => {
    const { app, workspace } = await open(two)
    workspace.service.on(contract.projects.create, ({ body }) => {
      if (body.slug === 'taken') throw new Failure('project_exists', 'The slug taken is taken.')
      return aProject({ slug: body.slug, title: body.title ?? '' })
    })
    app.dialogs.answer({ slug: 'No!' }, { slug: 'taken' }, { slug: 'new-docs', title: 'New docs' })
    await app.press('n')
    await vi.waitFor(() => expect(app.top.title).toBe('new-docs'))
    expect(app.dialogs.refusals).toHaveLength(2)
    expect(workspace.service.bodies.at(-1)).toEqual({ slug: 'new-docs', title: 'New docs' })
  })

  it('are none yet for who is invited, which is said with the key that leads there', async () => {
    const context = fakeContext()
    opened.push(context)
    const { app, workspace } = context
    workspace.all = []
    workspace.service.on(contract.invitations.received, () => ({
      items: [
        {
          id: 'i1',
          project: 'acme-docs',
          title: 'Acme Docs',
          role: 'writer' as const,
          needsCode: true,
          createdAt: '2026-11-01T00:00:00.000Z',
          expiresAt: '2026-11-15T00:00:00.000Z',
        },
      ],
    }))
    Object.assign(context.routes, {
      more: () => [{ id: 'account', title: 'Account', run: () => app.notify('the account') }],
    })
    app.push(new ProjectsView(context))
    await vi.waitFor(() => expect(app.screen({ width: 60, height: 9 })).toContain('You are invited to Acme Docs.'))
    expect(app.screen().replaceAll(/\s+/g, ' ')).toContain('or n to create a project of your own.')
    await app.press('a')
    expect(app.notes).toEqual(['info: the account'])
  })

  it('show their sites in the browser', async () => {
    const { app } = await open(two)
    await app.press('o')
    expect(app.opened).toEqual(['http://acme-docs.localhost:4000'])
    Object.assign(app.environment, { browser: false })
    await app.press('o')
    expect(app.opened).toHaveLength(1)
    expect(app.dialogs.shown.at(-1)).toContain('http://acme-docs.localhost:4000')
    await app.press('down', 'o')
    expect(app.notes.at(-1)).toContain('There is no site yet')
  })
})

describe('the slug of a project', () => {
  it.each(['Docs', 'a--b', '-a', 'acme-docs'])('may not be %j', (slug) => {
    expect(slugTrouble(slug, two)).toBeDefined()
  })

  it('may be a word with hyphens', () => {
    expect(slugTrouble('new-docs', two)).toBeUndefined()
  })
})
