import { afterEach, describe, expect, it, vi } from 'vitest'
import { DeploysView } from '#cli/tui/views/deploys/deploys.ts'
import type { Deploy } from '#contract/deploys.ts'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import { aBranch, aDeploy, aProject } from '#test/support/fake-workspace.ts'
import { fakeContext } from '#test/support/tui-context.ts'

const wide = { width: 130, height: 30 }
const views: DeploysView[] = []
afterEach(() => {
  for (const view of views.splice(0)) view.closed()
})

const three = [
  aDeploy({ id: 'd3', number: 3, status: 'failed', branch: 'new-api', counts: { errors: 2, warnings: 0 }, errors: [] }),
  aDeploy({ id: 'd2', number: 2, branch: 'typos', message: 'Mend typos' }),
  aDeploy({ id: 'd1', number: 1, status: 'superseded', kind: 'deploy' }),
]

async function opened(deploys: readonly Deploy[] = three) {
  const context = fakeContext()
  const { app, workspace } = context
  const { service } = workspace
  service.on(contract.deploys.list, () => ({ items: [...deploys] }))
  service.on(contract.deploys.read, ({ params }) => {
    const errors = [
      { path: 'a.mdx', line: 1, message: 'First.' },
      { path: 'b.mdx', line: 2, message: 'Second.' },
    ]
    const found = three.find(({ id }) => id === params.id) ?? aDeploy()
    return { ...found, errors }
  })
  const view = new DeploysView(context, aProject())
  views.push(view)
  app.push(view)
  await vi.waitFor(() => expect(app.screen()).toContain('1'))
  return { ...context, service, view }
}

describe('the deploys of a project', () => {
  it('are in a list, newest first, each with how it ended', async () => {
    const { app } = await opened()
    const rows = app.screen({ width: 90, height: 10 }).split('\n').slice(1)
    expect(rows[0]).toMatch(/3 {2}failed: 2 errors +Publish of new-api\./)
    expect(rows[1]).toMatch(/2 {2}live +Publish of typos: Mend typos/)
    expect(rows[2]).toMatch(/1 {2}replaced +Deploy of a folder\./)
  })

  it('say of a rollback which deploy it served again', async () => {
    const rollback = aDeploy({ id: 'd4', number: 4, kind: 'rollback', rollbackOf: 'd2' })
    const { app } = await opened([rollback, ...three])
    expect(app.screen({ width: 90, height: 10 })).toMatch(/4 {2}live +Rollback to deploy 2\./)
  })

  it('are the last hundred, and older ones on demand', async () => {
    const all = Array.from({ length: 230 }, (_, n) => aDeploy({ id: `d${230 - n}`, number: 230 - n }))
    const { app, service, view } = await opened()
    service.on(contract.deploys.list, ({ query }) => {
      const { limit = 100, cursor = '0' } = query ?? {}
      const end = Number(cursor) + limit
      return {
        items: all.slice(Number(cursor), end),
        ...(end < all.length ? { nextCursor: String(end) } : {}),
      }
    })
    await app.press('r')
    const hasOlder = (): boolean => view.commands().some(({ id }) => id === 'deploy.older')
    for (const oldest of [131, 31, 1]) {
      await vi.waitFor(async () => {
        await app.press('end')
        expect(app.screen()).toMatch(new RegExp(`^ *${oldest} `, 'm'))
      })
      expect(hasOlder()).toBe(oldest > 1)
      await app.press('m')
    }
  })

  it('have all their errors told, also those that the list leaves out, and lead there', async () => {
    const { app, view, workspace } = await opened()
    workspace.branches = [aBranch()]
    await vi.waitFor(() => expect(app.screen(wide)).toContain('b.mdx:2  Second.'))
    app.screen(wide)
    await app.press('enter')
    expect(view.focused).toBe(view.layout(wide)[1]?.pane)
    await app.press('down', 'enter')
    await vi.waitFor(() => expect(app.top.title).toBe('page new-api b.mdx:2'))
  })

  it('are followed to their end', async () => {
    const { app, service } = await opened([aDeploy({ status: 'building' })])
    expect(app.screen()).toContain('building')
    service.on(contract.deploys.list, () => ({ items: [aDeploy()] }))
    await vi.waitFor(() => expect(app.screen()).toContain('live'), { timeout: 5000 })
  })

  it('can be gone back to, after a summary', async () => {
    const { app, service } = await opened()
    service.on(contract.deploys.rollback, () => aDeploy({ number: 4, kind: 'rollback' }))
    app.dialogs.answer(false, true)
    await app.press('end', 'b')
    expect(service.count(contract.deploys.rollback)).toBe(0)
    expect(app.dialogs.shown[0]).toContain('It takes the place of deploy 2: Publish of typos: Mend typos')
    await app.press('b')
    await vi.waitFor(() => expect(app.notes.at(-1)).toContain('success: Readers see deploy 1 again'))
    expect(service.bodies).toContainEqual({ deployId: 'd1' })
  })

  it('are not gone back to where that would change nothing, or never was', async () => {
    const { app, service } = await opened()
    await app.press('b', 'down', 'b')
    expect(app.notes).toEqual([
      'warning: Deploy 3 never was what readers saw.',
      'warning: Deploy 2 is what readers see.',
    ])
    expect(service.count(contract.deploys.rollback)).toBe(0)
  })

  it('say why one can no longer be served', async () => {
    const { app, service } = await opened()
    service.on(contract.deploys.rollback, () => {
      throw new Failure('release_gone', 'The release of deploy 1 is no longer kept.')
    })
    app.dialogs.answer(true)
    await app.press('end', 'b')
    await vi.waitFor(() => expect(app.notes).toContain('error: The release of deploy 1 is no longer kept.'))
  })

  it('are none at the beginning', async () => {
    const { app } = await opened([aDeploy()])
    app.pop()
    const { app: other } = await opened([aDeploy({ number: 1 })])
    expect(other.screen()).toContain('live')
    expect(app.views).toEqual([])
  })
})
