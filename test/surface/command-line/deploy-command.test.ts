import { spawn } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { createServer, request, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { dist } from '#lib/paths.ts'
import { quire, type Finished } from '#test/support/command-line.ts'
import { inDepth, isDeep } from '#test/support/depth.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import type { TestService } from '#test/support/service.ts'
import { sharedService } from '#test/support/shared-service.ts'
import { getSite } from '#test/support/site.ts'
import { removeDirectory, writeFiles } from '#test/support/temporary.ts'

interface Wiretap {
  readonly server: Server
  readonly url: string
  readonly heard: string[]
  /** Changes come to nobody, and are not answered. */
  holds: boolean
}

/** Passes requests on to a service, and notes them. */
async function wiretap(port: number): Promise<Wiretap> {
  const heard: string[] = []
  const server = createServer((incoming, answer) => {
    const { method, url, headers } = incoming
    if (tap.holds && method === 'POST') {
      heard.push('held')
      return
    }
    heard.push(`${method} ${new URL(url ?? '/', 'http://x').pathname}`)
    const onwards = request(
      { port, method, path: url, headers: { ...headers, host: `localhost:${port}` } },
      (response) => {
        answer.writeHead(response.statusCode ?? 500, response.headers)
        response.pipe(answer)
      },
    )
    incoming.pipe(onwards)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const tap: Wiretap = {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    holds: false,
  }
  return tap
}

describe('quire deploy', () => {
  let directory: string
  let service: TestService
  let project: ProjectAccess
  let wire: Awaited<ReturnType<typeof wiretap>>
  const run = (words: readonly string[], environment: Record<string, string> = {}): Promise<Finished> =>
    quire(
      ['--url', wire.url, ...words],
      { SERVICE_API_KEY: project.key, XDG_STATE_HOME: join(directory, 'state'), ...environment },
      directory,
    )
  const site = async (path: string): Promise<number> => (await getSite(service.port, 'deployed.localhost', path)).status
  const six = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [`docs/${name}.md`, `# ${name}\n`]))

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'quire-deploy-command-'))
    service = await sharedService()
    project = await createProject(service.url, 'deployed')
    wire = await wiretap(service.port)
    await writeFiles(directory, { ...six, 'docs/index.md': '# Home\n', 'one/index.md': '# One\n' })
  })
  afterAll(async () => {
    wire.server.closeAllConnections()
    wire.server.close()
    await removeDirectory(directory)
  })

  it('takes one round trip when the last deploy was from here, and notices that main has moved since', async () => {
    const first = await run(['deploy', 'docs'])
    expect([first.code, first.stdout], first.stderr).toEqual([0, `http://deployed.localhost:${service.port}\n`])
    await writeFiles(directory, { 'docs/a.md': '# Changed\n' })
    wire.heard.length = 0
    const second = await run(['deploy', 'docs'])
    expect(second.code, second.stderr).toBe(0)
    expect(second.stderr).toContain('7 files, 1 of them new to deployed')
    expect(wire.heard).toEqual(['POST /api/deploy'])

    // Somebody else adds a page, which this folder lacks.
    const files = [...Object.entries(six), ['docs/z.md', '# z\n']].map(([path = '', content = '']) => ({
      path: path.replace('docs/', ''),
      content,
    }))
    await project.client.call(contract.deploys.create, { body: { files } })
    const third = await run(['deploy', 'docs'])
    expect(third.code, third.stderr).toBe(0)
    expect(third.stderr).toContain('removes  z.md')
    expect(await site('/z')).toBe(404)
  })

  inDepth('that is interrupted before it is answered may have begun, and says so', async () => {
    wire.holds = true
    const child = spawn(process.execPath, [join(dist, 'quire.js'), '--url', wire.url, 'deploy', 'docs', '--yes'], {
      env: { PATH: process.env['PATH'], HOME: directory, SERVICE_API_KEY: project.key },
      cwd: directory,
    })
    const said = text(child.stderr)
    await expect.poll(() => wire.heard.includes('held'), { timeout: 20_000 }).toBe(true)
    child.kill('SIGINT')
    const [code]: unknown[] = await once(child, 'exit')
    wire.holds = false
    expect([code, await said]).toEqual([130, expect.stringContaining('quire deploys says')])
  })

  it('does not take most of a site away unless that is said', async () => {
    const before = (await project.client.call(contract.projects.read, { params: project })).live?.id
    wire.heard.length = 0
    const refused = await run(['deploy', 'one'])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('6 of the 7 live pages would go away: the folder has 1 page.')
    expect(refused.stderr).toMatch(/--yes, or QUIRE_ALLOW_REMOVAL=1/)
    expect(refused.stderr).toContain('removes  a.md')
    expect(wire.heard.filter((line) => line.startsWith('POST'))).toEqual([])
    expect((await project.client.call(contract.projects.read, { params: project })).live?.id).toBe(before)

    if (isDeep) {
      const dry = await run(['deploy', 'one', '--dry-run'])
      expect(dry.code).toBe(0)
      expect(dry.stdout).toMatch(/gone .*a\.md\n/)
      expect(dry.stdout).toContain('6 to go away. Nothing was deployed.')
      const json: { removed: string[] } = JSON.parse((await run(['deploy', 'one', '--dry-run', '--json'])).stdout)
      expect(json.removed).toEqual(['a.md', 'b.md', 'c.md', 'd.md', 'e.md', 'f.md'])
      const allowed = await run(['deploy', 'one'], { QUIRE_ALLOW_REMOVAL: '1' })
      expect(allowed.code, allowed.stderr).toBe(0)
      expect((await run(['deploy', 'docs'])).code).toBe(0)
    }
    const yes = await run(['deploy', 'one', '--yes'])
    expect(yes.code, yes.stderr).toBe(0)
    expect(await site('/a')).toBe(404)
  })

  inDepth('asks the service again where what it remembers of it is wrong', async () => {
    await writeFiles(directory, { 'few/index.md': '# Few\n' })
    expect((await run(['deploy', 'few'])).code).toBe(0)
    const other = await createProject(service.url, 'deployed-too')
    const theirs = await run(['deploy', 'few'], { SERVICE_API_KEY: other.key })
    expect([theirs.code, theirs.stdout], theirs.stderr).toEqual([0, `http://deployed-too.localhost:${service.port}\n`])
    const revoked = await run(['deploy', 'few'], { SERVICE_API_KEY: `${project.key.slice(0, -4)}0000` })
    expect([revoked.code, revoked.stderr]).toEqual([4, expect.stringContaining('SERVICE_API_KEY')])
  })

  it('fails for warnings with --strict, and nothing goes live', async () => {
    await writeFiles(directory, { 'odd/index.md': '# Odd\n\n[nowhere](/nowhere)\n' })
    const strict = await run(['deploy', 'odd', '--strict'])
    expect([strict.code, strict.stderr]).toEqual([3, expect.stringContaining('index.md:3')])
    expect((await getSite(service.port, 'deployed.localhost', '/')).text).not.toContain('Odd')
    if (!isDeep) return
    const lenient = await run(['deploy', 'odd'])
    expect([lenient.code, lenient.stderr]).toEqual([0, expect.stringContaining('1 warning')])
  })
})
