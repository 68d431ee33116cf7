import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { FetchedFile } from '#site/builder.ts'
import type { RenderPool } from '#site/page.ts'
import { sharedRenderPool } from '#test/support/render-pool.ts'
import { TestProject, type Files } from '#test/support/site/support/project.ts'
import { recordingPool } from '#test/support/site/support/recording-pool.ts'
import { pets, siteWith } from '#test/support/site/api/pets.ts'

let pool: RenderPool

beforeAll(async () => {
  pool = await sharedRenderPool()
})
afterEach(() => vi.useRealTimers())

const address = 'https://api.pets.example/openapi.json'
const openapi = JSON.stringify(pets)
const page = '/api-reference/pets/list-pets'
const deploy = { refetch: true } as const
const site = (more: Files = {}): Files => siteWith({ groups: [{ group: 'API', openapi: address }] }, more)

/** A project, and a server elsewhere that knows the tags of what it has. */
function newProject() {
  const project = new TestProject(recordingPool(pool))
  const remote = { asked: [] as string[], sent: [] as string[], answer: answerOf }
  project.fetch = (url, { etag, maxBytes }) => {
    remote.asked.push(url)
    return remote.answer(url, etag, maxBytes)
  }
  return { project, remote, show: (url = page) => html(project, url) }

  async function answerOf(url: string, etag: string | undefined, maxBytes: number): Promise<FetchedFile> {
    const bytes = project.remote.get(url)
    const { host } = new URL(url)
    if (bytes === undefined) throw new Error(`${host} answers with status 503.`)
    if (bytes.length > maxBytes) throw new Error(`${host} sends more than ${maxBytes} bytes.`)
    const now = `"${bytes.length}-${bytes.toString('utf8').includes('**all**')}"`
    if (etag === now) return { bytes: null, etag }
    remote.sent.push(url)
    return { bytes, etag: now }
  }
}

const html = (project: TestProject, url: string): string =>
  (JSON.parse(project.text(url) ?? '{"html":"nothing"}') as { html: string }).html

const remoteOnly = (warnings: readonly { rule?: string; message: string }[]) =>
  warnings.filter(({ rule }) => rule?.startsWith('api') === true).map(({ message }) => message)

