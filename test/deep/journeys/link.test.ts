import { execFileSync } from 'node:child_process'
import dns from 'node:dns'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createClient, type Client } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { quire as run, type Finished } from '#test/support/command-line.ts'
import { startLogin } from '#test/support/login-process.ts'
import { Pty } from '#test/support/pty.ts'
import { createProject, freePort, startService, type ServiceProcess } from '#test/support/service-process.ts'
import { removeDirectory, temporaryDirectory, writeFiles } from '#test/support/temporary.ts'

describe('a folder and its project', () => {
  let directory: string
  let home: string
  let folder: string
  let service: ServiceProcess
  let url: string
  /** The same service by another name: to the command line it is another one. */
  let other: string
  let owner: Client
  let key: string

  const environment = (more: Record<string, string> = {}) => ({ HOME: home, ...more })
  const quire = (words: readonly string[], more: Record<string, string> = {}, at = folder): Promise<Finished> =>
    run(words, environment(more), at)
  const config = (name: string): string => join(home, '.config', 'quire', name)
  const linkOf = async (at = folder): Promise<unknown> => JSON.parse(await readFile(join(at, '.quire.json'), 'utf8'))

  async function login(at: string): Promise<Finished> {
    const started = await startLogin(['--url', at], environment())
    await owner.call(contract.device.approve, { body: { user_code: started.code } })
    return started.finished
  }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'quire-link-'))
    service = await startService(join(directory, 'data'))
    url = service.url
    other = `http://127.0.0.1:${service.port}`
    const made = await createProject(service.url, 'docs')
    key = made.key
    owner = createClient({ baseUrl: service.url, token: made.session })
    await owner.call(contract.projects.create, { body: { slug: 'blog' } })
  })
  afterAll(async () => {
    await service.stop()
    await removeDirectory(directory)
  })
  beforeEach(async () => {
    home = await mkdtemp(join(directory, 'home-'))
    folder = join(home, 'work', 'site')
    await writeFiles(folder, { 'index.md': '# Home\n', 'docs/index.md': '# Docs\n' })
  })

  it('after a login commands mean that service, until it is signed out of', async () => {
    const before = await quire(['deploys'])
    expect([before.code, before.stderr]).toEqual([4, expect.stringContaining('not signed in to http://localhost:4000')])
    expect((await login(url)).stdout).toBe(`Signed in to ${url} as docs@example.com\n`)
    const deployed = await quire(['deploy', '--project', 'docs'])
    expect([deployed.code, deployed.stdout]).toEqual([0, expect.stringContaining('http://docs.')])
    expect((await quire(['whoami'])).stdout).toContain(`service   ${url} (signed in to last)`)
    const elsewhere = await quire(['deploys', '--url', other])
    expect([elsewhere.code, elsewhere.stderr]).toEqual([
      4,
      expect.stringContaining(`You are signed in to ${url}: add --url ${url} to use that`),
    ])
    expect((await quire(['logout'])).stdout).toBe(`Signed out of ${url}, as docs@example.com\n`)
    await expect(stat(config('services.json'))).rejects.toThrow('ENOENT')
    expect((await quire(['deploys'])).stderr).toContain('not signed in to http://localhost:4000')
  })

  it('that is linked means its project, from below as well, unless an option or a variable says otherwise', async () => {
    await login(url)
    const which = await quire(['link'])
    expect([which.code, which.stderr]).toEqual([
      2,
      expect.stringContaining('Which project? Your account has 2: blog, docs'),
    ])
    const linked = await quire(['link', 'docs', '--json'])
    expect(JSON.parse(linked.stdout)).toEqual({ path: join(folder, '.quire.json'), service: url, project: 'docs' })
    expect(await linkOf()).toEqual({ service: url, project: 'docs' })
    await quire(['logout', '--url', url])
    const named = await quire(['deploys'], {}, join(folder, 'docs'))
    expect([named.code, named.stderr]).toEqual([
      4,
      expect.stringContaining(`not signed in to ${url}, which ${join(folder, '.quire.json')} names`),
    ])
    await login(url)
    await quire(['deploy', 'docs', '--project', 'blog'])
    expect(await whichProject(['deploys'])).toBe('docs')
    expect(await whichProject(['deploys', '--project', 'blog'])).toBe('blog')
    expect(await whichProject(['deploys'], { QUIRE_PROJECT: 'blog' })).toBe('blog')
    expect((await quire(['unlink'])).stdout).toContain('is linked no more')
    expect((await quire(['deploys'])).code).toBe(2)
  })

  it('of a deploy counts before the working directory', async () => {
    await login(url)
    await writeFiles(folder, {
      '.quire.json': JSON.stringify({ service: url, project: 'docs' }),
      'other/.quire.json': JSON.stringify({ service: url, project: 'blog' }),
      'other/index.md': '# Other\n',
    })
    expect((await quire(['deploy', 'other'])).stdout).toContain('http://blog.')
    const elsewhere = join(home, 'built')
    await writeFiles(elsewhere, { 'index.md': '# Built\n' })
    expect((await quire(['deploy', elsewhere])).stdout).toContain('http://docs.')
  })

  it('in a clone means the project of its origin', async () => {
    await login(url)
    await quire(['deploy', '--project', 'docs'])
    expect((await quire(['clone', 'copy', '--project', 'docs'])).code).toBe(0)
    const copy = join(folder, 'copy')
    await quire(['logout'])
    const out = await quire(['deploys'], {}, copy)
    expect(out.stderr).toContain(
      `not signed in to ${url}, which the remote origin of this clone (${url}/git/docs.git) names`,
    )
    await login(url)
    expect(await whichProject(['deploys'], {}, copy)).toBe('docs')
    // Made by git alone, of a service that nobody is signed in to: who it is it says itself.
    const bare = join(home, 'bare')
    const foreign = join(home, 'foreign')
    for (const [at, origin] of [
      [bare, `${other}/git/docs.git`],
      [foreign, `${other}/git/a/docs.git`],
    ] as const) {
      execFileSync('git', ['init', '-q', at])
      execFileSync('git', ['-C', at, 'remote', 'add', 'origin', origin])
    }
    expect((await quire(['deploys'], {}, bare)).stderr).toContain(`not signed in to ${other}, which the remote`)
    expect((await quire(['deploys', '--project', 'blog'], {}, foreign)).code).toBe(0)
  })

  it('named by a repository alone, a service does not get the key', async () => {
    await writeFile(join(folder, '.quire.json'), JSON.stringify({ service: url, project: 'docs' }))
    const refused = await quire(['deploys', '--json'], { SERVICE_API_KEY: key })
    expect(refused.code).toBe(4)
    expect(JSON.parse(refused.stdout)).toMatchObject({
      error: {
        code: 'unauthenticated',
        message: `The API key in SERVICE_API_KEY is not sent to ${url}, which .quire.json names.`,
        next: [expect.stringContaining(`set QUIRE_URL=${url} beside SERVICE_API_KEY`)],
      },
    })
    expect((await quire(['deploys'], { SERVICE_API_KEY: key, QUIRE_URL: url })).code).toBe(0)
    expect((await quire(['deploys', '--url', url], { SERVICE_API_KEY: key })).code).toBe(0)
    await login(url)
    expect((await quire(['deploys'], { SERVICE_API_KEY: key })).code).toBe(0)
    await writeFile(join(folder, '.quire.json'), JSON.stringify({ service: url, project: 'blog' }))
    const mistaken = await quire(['deploys'], { SERVICE_API_KEY: key })
    expect([mistaken.code, mistaken.stderr]).toEqual([
      4,
      expect.stringContaining('is for the project docs, not for blog, which .quire.json names'),
    ])
  })

  it('named by a repository alone, a service is not even asked when Tab is pressed', async () => {
    let asked = 0
    const stranger = createServer((_request, response) => {
      asked += 1
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"items": []}')
    })
    await once(stranger.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void stranger.close())
    const at = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`
    await writeFile(join(folder, '.quire.json'), JSON.stringify({ service: at, project: 'docs' }))
    for (const words of [
      ['publish', ''],
      ['deploy', '--project', ''],
      ['preview', ''],
    ])
      expect((await quire(['complete', '--', ...words], { SERVICE_API_KEY: key })).code).toBe(0)
    expect(asked).toBe(0)
    // By whom it is named counts, and not that it is there.
    await quire(['complete', '--', 'publish', ''], { SERVICE_API_KEY: key, QUIRE_URL: at })
    expect(asked).toBe(1)
  })

  it('that is linked to nothing is asked for its project each time, whatever was deployed before', async () => {
    await login(url)
    const [blog, none] = [join(home, 'blog'), join(home, 'none')]
    await writeFiles(blog, { 'index.md': '# Blog\n' })
    await writeFiles(none, { 'index.md': '# Of neither\n' })
    {
      await using terminal = new Pty(['deploy'], { directory: blog, environment: environment() })
      await terminal.shows('Which project?')
      terminal.type('blog\r')
      expect(await terminal.ended()).toBe(0)
    }
    await rm(join(blog, '.quire.json'), { force: true })
    for (const at of [none, blog]) {
      const asked = await quire(['deploy'], {}, at)
      expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('Which project? Your account has')])
    }
    await using terminal = new Pty(['deploy'], { directory: none, environment: environment() })
    await terminal.shows('Which project?')
  })

  it('is left as it is by whoever ends a question', async () => {
    await login(url)
    for (const end of ['\u0003', '\u0004']) {
      await using terminal = new Pty(['deploy'], { directory: folder, environment: environment() })
      await terminal.shows('Which project?')
      terminal.type(end)
      expect(await terminal.ended()).toBe(130)
      expect(terminal.screen()).not.toMatch(/error|Abort/)
    }
  })

  it.each([
    [
      '{"service": "https://docs.example.com",\n "projet": "docs"}',
      '2:12: “projet” is not known; a link has service and project',
    ],
    ['{\n  "service": "docs.example.com"\n}', '2:14: “service” is not an address such as https://docs.example.com'],
    ['{"project": "My docs"}', '1:13: “project” has capital letters; use lower case'],
    ['{"project": 1}', '1:13: “project” must be a text'],
    ['{"project": "docs",}', '1:20 is not JSON (PropertyNameExpected)'],
    ['[]', '1:1 must be an object: {"service": "https://docs.example.com", "project": "docs"}'],
    ['', '1:1 is not JSON (ValueExpected)'],
  ])('that is linked by %s is told the place', async (text, told) => {
    const path = join(folder, '.quire.json')
    await writeFile(path, text)
    const wrong = await quire(['deploys'])
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      `error  ${path}:${told}.\nnext   Mend it, or write it anew with quire link.\n`,
    ])
    expect((await quire(['unlink'])).code).toBe(0)
  })

  it('takes a link of above for its own, and only that folder gives it up', async () => {
    const path = join(folder, '.quire.json')
    await writeFile(path, JSON.stringify({ project: 'docs' }))
    const kept = await quire(['unlink'], {}, join(folder, 'docs'))
    expect([kept.code, kept.stderr]).toEqual([1, expect.stringContaining(`${path} holds for it`)])
    await rm(path)
    expect((await quire(['unlink'])).stdout).toBe('This folder was not linked.\n')
  })

  it('follows its project to another slug', async () => {
    await login(url)
    await owner.call(contract.projects.create, { body: { slug: 'before' } })
    await quire(['link', 'before'])
    const renamed = await quire(['rename', 'after'])
    expect([renamed.code, renamed.stderr]).toEqual([0, expect.stringContaining('.quire.json says so, too')])
    expect(await linkOf()).toEqual({ service: url, project: 'after' })
    await writeFile(join(folder, '.quire.json'), JSON.stringify({ service: url, project: 'before' }))
    const deploys = await quire(['deploys'])
    expect(deploys.stdout).toBe('after has no deploys yet.\n')
    expect(deploys.stderr).toContain('before is after now; quire link after writes that into .quire.json')
    await owner.call(contract.projects.remove, { params: { slug: 'after' } })
    const gone = await quire(['deploys'])
    expect([gone.code, gone.stderr]).toEqual([
      1,
      expect.stringContaining(`${url} has no project before, which .quire.json names`),
    ])
  })

  it('asks at a terminal which project it is', async () => {
    await login(url)
    const terminal = new Pty(['deploy', 'docs'], { directory: folder, environment: environment() })
    await terminal.shows('Which project?')
    expect(terminal.screen()).toMatch(/1 {2}blog\n.*2 {2}docs/)
    terminal.type('2')
    terminal.key('enter')
    expect(await terminal.ended()).toBe(0)
    expect(terminal.screen()).toContain('http://docs.')
    await terminal.dispose()
    // What is tried out on this machine is not where a folder goes for good.
    await expect(stat(join(folder, 'docs', '.quire.json'))).rejects.toThrow('ENOENT')
  })

  it('opens the terminal UI in its project', async () => {
    await login(url)
    await quire(['link', 'docs'])
    const ui = new Pty(['ui'], { directory: folder, environment: environment() })
    await ui.shows('docs')
    await ui.shows('Branches')
    ui.key('ctrl+q')
    expect(await ui.ended()).toBe(0)
    await ui.dispose()
  })

  /** The project whose deploys are listed: its last one says which folder it was made of. */
  async function whichProject(
    words: readonly string[],
    more: Record<string, string> = {},
    at = folder,
  ): Promise<string> {
    const { stdout, stderr } = await quire([...words, '--json'], more, at)
    const { items }: { items?: { url: string }[] } = JSON.parse(stdout)
    return /^http:\/\/(\w+)\./.exec(items?.[0]?.url ?? '')?.[1] ?? stderr
  }
})

/** A name of this machine that is none of loopback, as that of a service elsewhere; no name server is asked for it. */
const host = 'quire.test'
const resolving = `import dns from "node:dns"; const { lookup } = dns; dns.lookup = (name, ...rest) => lookup(name === "${host}" ? "127.0.0.1" : name, ...rest)`

describe('a folder that is deployed elsewhere for the first time', () => {
  it('remembers its project, and says so; not where a key or a program deploys it', async () => {
    const home = await temporaryDirectory()
    const port = await freePort()
    const url = `http://${host}:${port}`
    const service = await startService(join(home, 'data'), { PUBLIC_URL: url, SIGNUP: 'open' }, port)
    onTestFinished(() => service.stop())
    const { lookup } = dns
    vi.spyOn(dns, 'lookup').mockImplementation(((name: string, ...rest: unknown[]) =>
      Reflect.apply(lookup, dns, [name === host ? '127.0.0.1' : name, ...rest])) as typeof lookup)
    const { key, session } = await createProject(url, 'docs')
    const variables = { HOME: home, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(resolving)}` }
    const folder = join(home, 'site')
    const link = join(folder, 'docs', '.quire.json')
    await writeFiles(folder, { 'docs/index.md': '# Docs\n' })
    const deploy = async (more: Record<string, string> = {}): Promise<string> => {
      await using terminal = new Pty(['deploy', 'docs'], {
        directory: folder,
        environment: { ...variables, ...more },
        width: 120,
      })
      expect(await terminal.ended(), terminal.screen()).toBe(0)
      return terminal.screen()
    }

    await deploy({ SERVICE_API_KEY: key, QUIRE_URL: url })
    const started = await startLogin(['--url', url], variables)
    const owner = createClient({ baseUrl: url, token: session })
    await owner.call(contract.device.approve, { body: { user_code: started.code } })
    expect((await started.finished).code).toBe(0)
    expect((await run(['deploy', 'docs'], variables, folder)).code).toBe(0)
    await expect(stat(link)).rejects.toThrow('ENOENT')

    expect(await deploy()).toContain(`Linked to docs at ${url}: docs/.quire.json says so. Commit it`)
    expect(JSON.parse(await readFile(link, 'utf8'))).toEqual({ service: url, project: 'docs' })
    expect(await deploy()).not.toContain('Linked')
  })
})
