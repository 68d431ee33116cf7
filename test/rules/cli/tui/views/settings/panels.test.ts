import { expect, test, vi } from 'vitest'
import { accountView } from '#cli/tui/views/settings/account.ts'
import { keysView } from '#cli/tui/views/settings/keys.ts'
import { membersView } from '#cli/tui/views/settings/members.ts'
import { UsageView } from '#cli/tui/views/settings/usage.ts'
import { webhooksView } from '#cli/tui/views/settings/webhooks.ts'
import { scopes } from '#contract/endpoint.ts'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import type { Key } from '#contract/keys.ts'
import type { UsageMeter } from '#contract/usage.ts'
import type { Delivery, Webhook } from '#contract/webhooks.ts'
import { FakeApp } from '#test/support/fake-app.ts'
import { aProject, FakeWorkspace } from '#test/support/fake-workspace.ts'

const at = '2026-01-01T00:00:00.000Z'
const project = aProject()

const webhook: Webhook = {
  id: 'w1',
  url: 'https://example.com/\u001B[2Jhook',
  kind: 'generic',
  events: ['deploy.failed'],
  enabled: true,
  failingSince: at,
  createdAt: at,
  updatedAt: at,
}

const delivery: Delivery = {
  id: 'x1',
  event: { id: 'e1', type: 'deploy.failed' },
  trigger: 'event',
  attempt: 2,
  status: 'failed',
  at,
  durationMs: 12.3,
  url: webhook.url,
  responseStatus: 500,
  error: 'It answered 500.',
  request: { headers: { 'webhook-id': 'e1' }, body: '{"type":"deploy.failed"}' },
  response: { status: 500, headers: {}, body: 'no\u001B]0;x', truncated: false },
}

const key: Key = { id: 'k1', name: 'CI', prefix: 'quire_abcdef', scopes: ['read', 'deploy'], created_at: at }

function start() {
  const app = new FakeApp()
  const workspace = new FakeWorkspace()
  return { app, workspace, service: workspace.service }
}

async function openWebhooks() {
  const all = start()
  all.service.on(contract.webhooks.list, () => ({ items: [webhook] }))
  all.app.push(webhooksView({ ...all, project }))
  await vi.waitFor(() => expect(all.app.screen()).toContain('failing'))
  return all
}

test('a webhook says how it is, without what would command the terminal', async () => {
  const { app } = await openWebhooks()
  expect(app.screen({ width: 140, height: 20 })).toContain('nothing has arrived since 1 January 2026 at')
  expect(app.screen()).toContain('�[2Jhook')
})

test('a webhook is added with its events, and its secret is shown until it is copied', async () => {
  const { app, service } = await openWebhooks()
  service.on(contract.webhooks.create, () => ({ ...webhook, secret: 'whsec_1' }))
  app.dialogs.answer(
    { url: 'example.com' },
    { url: 'https://example.com', events: 'deploy.failed, preview.failed' },
    false,
    false,
    true,
    false,
  )
  await app.press('n')
  await vi.waitFor(() => expect(app.copied).toEqual(['whsec_1']))
  expect(app.dialogs.refusals[0]).toBe('The address begins with https://')
  expect(service.bodies).toContainEqual({ url: 'https://example.com', events: ['deploy.failed', 'preview.failed'] })
})

test('a refused address is told in the form', async () => {
  const { app, service } = await openWebhooks()
  service.on(contract.webhooks.create, () => {
    throw new Failure('webhook_url_private', 'The address is not public.')
  })
  app.dialogs.answer({ url: 'https://10.0.0.1' }, undefined)
  await app.press('n')
  await vi.waitFor(() => expect(app.dialogs.refusals).toEqual(['The address is not public.']))
})

test('a test event says what was answered', async () => {
  const { app, service } = await openWebhooks()
  service.on(contract.webhooks.test, () => delivery)
  await app.press('t')
  await vi.waitFor(() => expect(app.notes).toContain('error: It did not arrive: It answered 500.'))
})

test('a webhook is deleted after a question', async () => {
  const { app, service } = await openWebhooks()
  service.on(contract.webhooks.remove, () => undefined)
  app.dialogs.answer(false)
  await app.press('x')
  expect(service.count(contract.webhooks.remove)).toBe(0)
  app.dialogs.answer(true)
  await app.press('delete')
  await vi.waitFor(() => expect(service.count(contract.webhooks.remove)).toBe(1))
})

