import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dist } from '#lib/paths.ts'
import { certificate, privateKey } from '#test/support/certificate.ts'
import { quire, type Finished } from '#test/support/command-line.ts'
import { temporaryDirectory, writeFiles } from '#test/support/temporary.ts'

const key = { SERVICE_API_KEY: `quire_${'x'.repeat(40)}` }

/** No name server is asked: the test needs no network, and one that is there may have an answer of its own. */
const unknown = `import dns from "node:dns"; dns.lookup = (name, options, done) => done(Object.assign(new Error("getaddrinfo ENOTFOUND " + name), { code: "ENOTFOUND", syscall: "getaddrinfo" }))`
const knowsNobody = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(unknown)}` }

describe('who cannot be talked to', () => {
  const servers: Server[] = []
  const ports = { html: 0, missing: 0, json: 0, tls: 0, nobody: 0 }
  const listen = async (server: Server): Promise<number> => {
    servers.push(server)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return (server.address() as AddressInfo).port
  }
  const answer = (status: number, type: string, text: string): RequestListener => {
    return (_request, response) => void response.writeHead(status, { 'content-type': type }).end(text)
  }
  beforeAll(async () => {
    ports.html = await listen(createServer(answer(200, 'text/html; charset=utf-8', '<h1>Hello</h1>')))
    ports.missing = await listen(createServer(answer(404, 'text/html', '<h1>Not here</h1>')))
    ports.json = await listen(createServer(answer(200, 'application/json', '{"hello": "world"}')))
    ports.tls = await listen(createTlsServer({ key: privateKey, cert: certificate }, answer(200, 'text/html', '')))
    ports.nobody = await listen(createServer())
    await new Promise((resolve) => servers.pop()?.close(resolve))
  })
  afterAll(() => {
    for (const server of servers) server.close()
  })
  const deploys = (url: string, more: Record<string, string> = {}): Promise<Finished> =>
    quire(['deploys', '--url', url], { ...key, ...more })

  it.each([
    [
      'a name that no machine has',
      () => 'https://docs.exmaple.invalid',
      knowsNobody,
      'cannot be reached: no machine has that name (ENOTFOUND).',
    ],
    [
      'TLS that is spoken to a port without',
      () => `https://localhost:${ports.html}`,
      {},
      'cannot be reached: it does not speak TLS there',
    ],
    [
      'a certificate that nobody trusts',
      () => `https://localhost:${ports.tls}`,
      {},
      'cannot be reached: its certificate is from nobody whom this machine trusts',
    ],
    [
      'a page in the place of JSON',
      () => `http://localhost:${ports.html}`,
      {},
      'answers, but not as a Quire does: 200 with text/html.',
    ],
    [
      'a page that something else does not have',
      () => `http://localhost:${ports.missing}`,
      {},
      'answers, but not as a Quire does: 404 Not Found with text/html.',
    ],
    [
      'JSON of something else',
      () => `http://localhost:${ports.json}`,
      {},
      'answers, but not as a Quire does: JSON of something else.',
    ],
  ])('is told in a sentence, once: %s', async (_what, url, more, told) => {
    const { code, stdout, stderr } = await deploys(url(), more)
    expect(stderr).toContain(`error  ${url()} ${told}`)
    expect(stderr.match(/^next {3}.+$/gm)).toHaveLength(1)
    expect(stderr.trim().split('\n')).toHaveLength(2)
    expect([code, stdout]).toEqual([1, ''])
  })

  it('on this machine is asked a second time, and no more', async () => {
    const { code, stderr } = await deploys(`http://127.0.0.1:${ports.nobody}`)
    expect(stderr.match(/Trying again/g)).toHaveLength(1)
    expect(stderr).toContain('nothing answers there (ECONNREFUSED).\nnext   Check the address')
    expect(code).toBe(75)
  })

  it('but leads elsewhere is told, and no credential goes there', async () => {
    const heard: (string | undefined)[] = []
    const port = await listen(
      createServer(({ headers, url = '' }, response) => {
        heard.push(headers.authorization)
        const isFirst = headers.host?.startsWith('127.0.0.1') === true
        if (isFirst) response.writeHead(308, { location: `http://localhost:${port}${url}` }).end()
        else response.writeHead(200, { 'content-type': 'application/json' }).end('{"items": []}')
      }),
    )
    const [from, to] = [`http://127.0.0.1:${port}`, `http://localhost:${port}`]
    for (const words of [['deploys'], ['login']]) {
      const { code, stderr } = await quire([...words, '--url', from], key)
      expect([code, stderr]).toEqual([
        1,
        `error  ${from} leads to ${to}, which is another service to this program.\nnext   If you mean that one, name it: --url ${to}, or QUIRE_URL.\n`,
      ])
    }
    expect(heard).toEqual([`Bearer ${key.SERVICE_API_KEY}`, undefined])
  })

  it('is told with what named it', async () => {
    const directory = await temporaryDirectory()
    await writeFiles(directory, { '.quire.json': `{"service": "http://localhost:${ports.html}"}` })
    const { stderr } = await quire(['login'], { HOME: directory }, directory)
    expect(stderr).toContain(
      'next   Check the address: it is that of the dashboard, not of a site. .quire.json names it;',
    )
  })
})

