import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, get, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Deploy } from '#contract/deploys.ts'
import type { Domain } from '#contract/domains.ts'
import { startDns } from '#test/support/dns-stub.ts'
import { freePort, nobodysServer, startService, type ServiceProcess } from '#test/support/service-process.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { ask, previewDomain, publicHost, startCaddy, startNginx, type Proxy } from './proxy.ts'

const run = promisify(execFile)
const slug = 'manual'
const site = `${slug}.${previewDomain}`

interface Published {
  readonly proxy: Proxy
  readonly key: string
  readonly session: string
  restart(): Promise<void>
  stop(): Promise<void>
}

/** A service as it is run for others, behind a proxy; its project is made through that. */
async function publish(
  start: (upstream: number) => Promise<Proxy>,
  environment: Record<string, string> = {},
): Promise<Published> {
  const directory = await temporaryDirectory()
  const port = await freePort()
  const settings = {
    PUBLIC_URL: `https://${publicHost}`,
    PREVIEW_DOMAIN: previewDomain,
    TRUST_PROXY: '127.0.0.1',
    SIGNUP: 'open',
    ...environment,
  }
  let service: ServiceProcess = await startService(directory, settings, port)
  onTestFinished(() => service.stop())
  const proxy = await start(port)
  const body = { email: 'ada@example.com', password: 'correct horse battery' }
  const { token } = await made<{ token: string }>(proxy, '/api/auth/signup', { body })
  const headers = { authorization: `Bearer ${token}` }
  await made(proxy, '/api/projects', { body: { slug }, headers })
  const { key } = await made<{ key: string }>(proxy, `/api/projects/${slug}/keys`, { body: { name: 'test' }, headers })
  return {
    proxy,
    key,
    session: token,
    stop: () => service.stop(),
    restart: async () => void (service = await startService(directory, settings, port)),
  }
}

async function made<T>(proxy: Proxy, path: string, asked: Parameters<typeof ask>[3]): Promise<T> {
  const { status, text } = await ask(proxy, publicHost, path, asked)
  expect({ status, text: status < 300 ? '' : text }).toEqual({ status: expect.any(Number) as number, text: '' })
  return JSON.parse(text) as T
}

function deploy({ proxy, key }: Published, files: readonly object[]): Promise<Deploy> {
  return made<Deploy>(proxy, '/api/deploy', { body: { files }, headers: { authorization: `Bearer ${key}` } })
}

const megabytes = (count: number): number => count << 20
/** 32 hex digits, or a UUID. */
const requestId = /^[\da-f]{8}(?:-?[\da-f]{4}){3}-?[\da-f]{12}$/
const page = (text: string) => ({ path: 'index.md', content: `# ${text}` })