describe('a description at another address', () => {
  test('makes pages as one in the project does, whoever names it', async () => {
    const { project, remote, show } = newProject()
    project.remote.set(address, Buffer.from(openapi))
    const { errors, warnings } = await project.build(site(), deploy)
    expect([errors, warnings]).toEqual([[], []])
    expect(show()).toContain('Lists <strong>all</strong> pets.')
    expect(remote.asked).toEqual([address])
    await project.build(
      {
        'docs.json': JSON.stringify({
          api: { openapi: address },
          navigation: { pages: ['index', 'GET /pets', `${address} POST /pets`] },
        }),
        'index.mdx': 'text',
      },
      deploy,
    )
    expect(show('/api-reference/pets/add-a-pet')).toContain('What it answers to')
  })

  test('has servers that are paths below its own address', async () => {
    const { project, show } = newProject()
    project.remote.set(address, Buffer.from(JSON.stringify({ ...pets, servers: [{ url: '/v9' }, { url: 'beta' }] })))
    await project.build(site(), deploy)
    const { origin } = new URL(address)
    expect(show()).toContain(`${origin}/v9`)
    expect(show()).toContain(new URL('beta', address).href)
  })

  test('costs nothing where a site names none', async () => {
    const { project, remote } = newProject()
    await project.build(siteWith({ groups: [{ group: 'API', openapi: 'a.json' }] }, { 'a.json': openapi }), deploy)
    expect(remote.asked).toEqual([])
    expect(Object.keys(project.last?.assets ?? {})).toEqual(['a.json'])
  })

  test('may be named by the front matter of a page alone', async () => {
    const { project, remote, show } = newProject()
    project.remote.set(address, Buffer.from(openapi))
    const files = {
      'index.mdx': '[pets](/pets)',
      'pets.mdx': `---\ntitle: Pets\nopenapi: "${address} GET /pets"\n---\n`,
    }
    const first = await project.build(files, deploy)
    expect(first).toMatchObject({ errors: [], warnings: [], pages: { total: 2, built: 2, reused: 0 } })
    expect(show('/pets')).toContain('Lists <strong>all</strong> pets.')
    project.newBuilder()
    const second = await project.build({ ...files, 'two.mdx': '[more](/)' }, deploy)
    expect(second).toMatchObject({ errors: [], pages: { total: 3, built: 1, reused: 2 } })
    expect(remote.asked).toEqual([address, address])
    expect(remote.sent).toEqual([address])
    // Nobody asks for what no page names any more.
    await project.build({ ...files, 'pets.mdx': '[home](/)' }, deploy)
    expect(remote.asked).toHaveLength(2)
    expect(Object.keys(project.last?.assets ?? {})).toEqual([])
  })

  test('is asked for again by each deploy, and what has not changed is neither sent nor rendered', async () => {
    const { project, remote } = newProject()
    project.remote.set(address, Buffer.from(openapi))
    await project.build(site(), deploy)
    for (const restarted of [false, true]) {
      if (restarted) project.newBuilder()
      await project.build(site(), deploy)
      expect(project.pool.rendered).toEqual([])
    }
    expect(remote.asked).toHaveLength(3)
    expect(remote.sent).toHaveLength(1)
  })

  test('renders the pages of operations that have changed, and no others', async () => {
    const { project, show } = newProject()
    project.remote.set(address, Buffer.from(openapi))
    await project.build(site(), deploy)
    project.remote.set(address, Buffer.from(openapi.replace('**all**', '*most*')))
    await project.build(site(), deploy)
    expect(project.pool.rendered).toEqual([address, 'api-reference/pets/list-pets.mdx'])
    expect(show()).toContain('Lists <em>most</em> pets.')
  })

  test.each(['the same process', 'another process'])('that fails stays as it was, and says why: %s', async (where) => {
    vi.useFakeTimers({ now: new Date('2026-11-20T08:30:00Z'), toFake: ['Date'] })
    const { project, show } = newProject()
    project.remote.set(address, Buffer.from(openapi))
    await project.build(site(), deploy)
    vi.setSystemTime(new Date('2026-11-26T08:30:00Z'))
    project.remote.clear()
    if (where === 'another process') project.newBuilder()
    for (let again = 0; again < 2; again++) {
      const { errors, warnings } = await project.build(site(), deploy)
      expect(errors).toEqual([])
      expect(warnings).toMatchObject([
        {
          rule: 'api-remote',
          message: `"${address}" cannot be read: api.pets.example answers with status 503. What it said on 2026-11-20 08:30 UTC is shown.`,
        },
      ])
      expect(show()).toContain('Lists <strong>all</strong> pets.')
    }
  })

  test.each([
    ['a page of HTML', '<!doctype html><title>Sign in</title>'],
    ['no YAML', 'openapi: [3.1'],
    ['too much', `{"openapi":"3.1.0","x":"${'a'.repeat(8 * 1024 * 1024)}"}`],
  ])('that is %s all at once stays as it was', async (_what, text) => {
    const { project, show } = newProject()
    project.remote.set(address, Buffer.from(openapi))
    await project.build(site(), deploy)
    project.remote.set(address, Buffer.from(text))
    for (const restarted of [false, true]) {
      if (restarted) project.newBuilder()
      const { errors, warnings } = await project.build(site(), deploy)
      expect(errors).toEqual([])
      expect(remoteOnly(warnings).join('\n')).toMatch(/cannot be (?:read|used).* is shown\./)
      expect(show()).toContain('Lists <strong>all</strong> pets.')
    }
  })

  test('that is none from the beginning is a warning, and the site goes live', async () => {
    const { project } = newProject()
    project.remote.set(address, Buffer.from('<!doctype html>'))
    const { errors, warnings } = await project.build(site(), deploy)
    expect(errors).toEqual([])
    expect(remoteOnly(warnings)[0]).toContain(`${address} is no`)
    expect(Object.keys(project.last?.assets ?? {})).toEqual([])
  })

  test('is not asked for without https, and says so', async () => {
    const { project, remote } = newProject()
    const { warnings } = await project.build(
      siteWith({ groups: [{ group: 'API', openapi: 'http://169.254.169.254/openapi.json' }] }, {}),
      deploy,
    )
    expect(remote.asked).toEqual([])
    expect(remoteOnly(warnings)[0]).toMatch(
      /"http:\/\/169.* must begin with https:\/\/\. What it describes is missing\./,
    )
  })

  test('that the guard refuses is missing with the reason of the guard', async () => {
    const { project, remote } = newProject()
    remote.answer = () => Promise.reject(new Error('The host intranet.corp is a local name, not a public one.'))
    const { warnings } = await project.build(
      siteWith({ groups: [{ group: 'API', openapi: 'https://intranet.corp/a.json' }] }, {}),
      deploy,
    )
    expect(remoteOnly(warnings)[0]).toContain('is a local name, not a public one. What it describes is missing.')
  })

  test('is one of ten at most', async () => {
    const { project, remote } = newProject()
    const openapis = Array.from({ length: 12 }, (_, turn) => `https://api.pets.example/${turn}.json`)
    for (const each of openapis) project.remote.set(each, Buffer.from(openapi))
    const { warnings } = await project.build(siteWith({ groups: [{ group: 'API', openapi: openapis }] }, {}), deploy)
    expect(remote.asked.toSorted()).toEqual(openapis.slice(0, 10).toSorted())
    expect(remoteOnly(warnings)).toEqual([
      expect.stringContaining('/10.json" is not read: a site may name 10 addresses.'),
      expect.stringContaining('/11.json" is not read'),
    ])
  })

  test('does not hold up a build for long, however many do not answer', async () => {
    const time = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort())
    try {
      const { project, remote } = newProject()
      project.remote.set(address, Buffer.from(openapi))
      const { errors, warnings } = await project.build(site(), deploy)
      expect([errors, remote.asked]).toEqual([[], []])
      expect(remoteOnly(warnings)[0]).toContain('all requests of a build together may take 30 seconds.')
    } finally {
      time.mockRestore()
    }
  })
})

