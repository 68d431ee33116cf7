import { beforeEach, describe, expect, it } from 'vitest'
import { AuditLog } from '#audit/audit-log.ts'
import type { Client } from '#client/client.ts'
import type { AuditEntry } from '#contract/audit.ts'
import { operator } from '#contract/operator.ts'
import { AuditNotes, type AuditPort } from '#operator/audit-notes.ts'
import { operatorClient } from '#test/support/operator/support.ts'
import { openFileRecords } from '#test/support/file-records.ts'
import { openAccess, type AccessRoom } from '#test/support/access.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const ada = 'ada@example.com'
const grace = 'grace@example.com'

let room: AccessRoom
let client: Client
let audit: AuditLog
const unkept: string[] = []
const collected: string[] = []
const woken: string[] = []

function openClient(port: AuditPort): Promise<Client> {
  const notes = new AuditNotes(port, (_error, projectId) => void unkept.push(projectId))
  const operated = {
    repair: () => Promise.reject(new Error('nothing is to be repaired')),
    collect: (projectId: string) => {
      collected.push(projectId)
      return Promise.resolve({ repositoryBytes: 1, releases: 2, releaseBytes: 3 })
    },
  }
  const liveDeploy = (projectId: string) =>
    Promise.resolve(projectId === 'docs' ? { number: 3, createdAt: '2026-11-21T12:00:00.000Z' } : null)
  return operatorClient({
    rooms: () => Promise.resolve({ ...room, operated, notes, liveDeploy, wake: (id) => void woken.push(id) }),
  })
}

/** Ada owns docs and writes leaves, which Grace owns. */
beforeEach(async () => {
  room = await openAccess()
  const records = openFileRecords(await temporaryDirectory())
  audit = new AuditLog({ records, now: room.now })
  unkept.length = 0
  collected.length = 0
  woken.length = 0
  client = await openClient(audit)
  for (const [email, slug] of [
    [ada, 'docs'],
    [grace, 'leaves'],
  ] as const)
    await room.lifecycle.create((await room.records.create({ email, password: null })).id, { slug })
  await room.members.add('leaves', ada)
  return () => records.close()
})

const remove = () => client.call(operator.accounts.remove, { query: { email: ada } })

async function told(slug: string): Promise<string[]> {
  const { items } = await audit.list(slug)
  return items.map(({ action, target, detail }: AuditEntry) => [action, target, detail].filter(Boolean).join(' '))
}

describe('what an operator does to an account', () => {
  it('shows in the list of accounts, which has no secret', async () => {
    const { account, password } = await client.call(operator.accounts.create, { body: { email: 'x@example.com' } })
    const { items } = await client.call(operator.accounts.list)
    expect(items.map(({ email }) => email)).toEqual([ada, grace, 'x@example.com'])
    expect(items.at(-1)).toEqual({ ...account, plan: 'free', hasPassword: true, issuers: [], owns: [], writes: [] })
    expect(items.map(({ owns, writes }) => ({ owns, writes })).slice(0, 2)).toEqual([
      { owns: ['docs'], writes: ['leaves'] },
      { owns: ['leaves'], writes: [] },
    ])
    expect(JSON.stringify(items)).not.toContain(password)
  })

  it('is in the log of every project whose plan changes, by the operator', async () => {
    await client.call(operator.accounts.setPlan, { body: { email: 'ADA@example.com', plan: 'pro' } })
    expect((await audit.list('docs')).items).toMatchObject([
      {
        action: 'admin.plan',
        actor: { kind: 'operator', id: 'operator', name: 'operator' },
        address: 'local',
        client: 'quire admin plan',
        target: ada,
        detail: 'pro',
      },
    ])
    expect(await told('leaves')).toEqual([])
  })

  it('is in the log of every project that a new password opens, without the password', async () => {
    const { password } = await client.call(operator.accounts.resetPassword, { body: { email: ada } })
    expect([await told('docs'), await told('leaves')]).toEqual([
      [`admin.resetPassword ${ada}`],
      [`admin.resetPassword ${ada}`],
    ])
    expect(JSON.stringify((await audit.list('docs')).items)).not.toContain(password)
    expect(JSON.stringify((await audit.list('docs')).items)).toContain('quire admin accounts reset-password')
  })

  it('is in the log of a project that it gives to somebody who had no part in it', async () => {
    expect(
      await client.call(operator.projects.transfer, { params: { slug: 'docs' }, body: { email: grace } }),
    ).toMatchObject({ email: grace, role: 'owner' })
    expect(await told('docs')).toEqual([`admin.transfer ${grace} is the owner now`])
    expect((await room.members.list('docs')).map(({ email, role }) => [email, role])).toEqual([
      [grace, 'owner'],
      [ada, 'writer'],
    ])
    await expect(
      client.call(operator.projects.transfer, { params: { slug: 'docs' }, body: { email: 'x@example.com' } }),
    ).rejects.toMatchObject({ code: 'not_found' })
    await expect(
      client.call(operator.projects.transfer, { params: { slug: 'nothing' }, body: { email: grace } }),
    ).rejects.toMatchObject({ code: 'not_found' })
  })

  it('is in the logs of the projects that a removed account wrote', async () => {
    await client.call(operator.projects.transfer, { params: { slug: 'docs' }, body: { email: grace } })
    expect(await remove()).toMatchObject({ email: ada, removed: true, left: ['docs', 'leaves'] })
    expect(await told('leaves')).toEqual([`admin.removeAccount ${ada}`])
    expect(await remove()).toEqual({ email: ada, removed: false })
    expect(await told('leaves')).toHaveLength(1)
  })

  it('is in none when it was refused', async () => {
    await expect(remove()).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(
      client.call(operator.accounts.resetPassword, { body: { email: 'x@example.com' } }),
    ).rejects.toMatchObject({ code: 'not_found' })
    expect([...(await told('docs')), ...(await told('leaves'))]).toEqual([])
  })

  it('is done although its entry cannot be kept', async () => {
    const failing = { record: () => Promise.reject(new Error('the disk is full')) }
    client = await openClient(failing)
    expect(await client.call(operator.accounts.setPlan, { body: { email: ada, plan: 'pro' } })).toMatchObject({
      plan: 'pro',
    })
    expect(unkept).toEqual(['docs'])
  })
})