describe('what this machine does not allow', () => {
  it('is told in a sentence: a file, a folder and a home that may not be read', async () => {
    const directory = await temporaryDirectory()
    await writeFiles(join(directory, 'docs'), { 'index.md': '# Home', 'secret.md': '# Secret' })
    const words = ['deploy', 'docs', '--dry-run']
    const run = (environment: Record<string, string> = {}) =>
      asNobody(words, { HOME: directory, ...environment }, directory)
    await chmod(directory, 0o755)
    await chmod(join(directory, 'docs', 'secret.md'), 0)
    expect((await run()).stderr).toMatch(
      /^error {2}\S+secret\.md cannot be opened: this user may not \(EACCES\)\.\nnext {3}.+\n$/,
    )
    await chmod(join(directory, 'docs'), 0o711)
    expect((await run()).stderr).toMatch(/^error {2}The folder \S+docs cannot be read \(EACCES\)\.\nnext {3}.+\n$/)
    await chmod(join(directory, 'docs'), 0o755)
    await chmod(join(directory, 'docs', 'secret.md'), 0o644)
    await mkdir(join(directory, 'quire'), { mode: 0o700 })
    const settings = await run({ XDG_CONFIG_HOME: directory })
    expect(settings.stderr).toMatch(/^error {2}\S+services\.json cannot be read \(EACCES\)\.\nnext {3}.+\n$/)
    // A user without a home deploys, as in a container.
    expect((await run({ HOME: '' })).code).toBe(0)
  })

  it('is told of a data directory that cannot be made', async () => {
    const directory = await temporaryDirectory()
    await writeFile(join(directory, 'file'), '')
    const { code, stderr } = await quire(['admin', 'check', '--data', join(directory, 'file', 'data')])
    expect(stderr).toMatch(/^error {2}.+\nnext {3}.+\n$/)
    expect(code).toBe(1)
  })

  it.each([
    ['is below a file', async () => join(await emptyFile(), 'data'), 'a file is in its place or above it'],
    ['is a file', emptyFile, 'a file is in its place or above it'],
    ['is where nothing can be made', async () => '/proc/quire/data', 'nothing can be made there'],
    ['is where its user may not write', async () => join(await closedFolder(), 'data'), 'may not write there'],
    ['takes no writes of its user', closedFolder, 'its user may not write into the data directory'],
  ])('a service whose data directory %s says so, and does not ask to be tried again', async (_what, place, told) => {
    const { code, stderr } = await asNobody(['serve'], { DATA_DIR: await place(), PORT: '0' }, '/')
    expect(stderr).toMatch(/^(?!.*\n {4}at ).+\n.+\n$/)
    expect(stderr).toContain(told)
    expect(code).toBe(1)
  })
})

async function emptyFile(): Promise<string> {
  const file = join(await temporaryDirectory(), 'file')
  await writeFile(file, '')
  await chmod(join(file, '..'), 0o755)
  return file
}

/** A folder that nobody may write into who has no rights. */
async function closedFolder(): Promise<string> {
  const directory = await temporaryDirectory()
  await chmod(directory, 0o555)
  return directory
}

describe('a reader that goes', () => {
  it('takes nothing with it, whatever words the command has', async () => {
    const directory = await temporaryDirectory()
    await writeFiles(directory, { 'ui/index.md': '# Home' })
    for (const closed of ['stdout', 'stderr'] as const) {
      const child = spawn(process.execPath, [join(dist, 'quire.js'), 'deploy', 'ui', '--dry-run'], {
        cwd: directory,
        env: { PATH: process.env['PATH'], HOME: directory },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      child[closed].destroy()
      let said = ''
      child[closed === 'stdout' ? 'stderr' : 'stdout'].on('data', (chunk: Buffer) => (said += chunk.toString()))
      expect(await once(child, 'close')).toEqual([0, null])
      expect(said).not.toContain('EPIPE')
    }
  })

  it('ends the UI with its own word where there is no terminal', async () => {
    const child = spawn(process.execPath, [join(dist, 'quire.js'), 'ui'], { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    child.stderr.destroy()
    expect(await once(child, 'close')).toEqual([2, null])
  })
})

/** Runs the built `quire` as a user without rights. */
async function asNobody(words: readonly string[], environment: Record<string, string>, cwd: string): Promise<Finished> {
  const child = spawn(process.execPath, [join(dist, 'quire.js'), ...words], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}),
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const [code]: (number | null)[] = await once(child, 'close')
  return { code: code ?? null, stdout, stderr }
}
