import { access, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { AuditLog, type NewAuditEntry } from '#audit/audit-log.ts'
import type { Records } from '#storage/records.ts'
import { openFileRecords } from '#test/support/file-records.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const anna: NewAuditEntry['actor'] = { kind: 'account', id: 'acc_anna', name: 'anna@example.com' }
const robot: NewAuditEntry['actor'] = { kind: 'key', id: 'key_ci', name: 'CI' }

interface Room {
  readonly log: AuditLog
  readonly records: Records
  readonly dataDirectory: string
  readonly pass: (milliseconds: number) => void
}

async function open(dataDirectory?: string): Promise<Room> {
  const directory = dataDirectory ?? (await temporaryDirectory())
  let time = Date.UTC(2026, 10, 21, 12)
  const records = openFileRecords(directory)
  const log = new AuditLog({ records, now: () => new Date(time) })
  onTestFinished(() => records.close())
  return { log, records, dataDirectory: directory, pass: (milliseconds) => void (time += milliseconds) }
}

const done = (action: string, actor = anna, more: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
  action,
  actor,
  address: '192.0.2.1',
  ...more,
})

test('entries come newest first, by page, and outlive the process', async () => {
  const { log, records, dataDirectory, pass } = await open()
  for (let at = 0; at < 7; at++) {
    await log.record('docs', done(`step.${at}`))
    pass(1000)
  }
  await records.close()
  const again = await open(dataDirectory)
  const first = await again.log.list('docs', { limit: 4 })
  const second = await again.log.list('docs', { limit: 4, cursor: first.nextCursor ?? '' })
  expect([...first.items, ...second.items].map(({ action }) => action)).toEqual(
    [6, 5, 4, 3, 2, 1, 0].map((at) => `step.${at}`),
  )
  expect(second.nextCursor).toBeUndefined()
  expect(first.items[0]).toEqual({
    id: expect.stringMatching(/^audit_[0-9a-f]{20}$/) as string,
    at: '2026-11-21T12:00:06.000Z',
    action: 'step.6',
    actor: anna,
    address: '192.0.2.1',
  })
})

test('a reader can ask for one operation or all of a noun, one actor, or a span of time', async () => {
  const { log, pass } = await open()
  await log.record('docs', done('keys.create'))
  pass(60_000)
  await log.record('docs', done('deploys.create', robot))
  pass(60_000)
  await log.record('docs', done('keys.create', robot))
  const targets = async (query: Parameters<AuditLog['list']>[1]): Promise<string[]> =>
    (await log.list('docs', query)).items.map(({ action, actor }) => `${action} by ${actor.id}`)
  expect(await targets({ action: 'keys.create' })).toEqual(['keys.create by key_ci', 'keys.create by acc_anna'])
  expect(await targets({ actor: 'key_ci' })).toEqual(['keys.create by key_ci', 'deploys.create by key_ci'])
  expect(await targets({ since: '2026-11-21T12:02:00Z' })).toEqual(['keys.create by key_ci'])
  expect(await targets({ until: '2026-11-21T12:02:00Z' })).toEqual([
    'deploys.create by key_ci',
    'keys.create by acc_anna',
  ])
  expect(await targets({ since: '2026-11-21T12:01:00Z', until: '2026-11-21T12:02:00Z' })).toEqual([
    'deploys.create by key_ci',
  ])
  expect(await targets({ action: 'keys' })).toEqual(['keys.create by key_ci', 'keys.create by acc_anna'])
  expect(await targets({ action: 'key' })).toEqual([])
  expect(await targets({ action: 'keys', actor: 'key_ci', until: '2026-11-21T12:02:00Z' })).toEqual([])
})

test('filters page together: every entry that is asked for comes once, also where they are far apart', async () => {
  const { log, pass } = await open()
  for (let batch = 0; batch < 12_000; batch += 1000) {
    const entries = Array.from({ length: 1000 }, (_, index) => batch + index)
    const actionOf = (at: number): string => (at % 4000 === 0 ? `keys.${at}` : 'deploys.create')
    await Promise.all(entries.map((at) => log.record('docs', done(actionOf(at), at % 2 === 0 ? anna : robot))))
    pass(1000)
  }
  const pages: string[][] = []
  let cursor: string | undefined
  do {
    const { items, nextCursor } = await log.list('docs', {
      limit: 2,
      action: 'keys',
      actor: anna.id,
      ...(cursor === undefined ? {} : { cursor }),
    })
    pages.push(items.map(({ action }) => action))
    cursor = nextCursor
  } while (cursor !== undefined)
  expect(pages).toEqual([['keys.8000'], ['keys.4000'], ['keys.0']])
})

test('what entries of the same moment took turns at is found whichever is first', async () => {
  const { log, pass } = await open()
  pass(1000)
  await log.record('docs', done('late'))
  pass(-1000)
  await log.record('docs', done('early'))
  const { items } = await log.list('docs', { since: '2026-11-21T12:00:01Z' })
  expect(items.map(({ action }) => action)).toEqual(['late'])
})

test('projects do not see each other’s entries', async () => {
  const { log } = await open()
  await log.record('one', done('deploys.create'))
  expect(await log.list('two')).toEqual({ items: [] })
})

test('a removed project’s files are closed, and one of the same name begins with an empty log', async () => {
  const { log, records, dataDirectory } = await open()
  await log.record('docs', done('deploys.create'))
  await records.leave('docs')
  await rm(join(dataDirectory, 'docs'), { recursive: true })
  expect(await log.list('docs')).toEqual({ items: [] })
  await expect(access(join(dataDirectory, 'docs'))).rejects.toThrow('ENOENT')
})

test('far more projects than files stay open lose nothing, also when many write at once', async () => {
  const { log, records, dataDirectory } = await open()
  const slugs = Array.from({ length: 150 }, (_, at) => `p${at}`)
  for (let round = 0; round < 3; round++)
    await Promise.all(slugs.map((slug) => log.record(slug, done(`step.${round}`))))
  for (const slug of slugs)
    expect((await log.list(slug)).items.map(({ action }) => action)).toEqual(['step.2', 'step.1', 'step.0'])
  await records.close()
  const files = await readdir(`/proc/${process.pid}/fd`)
  expect(files.length).toBeLessThan(200)
  expect(await readdir(dataDirectory)).toHaveLength(150)
})

test('credentials and line ends in what a client sent are not kept', async () => {
  const { log } = await open()
  const key = `quire_${'a1B2'.repeat(12)}`
  const more = { client: `curl ${key}`, target: `docs/${key}.md`, detail: `a\nb\u2028c ${'x'.repeat(2000)}` }
  await log.record('docs', done('deploys.create', { ...robot, name: key }, more))
  const { items } = await log.list('docs')
  expect(JSON.stringify(items)).not.toContain('a1B2a1B2')
  expect(items[0]).toMatchObject({ client: 'curl quire_…', target: 'docs/quire_….md' })
  expect(items[0]?.detail).toMatch(/^a b c x+…$/)
  expect(items[0]?.detail).toHaveLength(500)
})
