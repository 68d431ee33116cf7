import { beforeEach, describe, expect, it } from 'vitest'
import { AuditLog } from '../../src/audit/audit-log.ts'
import type { AuditEntry } from '../../src/contract/audit.ts'
import { RecordedAccounts } from '../../src/operator/recorded-accounts.ts'
import { openFileRecords } from '../support/file-records.ts'
import { openAccess, type AccessRoom } from '../support/access.ts'

const ada = 'ada@example.com'
const grace = 'grace@example.com'

let room: AccessRoom
let operator: RecordedAccounts
let audit: AuditLog
const unkept: string[] = []

/** Ada owns docs and writes leaves, which Grace owns. */
beforeEach(async () => {
  room = await openAccess()
  audit = new AuditLog({ records: openFileRecords(room.directory), now: room.now })
  unkept.length = 0
  operator = new RecordedAccounts({ ...room, audit, onError: (_error, slug) => void unkept.push(slug) })
  for (const [email, slug] of [
    [ada, 'docs'],
    [grace, 'leaves'],
  ] as const)
    await room.projects.create((await room.records.create({ email, password: null })).id, { slug })
  await room.members.add('leaves', ada)
  return () => audit.close()
})

async function told(slug: string): Promise<string[]> {
  const { items } = await audit.list(slug)
  return items.map(({ action, target, detail }: AuditEntry) => [action, target, detail].filter(Boolean).join(' '))
}

describe('what an operator does to an account', () => {
  it('is in the log of every project whose plan changes, by the operator', async () => {
    await operator.setPlan('ADA@example.com', 'pro')
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
    const password = await operator.resetPassword(ada)
    expect([await told('docs'), await told('leaves')]).toEqual([
      [`admin.resetPassword ${ada}`],
      [`admin.resetPassword ${ada}`],
    ])
    expect(JSON.stringify((await audit.list('docs')).items)).not.toContain(password)
    expect(JSON.stringify((await audit.list('docs')).items)).toContain('quire admin accounts reset-password')
  })

  it('is in the log of a project that it gives to somebody who had no part in it', async () => {
    expect(await operator.transferProject('docs', grace)).toMatchObject({ email: grace, role: 'owner' })
    expect(await told('docs')).toEqual([`admin.transfer ${grace} is the owner now`])
    expect((await room.members.list('docs')).map(({ email, role }) => [email, role])).toEqual([
      [grace, 'owner'],
      [ada, 'writer'],
    ])
    await expect(operator.transferProject('docs', 'x@example.com')).rejects.toMatchObject({ code: 'not_found' })
    await expect(operator.transferProject('nothing', grace)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('is in the logs of the projects that a removed account wrote', async () => {
    await operator.transferProject('docs', grace)
    expect(await operator.remove(ada)).toMatchObject({ left: ['docs', 'leaves'] })
    expect(await told('leaves')).toEqual([`admin.removeAccount ${ada}`])
    expect(await operator.remove(ada)).toBeNull()
    expect(await told('leaves')).toHaveLength(1)
  })

  it('is in none when it was refused', async () => {
    await expect(operator.remove(ada)).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(operator.resetPassword('x@example.com')).rejects.toMatchObject({ code: 'not_found' })
    expect([...(await told('docs')), ...(await told('leaves'))]).toEqual([])
  })

  it('is done although its entry cannot be kept', async () => {
    const failing = { record: () => Promise.reject(new Error('the disk is full')) }
    operator = new RecordedAccounts({ ...room, audit: failing, onError: (_error, slug) => void unkept.push(slug) })
    expect(await operator.setPlan(ada, 'pro')).toMatchObject({ plan: 'pro' })
    expect(unkept).toEqual(['docs'])
  })
})