test('deliveries show request and answer, and are sent again with a key', async () => {
  const { app, service } = await openWebhooks()
  service.on(contract.webhooks.deliveries, ({ query }) => ({ items: query.status === 'failed' ? [] : [delivery] }))
  service.on(contract.webhooks.delivery, () => delivery)
  service.on(contract.webhooks.redeliver, () => ({ ...delivery, status: 'succeeded' as const, responseStatus: 204 }))
  await app.press('enter')
  await vi.waitFor(() => expect(app.screen()).toContain('deploy.failed'))
  await app.press('enter')
  await vi.waitFor(() => expect(app.dialogs.panes).toHaveLength(1))
  const drawn = app.dialogs.panes[0]?.draw({ width: 60, height: 20 }) ?? []
  const text = drawn.map((line) => line.map((piece) => piece.text).join('')).join('\n')
  expect(text).toContain('Why: It answered 500.')
  expect(text).toContain('webhook-id: e1')
  expect(text).toContain('no�]0;x')
  await app.press('d')
  await vi.waitFor(() => expect(app.notes).toContain('success: It arrived: 204 after 12 ms.'))
  await app.press('f')
  await vi.waitFor(() => expect(app.screen()).toContain('Nothing that was sent has failed. f shows all deliveries.'))
})

test('what cannot be loaded says why and how to try again', async () => {
  const { app, workspace, service } = start()
  service.on(contract.webhooks.list, () => {
    throw new Failure('forbidden', 'Your role does not allow this.')
  })
  app.push(webhooksView({ app, workspace, project }))
  await vi.waitFor(() => expect(app.screen()).toBe('Your role does not allow this. r tries again.'))
  service.on(contract.webhooks.list, () => ({ items: [] }))
  await app.press('r')
  await vi.waitFor(() => expect(app.screen()).toContain('n adds one.'))
})

test('while the service cannot be reached nothing is begun', async () => {
  const { app, workspace } = await openWebhooks()
  workspace.connection = 'offline'
  await app.press('n')
  expect(app.notes).toContain('warning: The service cannot be reached now.')
})

test('the meters of a plan are bars with their limits', async () => {
  const { app, workspace, service } = start()
  const meter = (used: number, limit: number | null): UsageMeter => ({
    used,
    ofProject: used,
    limit,
    remaining: limit === null ? null : limit - used,
    resetsAt: '2099-02-01T00:00:00.000Z',
  })
  service.on(contract.usage.read, () => ({
    plan: 'free' as const,
    period: { start: at, end: at },
    generations: meter(25, 50),
    deploys: { ...meter(3, null), inPeriod: 9 },
    agentMessages: meter(2, 50),
    answers: meter(0, 50),
    models: { inputTokens: 1200, outputTokens: 30, costUsd: 0.5 },
  }))
  app.push(new UsageView({ app, workspace, project }))
  await vi.waitFor(() => expect(app.screen()).toContain('Free plan, January 2026'))
  const screen = app.screen({ width: 40, height: 30 })
  expect(screen).toContain(`${'█'.repeat(20)}${'░'.repeat(20)}`)
  expect(screen).toContain('25 of 50 used, 25 left')
  expect(screen).toContain('2 messages this month')
  expect(screen).toContain('The plan is that of the project’s owner')
  expect(screen).toContain('3 used, unlimited')
  expect(screen).toContain('1,200 tokens read, 30 written')
})

test('a new key is shown once, with what it may do', async () => {
  const { app, workspace, service } = start()
  service.on(contract.keys.list, () => ({ items: [key] }))
  service.on(contract.keys.create, () => ({ ...key, key: 'quire_secret' }))
  app.push(keysView({ app, workspace, project }))
  await vi.waitFor(() => expect(app.screen()).toContain('deploy and publish'))
  app.dialogs.answer({ name: 'CI', scopes: 'read, deploy', expires: 'never' }, true, false)
  await app.press('n')
  await vi.waitFor(() => expect(app.copied).toEqual(['quire_secret']))
  expect(service.bodies).toContainEqual({ name: 'CI', scopes: ['read', 'deploy'] })
})

test('a key is revoked when its name was typed', async () => {
  const { app, workspace, service } = start()
  service.on(contract.keys.list, () => ({ items: [key] }))
  service.on(contract.keys.revoke, () => undefined)
  app.push(keysView({ app, workspace, project }))
  await vi.waitFor(() => expect(app.screen()).toContain('CI'))
  app.dialogs.answer('other', 'CI')
  await app.press('x')
  expect(service.count(contract.keys.revoke)).toBe(0)
  await app.press('x')
  await vi.waitFor(() => expect(app.notes).toContain('success: The key CI is revoked.'))
})

const scopesOfRole = { owner: [...scopes], writer: scopes.filter((scope) => scope !== 'admin') }