it('collects a renamed project by its id, and tells of it by its slug', async () => {
  await room.lifecycle.rename('docs', 'handbook')
  const freed = await client.call(operator.projects.collect, { params: { slug: 'handbook' } })
  expect(freed).toMatchObject({ project: 'handbook', releases: 2 })
  expect(collected).toEqual(['docs'])
})

describe('what an operator does to a project', () => {
  const params = { slug: 'docs' }

  it('begins with a list that tells owner, plan, live deploy and state', async () => {
    const { items } = await client.call(operator.projects.list)
    const createdAt = room.now().toISOString()
    expect(items).toEqual([
      {
        id: 'docs',
        slug: 'docs',
        owner: ada,
        plan: 'free',
        createdAt,
        live: { number: 3, createdAt: '2026-11-21T12:00:00.000Z' },
        isDamaged: false,
      },
      { id: 'leaves', slug: 'leaves', owner: grace, plan: 'free', createdAt, isDamaged: false },
    ])
  })

  it('suspends it with a reason, keeps since when, and is told in its log', async () => {
    const first = await client.call(operator.projects.suspend, { params, body: { reason: 'Spam.' } })
    room.pass(60_000)
    const again = await client.call(operator.projects.suspend, { params, body: { reason: 'Spam, still.' } })
    expect(again.suspended).toEqual({ since: first.suspended?.since, reason: 'Spam, still.' })
    expect(room.projects.isSuspended('docs')).toBe(true)
    expect(await told('docs')).toEqual(['admin.suspend Spam, still.', 'admin.suspend Spam.'])
    expect(woken).toEqual([])
  })

  it('resumes it, once, and wakes what rested', async () => {
    await client.call(operator.projects.suspend, { params, body: {} })
    for (let time = 0; time < 2; time++)
      expect((await client.call(operator.projects.resume, { params })).suspended).toBeUndefined()
    expect(room.projects.isSuspended('docs')).toBe(false)
    expect(await told('docs')).toEqual(['admin.resume', 'admin.suspend'])
    expect(woken).toEqual(['docs'])
  })

  it('keeps a suspension over a rename', async () => {
    await client.call(operator.projects.suspend, { params, body: {} })
    await room.lifecycle.rename('docs', 'manual')
    expect(room.projects.isSuspended('docs')).toBe(true)
    expect((await client.call(operator.projects.list)).items.find(({ id }) => id === 'docs')).toMatchObject({
      slug: 'manual',
      suspended: {},
    })
  })

  it('deletes it, whoever owns it', async () => {
    await client.call(operator.projects.remove, { params })
    expect((await client.call(operator.projects.list)).items.map(({ slug }) => slug)).toEqual(['leaves'])
    await expect(client.call(operator.projects.remove, { params })).rejects.toMatchObject({ code: 'not_found' })
  })

  it.each([['suspend'], ['resume']] as const)('refuses to %s what is not there', async (verb) => {
    const request = { params: { slug: 'nowhere' } }
    const asked =
      verb === 'suspend'
        ? client.call(operator.projects.suspend, { ...request, body: {} })
        : client.call(operator.projects.resume, request)
    await expect(asked).rejects.toMatchObject({ code: 'not_found' })
  })
})
