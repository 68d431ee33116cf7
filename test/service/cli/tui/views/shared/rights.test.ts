import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openWorkspace } from '#cli/tui/data/service/open-workspace.ts'
import type { Workspace } from '#cli/tui/data/workspace.ts'
import { projects } from '#cli/tui/routes.ts'
import { PendingMerges } from '#cli/tui/views/merge/pending-merges.ts'
import type { Credential } from '#cli/service/service.ts'
import { createClient } from '#client/client.ts'
import type { Scope } from '#contract/endpoint.ts'
import { contract } from '#contract/index.ts'
import { FakeApp } from '#test/support/fake-app.ts'
import { join } from '#test/support/members.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { docsForEachTest } from '#test/support/cli/tui/data/workspaces.ts'

const docs = docsForEachTest('rights')
const slug = 'docs'

const session = (token: string, email: string): Credential => ({
  kind: 'session',
  token,
  email,
  location: { kind: 'file', path: '' },
})

async function writer(): Promise<Credential> {
  const url = docs.service.url
  const email = `${docs.branch.name}@example.com`
  const body = { email, password: 'correct horse battery' }
  const { token } = await createClient({ baseUrl: url }).call(contract.accounts.signup, { body })
  const owner = createClient({ baseUrl: url, token: docs.project.session })
  await join(owner, slug, { email, client: createClient({ baseUrl: url, token }) })
  return session(token, email)
}

async function keyWith(...scopes: Scope[]): Promise<Credential> {
  const owner = createClient({ baseUrl: docs.service.url, token: docs.project.session })
  const body = { name: scopes.join(' '), scopes }
  const { key } = await owner.call(contract.keys.create, { params: { slug }, body })
  return { kind: 'key', token: key }
}

async function opens(credential: Credential) {
  const app = new FakeApp()
  const environment = { stateDirectory: await temporaryDirectory() }
  const workspace: Workspace = await openWorkspace({ environment, url: docs.service.url, credential })
  onTestFinished(() => workspace.close())
  app.push(projects(app, { workspace, pendingMerges: new PendingMerges() }, { signOut: () => Promise.resolve() }))
  await vi.waitFor(() => expect(app.screen()).toContain(docs.branch.name))
  return app
}

const rights = /^Only the owner|lacks the scope|is of one project/

/** Commands of the view that somebody is told they may not do. */
function refusedAtTop({ top }: FakeApp): readonly string[] {
  const told = top.commands().filter(({ unavailable = '' }) => rights.test(unavailable))
  return told.map(({ id }) => id).toSorted()
}

async function ontoBranch(app: FakeApp): Promise<void> {
  await app.press('end')
  expect(app.command('branch.publish').title).toBe('Publish the branch')
}

async function intoFiles(app: FakeApp): Promise<void> {
  await ontoBranch(app)
  await app.press('enter')
  await vi.waitFor(() => expect(app.screen()).toContain('docs.json'))
}

async function go(app: FakeApp, id: string): Promise<void> {
  await app.command(id).run()
}

describe('what people may not do', () => {
  test('an owner may do everything', async () => {
    const app = await opens(session(docs.project.session, 'docs@example.com'))
    await ontoBranch(app)
    expect(refusedAtTop(app)).toEqual([])
    await go(app, 'project.members')
    await vi.waitFor(() => expect(app.screen()).toContain('docs@example.com'))
    expect(app.command('member.invite').unavailable).toBeUndefined()
  })

  test('a writer writes and publishes, and does not administer', async () => {
    const app = await opens(await writer())
    await ontoBranch(app)
    expect(refusedAtTop(app)).toEqual(['project.keys'])
    expect(app.command('project.keys').unavailable).toBe('Only the owner of the project can do that.')
    await go(app, 'project.members')
    await vi.waitFor(() => expect(app.screen()).toContain('owner'))
    expect(refusedAtTop(app)).toContain('member.invite')
  })

  test('a key that reads looks at everything, and is told of each command what it lacks', async () => {
    const app = await opens(await keyWith('read'))
    await ontoBranch(app)
    expect(refusedAtTop(app)).toEqual([
      'branch.create',
      'branch.delete',
      'branch.publish',
      'branch.update',
      'project.keys',
      'project.webhooks',
    ])
    expect(app.command('branch.publish').unavailable).toBe(
      'The API key in SERVICE_API_KEY lacks the scope deploy: start with a key that has it, or sign in.',
    )
    await go(app, 'project.changelog')
    await vi.waitFor(() => expect(app.screen()).toContain('Nothing is written'))
    expect(refusedAtTop(app)).toEqual(['entry.create'])
    app.pop()

    await intoFiles(app)
    expect(refusedAtTop(app)).toEqual([
      'branch.assistant',
      'branch.publish',
      'file.create',
      'file.navigate',
      'file.remove',
      'file.rename',
      'file.restore',
      'file.upload',
      'project.keys',
      'project.webhooks',
    ])
  })

  test('a page that cannot be saved is shown, not written', async () => {
    const app = await opens(await keyWith('read'))
    await intoFiles(app)
    await app.press('end', 'enter')
    await vi.waitFor(() => expect(app.top.about).toContain('as it is'))
    await app.type('x')
    expect(app.screen()).not.toContain('not saved')
    expect(refusedAtTop(app)).toContain('page.branch')
  })

  test('a key that deploys publishes what others wrote, and writes nothing', async () => {
    const app = await opens(await keyWith('read', 'deploy'))
    await ontoBranch(app)
    expect(refusedAtTop(app)).not.toContain('branch.publish')
    expect(refusedAtTop(app)).toContain('branch.create')
  })

  test('a key that writes lets the assistant write, and does not publish', async () => {
    const app = await opens(await keyWith('read', 'write'))
    await intoFiles(app)
    expect(refusedAtTop(app)).toEqual(['branch.publish', 'project.keys'])
  })
})