async function openMembers(role: 'owner' | 'writer') {
  const all = start()
  all.service.on(contract.members.list, () => ({
    items: [
      {
        id: role === 'owner' ? 'a1' : 'o1',
        name: 'ada',
        email: 'ada@example.com',
        role: 'owner' as const,
        addedAt: at,
      },
      { id: role === 'owner' ? 'w1' : 'a1', name: 'bob', role: 'writer' as const, addedAt: at },
    ],
  }))
  all.service.on(contract.invitations.list, () => ({
    items: [{ id: 'i1', email: 'cy@example.com', role: 'writer' as const, createdAt: at, expiresAt: at }],
  }))
  all.service.on(contract.members.remove, () => undefined)
  const left = vi.fn<() => void>()
  all.app.push(membersView({ ...all, left, project: aProject({ role, scopes: scopesOfRole[role] }) }))
  await vi.waitFor(() => expect(all.app.screen()).toContain('bob'))
  return { ...all, left }
}

test('an owner invites by a link, takes invitations back and removes writers', async () => {
  const { app, service } = await openMembers('owner')
  service.on(contract.invitations.create, ({ body }) => ({
    id: 'i2',
    email: body.email,
    role: body.role ?? 'writer',
    createdAt: at,
    expiresAt: at,
    code: 'c',
    url: 'http://localhost/invitations/i2',
    mailed: false,
  }))
  service.on(contract.invitations.revoke, () => undefined)
  app.dialogs.answer({ email: 'dee@example.com' }, true, false)
  await app.press('n')
  await vi.waitFor(() => expect(app.copied).toEqual(['http://localhost/invitations/i2']))
  app.dialogs.answer(true, true)
  await app.press('end', 'x')
  await vi.waitFor(() => expect(app.notes).toContain('success: cy@example.com is no longer invited.'))
  await app.press('home', 'down', 'x')
  await vi.waitFor(() => expect(app.notes).toContain('success: bob is no longer a member.'))
})

test('a writer sees no invitations, and leaves by typing the name of the project', async () => {
  const { app, service, left } = await openMembers('writer')
  expect(app.screen()).not.toContain('cy@example.com')
  await app.press('n')
  expect(app.notes).toContain('warning: Only the owner of the project can do that.')
  app.dialogs.answer(project.slug)
  await app.press('end', 'x')
  await vi.waitFor(() => expect(app.notes).toContain('success: You left acme-docs.'))
  expect(service.count(contract.members.remove)).toBe(1)
  // What lies below is of a project that is no more seen.
  expect(left).toHaveBeenCalledOnce()
})

test('who was the owner a moment ago sees who is now', async () => {
  const { app, service } = await openMembers('owner')
  service.on(contract.invitations.list, () => {
    throw new Failure('forbidden', 'Only the owner of the project may do this.')
  })
  service.on(contract.members.list, () => ({
    items: [{ id: 'm2', name: 'bob', role: 'owner' as const, addedAt: at }],
  }))
  await app.press('r')
  await vi.waitFor(() => expect(app.screen()).toMatch(/bob .*owner/))
  expect(app.screen()).not.toContain('cy@example.com')
})

test('the account shows sessions and invitations, and changes the settings', async () => {
  const { app, workspace, service } = start()
  const session = {
    id: 's1',
    kind: 'terminal',
    client: 'quire on ada',
    address: '',
    createdAt: at,
    usedAt: at,
  } as const
  service.on(contract.sessions.list, () => ({ items: [{ ...session, current: false }] }))
  service.on(contract.sessions.revoke, () => undefined)
  service.on(contract.invitations.received, () => ({
    items: [
      {
        id: 'i1',
        project: 'other',
        title: 'Other',
        role: 'writer' as const,
        needsCode: true,
        createdAt: at,
        expiresAt: at,
      },
    ],
  }))
  service.on(contract.invitations.accept, ({ body }) => {
    if (body.code !== 'abc') throw new Failure('forbidden', 'The code is wrong.')
    return { project: 'other', member: { id: 'a1', name: 'ada', role: 'writer' as const, addedAt: at } }
  })
  let isOut = false
  app.push(accountView(app, workspace, { signOut: async () => void (isOut = true) }))
  await vi.waitFor(() => expect(app.screen()).toContain('quire on ada'))
  app.dialogs.answer('light')
  await app.press('t')
  expect(app.settings.values.theme).toBe('light')
  app.dialogs.answer({ code: 'x' }, { code: 'http://localhost:4000/dashboard#invitation=inv_1.abc' })
  await app.press('down', 'down', 'y')
  await vi.waitFor(() => expect(app.notes).toContain('success: You are a writer of other now.'))
  app.dialogs.answer(true, true)
  await app.press('end', 'x')
  await vi.waitFor(() => expect(service.count(contract.sessions.revoke)).toBe(1))
  await app.press('O')
  await vi.waitFor(() => expect(isOut).toBe(true))
})

test('without the service the settings can be changed all the same', async () => {
  const { app, workspace } = start()
  workspace.connection = 'offline'
  app.push(accountView(app, workspace, { signOut: async () => undefined }))
  await vi.waitFor(() => expect(app.screen()).toContain('colours auto'))
})