describe('files that a description at another address refers to', () => {
  const main = 'https://api.pets.example/v1/openapi.yaml'
  const response = (ref: string) =>
    `openapi: 3.1.0\ninfo: { title: Pets, version: "1" }\npaths:\n  /pets:\n    get:\n      summary: List pets\n      responses:\n        "200":\n          description: Them\n          content: { application/json: { schema: { $ref: "${ref}" } } }\n`
  const list = '/api-reference/list-pets'
  const named = siteWith({ groups: [{ group: 'API', openapi: main }] }, {})

  test('are read from the same host, and asked for with it later', async () => {
    const { project, remote, show } = newProject()
    project.remote.set(main, Buffer.from(response('../models/pet.yaml#/Pet')))
    const models = 'https://api.pets.example/models'
    project.remote.set(
      `${models}/pet.yaml`,
      Buffer.from('Pet: { type: object, properties: { owner: { $ref: "owner.yaml" } } }'),
    )
    project.remote.set(
      `${models}/owner.yaml`,
      Buffer.from('{ type: object, properties: { street: { type: string } } }'),
    )
    const { warnings } = await project.build(named, deploy)
    expect(remoteOnly(warnings)).toEqual([])
    expect(show(list)).toContain('street')
    project.remote.set(
      `${models}/owner.yaml`,
      Buffer.from('{ type: object, properties: { village: { type: string } } }'),
    )
    project.newBuilder()
    await project.build(named, deploy)
    expect(show(list)).toContain('village')
    expect(remote.sent).toHaveLength(4)
  })

  test.each(['https://elsewhere.example/pet.yaml', '//169.254.169.254/pet.yaml', 'file:///etc/passwd'])(
    'are not read from anywhere else: %s',
    async (ref) => {
      const { project, remote } = newProject()
      project.remote.set(main, Buffer.from(response(ref)))
      const { errors, warnings } = await project.build(named, deploy)
      expect(errors).toEqual([])
      expect(remote.asked).toEqual([main])
      expect(remoteOnly(warnings)[0]).toContain('references at an address lead to files of the same host')
    },
  )

  test('that are not there are told of by each deploy', async () => {
    const { project } = newProject()
    project.remote.set(main, Buffer.from(response('gone.yaml')))
    for (let turn = 0; turn < 2; turn++) {
      const { errors, warnings } = await project.build(named, deploy)
      expect(errors).toEqual([])
      expect(remoteOnly(warnings)).toEqual([
        expect.stringContaining('v1/gone.yaml" cannot be read: api.pets.example answers with status 503.'),
        expect.stringContaining('nothing is at https://api.pets.example/v1/gone.yaml#, which it refers to'),
      ])
    }
  })

  test('are as many as fit, and not without end', async () => {
    const { project, remote } = newProject()
    project.remote.set(main, Buffer.from(response('0.yaml')))
    for (let turn = 0; turn < 30; turn++)
      project.remote.set(
        `https://api.pets.example/v1/${turn}.yaml`,
        Buffer.from(`{ items: { $ref: "${turn + 1}.yaml" } }`),
      )
    const { errors, warnings } = await project.build(named, deploy)
    expect(errors).toEqual([])
    expect(remote.asked.length).toBeLessThan(10)
    expect(remoteOnly(warnings).join('\n')).toContain('refers to more files than are read')
  })
})

describe('builds that are no deploy', () => {
  test('use a copy of the last minutes, and ask for an older one once', async () => {
    vi.useFakeTimers({ now: new Date('2026-11-26T08:00:00Z'), toFake: ['Date'] })
    const { project, remote } = newProject()
    project.remote.set(address, Buffer.from(openapi))
    await project.build(site(), deploy)
    for (let save = 0; save < 3; save++) await project.build(site({ 'two.mdx': `${save}` }), { branch: 'b' })
    expect(remote.asked).toHaveLength(1)
    vi.setSystemTime(new Date('2026-11-26T08:11:00Z'))
    for (let save = 3; save < 6; save++) await project.build(site({ 'two.mdx': `${save}` }), { branch: 'b' })
    expect(remote.asked).toHaveLength(2)
  })

  test('that keep nothing ask once, too, for what is there and for what is not', async () => {
    const { project, remote } = newProject()
    project.remote.set(address, Buffer.from(openapi))
    const gone = 'https://api.pets.example/gone.json'
    const files = siteWith({ groups: [{ group: 'API', openapi: [address, gone] }] }, {})
    // As checks do: everything seems to be there, and nothing is.
    const check = { trial: true, has: () => true, earlierRoutes: null } as const
    for (let turn = 0; turn < 3; turn++) {
      const { errors, warnings, pages } = await project.build(files, check)
      expect(errors).toEqual([])
      expect(pages.total).toBe(5)
      expect(remoteOnly(warnings)).toHaveLength(1)
    }
    expect(remote.asked.toSorted()).toEqual([gone, address])
  })
})