describe.each([
  ['nginx', startNginx],
  ['caddy', startCaddy],
] as const)('%s, as it is shown, in front of a service', (_name, start) => {
  it('passes on sites by their names, and the API', async () => {
    const published = await publish(start)
    const { url } = await deploy(published, [page('Hello')])
    expect(url).toBe(`https://${site}`)
    const { proxy } = published
    expect(await ask(proxy, site, '/')).toMatchObject({ status: 200, text: expect.stringContaining('Hello') })
    expect((await ask(proxy, `nobody.${previewDomain}`, '/')).status).toBe(404)
    expect((await ask(proxy, publicHost, '/api/service')).status).toBe(200)
  })

  it('takes uploads of many MB, and Git both ways', async () => {
    const published = await publish(start)
    const large = ['one', 'two'].map((name) => ({
      path: `${name}.png`,
      content: randomBytes(megabytes(3)).toString('base64'),
      encoding: 'base64',
    }))
    await deploy(published, [page('Large'), ...large])
    const { proxy, key } = published
    const { headers } = await ask(proxy, site, '/two.png', { method: 'HEAD' })
    expect(headers['content-length']).toBe(String(megabytes(3)))

    const directory = await temporaryDirectory()
    const git = (...words: string[]) =>
      run(
        'git',
        [
          '-c',
          'http.sslVerify=false',
          '-c',
          `http.curloptResolve=${publicHost}:${proxy.port}:127.0.0.1`,
          '-c',
          `http.extraHeader=Host: ${publicHost}`,
          ...words,
        ],
        {
          env: { PATH: process.env['PATH'], HOME: directory, GIT_TERMINAL_PROMPT: '0' },
        },
      )
    const clone = join(directory, 'clone')
    await git('clone', '-q', `https://any:${key}@${publicHost}:${proxy.port}/git/${slug}.git`, clone)
    for (const name of ['three', 'four']) await writeFile(join(clone, `${name}.png`), randomBytes(megabytes(4)))
    await git('-C', clone, 'add', '.')
    await git('-C', clone, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '-qm', 'Push')
    await git('-C', clone, 'push', '-q', 'origin', 'HEAD')
    expect((await ask(proxy, site, '/four.png', { method: 'HEAD' })).headers['content-length']).toBe(
      String(megabytes(4)),
    )
  })

  it('hands events on as they happen', async () => {
    const published = await publish(start)
    const files = Array.from({ length: 400 }, (_, i) => ({
      path: `page-${i}.md`,
      content: `# ${i}\n\n${'text '.repeat(400)}`,
    }))
    const { proxy, key } = published
    const headers = { authorization: `Bearer ${key}` }
    const body = { files: [page('Many'), ...files] }
    const { id } = await made<Deploy>(proxy, '/api/deploy', { body, headers: { ...headers, prefer: 'respond-async' } })
    const record = `/api/projects/${slug}/deploys/${id}`
    let meanwhile: Promise<{ text: string }> | undefined
    const { text } = await ask(proxy, publicHost, `${record}/events`, {
      headers,
      onData: () => void (meanwhile ??= ask(proxy, publicHost, record, { headers })),
    })
    expect(JSON.parse((await meanwhile)?.text ?? '{}')).toMatchObject({ status: 'building' })
    expect(text).toMatch(/"type":"done"/)
  })

  it('says whose a request is, and nobody chooses that', async () => {
    const { proxy } = await publish(start, { RATE_STRANGERS: '10' })
    const statuses = new Set<number>()
    for (let i = 0; i < 30; i++) {
      const headers = { 'x-forwarded-for': `192.0.${i}.1` }
      statuses.add((await ask(proxy, publicHost, '/api/openapi.json', { headers })).status)
    }
    expect(statuses).toEqual(new Set([200, 429]))
  })

  it('names each request by itself, and hands on no trace that a client claims', async () => {
    let taken: IncomingHttpHeaders = {}
    const server = createServer((request, response) => {
      taken = request.headers
      response.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const proxy = await start((server.address() as AddressInfo).port)
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const headers = { 'x-request-id': 'chosen', traceparent, tracestate: 'vendor=chosen' }
    const ids = new Set<unknown>()
    for (let i = 0; i < 2; i++) {
      expect((await ask(proxy, publicHost, '/api/service', { headers })).status).toBe(200)
      ids.add(taken['x-request-id'])
    }
    expect([...ids]).toEqual([expect.stringMatching(requestId), expect.stringMatching(requestId)])
    expect(taken).not.toHaveProperty('traceparent')
    expect(taken).not.toHaveProperty('tracestate')
  })

  it('leads from http to https', async () => {
    const { proxy } = await publish(start)
    const location = await new Promise((resolve, reject) => {
      const headers = { host: site }
      get({ host: '127.0.0.1', port: proxy.plainPort, path: '/guide', headers, agent: false }, (response) => {
        response.resume()
        resolve(response.headers.location)
      }).on('error', reject)
    })
    expect(location).toMatch(new RegExp(`^https://${site}(:${proxy.port})?/guide$`))
  })
})

describe('Caddy', () => {
  it('gets certificates for verified domains of projects, and for no other', async () => {
    const texts = new Map<string, readonly string[]>()
    const { server } = await startDns((name) => texts.get(name) ?? null)
    const published = await publish(startCaddy, { DNS_SERVERS: server })
    await deploy(published, [page('At home')])
    const { proxy, session } = published
    const headers = { authorization: `Bearer ${session}` }
    const added = await made<Domain>(proxy, `/api/projects/${slug}/domains`, {
      body: { domain: 'manual.example.org' },
      headers,
    })
    const record = added.records.find(({ type }) => type === 'TXT')
    texts.set(record?.name ?? '', [record?.value ?? ''])
    await made(proxy, `/api/projects/${slug}/domains/manual.example.org/verify`, { method: 'POST', headers })
    expect(await ask(proxy, 'manual.example.org', '/')).toMatchObject({
      status: 200,
      text: expect.stringContaining('At home'),
    })
    await expect(ask(proxy, 'other.example.org', '/')).rejects.toThrow(/alert|EPROTO|TLS|SSL/i)
  })

  it('holds whoever comes while the service starts anew, and refuses nobody', async () => {
    const published = await publish(startCaddy, { DNS_SERVERS: nobodysServer })
    await deploy(published, [page('Still here')])
    await published.stop()
    const waiting = Array.from({ length: 5 }, () => ask(published.proxy, site, '/'))
    await published.restart()
    for (const { status } of await Promise.all(waiting)) expect(status).toBe(200)
  })
})
