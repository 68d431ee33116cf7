import { expect, test } from 'vitest'
import { Rounds } from '#domains/rounds.ts'
import { FakeDns, openDomainsRoom, type DomainsRoom } from '#test/support/domains/support.ts'

const hour = 60 * 60_000

async function openRounds(names: Readonly<Record<string, readonly string[]>>) {
  const dns = new FakeDns()
  const room: DomainsRoom = await openDomainsRoom(dns)
  for (const [project, own] of Object.entries(names))
    for (const name of own) {
      dns.enter(await room.domains.add(project, name))
      await room.domains.verify(project, name)
    }
  dns.asked.splice(0)
  const errors: unknown[] = []
  const { domains, projects, now } = room
  const rounds = new Rounds({
    domains,
    ownerOf: (id) => projects.ownerOf(id),
    now,
    onError: (error, { name }) => errors.push([name, error]),
  })
  return { ...room, dns, rounds, errors }
}

test('each verified domain is looked at once a day, what is not verified never', async () => {
  const { domains, dns, rounds, pass } = await openRounds({ docs: ['a.example.com', 'b.example.com'] })
  await domains.add('docs', 'unverified.example.com')
  pass(24 * hour - 1)
  await rounds.run()
  expect(dns.asked).toEqual([])
  pass(1)
  await rounds.run()
  await rounds.run()
  expect(dns.asked.toSorted()).toEqual(['_quire.a.example.com', '_quire.b.example.com'])
  expect((await domains.list('docs')).filter(({ verified }) => verified)).toHaveLength(2)
})

test('one whose record is missing is looked at every hour, and stops to be verified after a week of it', async () => {
  const { domains, dns, rounds, pass } = await openRounds({ docs: ['a.example.com'] })
  dns.records.clear()
  pass(24 * hour)
  await rounds.run()
  expect(await domains.list('docs')).toMatchObject([{ verified: true, endsAt: '2026-11-29T12:00:00.000Z' }])
  for (let hours = 0; hours < 7 * 24 - 1; hours++) {
    pass(hour)
    await rounds.run()
  }
  expect(domains.isServed('a.example.com')).toBe(true)
  pass(hour)
  await rounds.run()
  expect(domains.isServed('a.example.com')).toBe(false)
  expect(dns.asked).toHaveLength(7 * 24 + 1)
  pass(48 * hour)
  await rounds.run()
  expect(dns.asked).toHaveLength(7 * 24 + 1)
})

test('what fails with one domain is told, and the others are looked at', async () => {
  const { dns, rounds, errors, pass } = await openRounds({ docs: ['a.example.com'], other: ['b.example.com'] })
  const broken = new Error('the disk is broken')
  dns.pause = async () => {
    if (dns.asked.at(-1) === '_quire.a.example.com') throw broken
  }
  pass(24 * hour)
  await rounds.run()
  expect(errors).toEqual([['a.example.com', broken]])
  expect(dns.asked).toHaveLength(2)
})

test('the end of the service cuts a round off, and changes nothing of what was not learnt', async () => {
  const { domains, dns, rounds, errors, pass } = await openRounds({ docs: ['a.example.com', 'b.example.com'] })
  dns.records.clear()
  pass(24 * hour)
  let open = (): void => undefined
  const gate = new Promise<void>((resolve) => (open = resolve))
  dns.pause = () => gate
  const round = rounds.run()
  const closed = rounds.close()
  open()
  await Promise.all([round, closed])
  expect(errors).toEqual([])
  expect((await domains.list('docs')).map(({ missingSince }) => missingSince)).toEqual([undefined, undefined])
})

test('nobody’s many domains keep those of others out of a round', async () => {
  const looked: string[] = []
  const holdings = Array.from({ length: 300 }, (_, at) => ({
    name: `a${at}.example.com`,
    project: at < 299 ? 'docs' : 'other',
    verifiedAt: '2026-11-21T12:00:00.000Z',
    lookAt: 0,
  }))
  const rounds = new Rounds({
    domains: {
      due: function* () {
        yield* holdings
      },
      check: async (project, name) => {
        looked.push(project)
        return { name, token: '', addedAt: '' }
      },
    },
    ownerOf: (project) => `owner of ${project}`,
    now: () => new Date(),
    onError: (error) => expect.unreachable(String(error)),
  })
  await rounds.run()
  expect(looked.filter((project) => project === 'docs')).toHaveLength(50)
  expect(looked).toContain('other')
})
