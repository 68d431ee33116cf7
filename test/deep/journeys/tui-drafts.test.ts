import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Draft } from '#cli/tui/data/drafts/draft.ts'
import { openWorkspace } from '#cli/tui/data/service/open-workspace.ts'
import type { Branch, Workspace } from '#cli/tui/data/workspace.ts'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { createProject, startService, type ProjectAccess, type ServiceProcess } from '#test/support/service-process.ts'
import { removeDirectory } from '#test/support/temporary.ts'

/** What writers lose nothing of: a service that is killed amid their work, and one that is away for a day. */
describe('drafts and a service that comes and goes', () => {
  let directory: string
  let service: ServiceProcess
  let project: ProjectAccess
  let branch: Branch
  const open = (): Promise<Workspace> =>
    openWorkspace({
      environment: { stateDirectory: join(directory, 'state') },
      url: service.url,
      credential: {
        kind: 'session',
        token: project.session,
        email: 'docs@example.com',
        location: { kind: 'file', path: '' },
      },
    })
  const onBranch = async (path: string): Promise<string> => {
    const params = { slug: project.slug, id: branch.id, path }
    return (await project.client.call(contract.branches.readFile, { params })).content
  }
  const restart = async (): Promise<void> => {
    service = await startService(join(directory, 'data'), {}, service.port)
  }
  const type = (draft: Draft, text: string): void =>
    draft.changed(
      () => text,
      () => 0,
    )

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'quire-tui-drafts-'))
    service = await startService(join(directory, 'data'))
    project = await createProject(service.url, 'docs')
    const files = [
      { path: 'docs.json', content: '{"name":"Docs"}' },
      { path: 'index.mdx', content: '# Home\n' },
    ]
    await project.client.call(contract.deploys.create, { body: { files } })
    const owner = createClient({ baseUrl: service.url, token: project.session })
    branch = await owner.call(contract.branches.create, { params: { slug: 'docs' }, body: { name: 'edits' } })
  })
  afterAll(async () => {
    await service.stop()
    await removeDirectory(directory)
  })

  // Five starts of a service, and the pause after each until the connection is tried again.
  const patience = { timeout: 300_000 }

  it(
    'saves again and again while the service is killed, and the branch ends with the last text',
    patience,
    async () => {
      const workspace = await open()
      const draft = await workspace.project('docs').files(branch).edit('index.mdx')
      for (let round = 1; round <= 4; round++) {
        type(draft, `# Home\n\nround ${round}\n`)
        const saving = draft.save()
        // Amid the save, or just before or after it.
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 40))
        await service.kill()
        await saving.catch(() => undefined)
        expect(['waiting', 'saved', 'changed']).toContain(draft.state)
        await restart()
        if (draft.state === 'changed') await draft.save()
        await expect.poll(() => draft.state, { timeout: 45_000 }).toBe('saved')
        expect(await onBranch('index.mdx')).toBe(`# Home\n\nround ${round}\n`)
      }
      await draft.close()
      expect(await workspace.unsaved()).toEqual([])
      await workspace.close()
    },
  )

  it('works offline on what was opened before, and brings it to the branch with the next start', patience, async () => {
    const before = await open()
    await before.projects()
    const space = before.project('docs')
    await space.branches()
    await space.files(branch).list()
    await space.files(branch).read('index.mdx')
    await before.close()
    await service.stop()

    const away = await open()
    expect((await away.projects()).offline).toBe(true)
    const [known] = (await away.project('docs').branches()).value
    if (known === undefined) throw new Error('the branches are not kept')
    const files = away.project('docs').files(known)
    expect((await files.list()).value.map(({ path }) => path)).toEqual(['docs.json', 'index.mdx'])
    const draft = await files.edit('index.mdx')
    type(draft, '# Home\n\nfrom a train\n')
    await draft.save()
    const created = await files.create('new.mdx', '')
    type(created, '# New, from a train\n')
    await created.save()
    expect([draft.state, created.state, away.connection]).toEqual(['waiting', 'waiting', 'offline'])
    await away.close()

    await restart()
    const next = await open()
    await expect.poll(() => next.unsaved(), { timeout: 45_000 }).toEqual([])
    expect([await onBranch('index.mdx'), await onBranch('new.mdx')]).toEqual([
      '# Home\n\nfrom a train\n',
      '# New, from a train\n',
    ])
    await next.close()
  })
})
