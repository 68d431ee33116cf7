import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { deskOf, type Desk } from '#test/support/branching/support.ts'
import { contract } from '#contract/index.ts'
import { createProject } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { getSite } from '#test/support/site.ts'

const files = {
  'docs.json': JSON.stringify({
    name: 'Acme',
    navigation: { pages: ['index', 'guide/install'] },
    redirects: [{ source: '/setup', destination: '/guide/install#linux' }],
  }),
  'index.mdx': '# Home\n\nWelcome to Acme.',
  'guide/install.mdx':
    '---\ntitle: Install\n---\n\n## Linux\n\nUse the package manager to install the kettle daemon.\n\n<Card title="Next" href="/">Home</Card>',
  'secret.mdx': '---\ntitle: Secret\nhidden: true\n---\n\nThe zebra password.',
}

let service: TestService
let desk: Desk
let host = ''

beforeAll(async () => {
  service = await startTestService()
  desk = deskOf(service, await createProject(service.url, 'acme'))
  await desk.deploy(files)
  host = `acme.localhost:${service.port}`
})
afterAll(() => service.close())

/** Sends to the service whatever goes to the site’s own name. */
const toService: typeof fetch = async (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input)
  const { statusCode, headers, body } = await request(`http://127.0.0.1:${service.port}${url.pathname}`, {
    method: (init?.method ?? 'GET') as 'GET',
    headers: { ...Object.fromEntries(new Headers(init?.headers)), host: url.host },
    ...(typeof init?.body === 'string' ? { body: init.body } : {}),
  })
  const text = await body.text()
  const type = headers['content-type']
  return new Response(text === '' ? null : text, {
    status: statusCode,
    headers: typeof type === 'string' ? { 'content-type': type } : {},
  })
}

async function connect(at = host): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://${at}/mcp`), { fetch: toService }))
  onTestFinished(() => client.close())
  return client
}

async function call(
  name: string,
  values: Record<string, unknown>,
  at?: string,
): Promise<{ text: string; isError: boolean }> {
  const result = await (await connect(at)).callTool({ name, arguments: values })
  const [first] = result.content as { text: string }[]
  return { text: first?.text ?? '', isError: result.isError === true }
}

const post = (body: string, headers: Readonly<Record<string, string>> = {}) =>
  request(`http://127.0.0.1:${service.port}/mcp`, {
    method: 'POST',
    headers: { host, 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body,
  })

const listTools = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })

describe('the MCP server of a site', () => {
  it('finds and reads entries of the changelog', async () => {
    const body = { title: 'Louder kettle', content: 'It **whistles** now.', is_draft: false }
    const params = { slug: desk.slug }
    const { id } = await desk.client.call(contract.changelog.create, { params, body })
    expect((await call('search', { query: 'whistles' })).text).toContain(`http://${host}/changelog/${id}`)
    expect(await call('read_page', { path: `/changelog/${id}` })).toMatchObject({
      text: '# Louder kettle\n\nIt **whistles** now.',
      isError: false,
    })
    expect((await call('read_page', { path: '/changelog/none' })).isError).toBe(true)
  })

  it('says whose documentation it is, and what it can do', async () => {
    const client = await connect()
    expect(client.getServerVersion()?.name).toBe('acme documentation')
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['search', 'read_page'])
  })

  it('finds sections, with addresses that lead to them', async () => {
    const { text } = await call('search', { query: 'install the daemon' })
    expect(text).toContain('## Install › Linux')
    expect(text).toContain(`http://${host}/guide/install#linux`)
    expect(text).toContain('kettle daemon')
  })

  it('reads a page as Markdown, by its path, its address, and a former one', async () => {
    for (const path of ['/guide/install', 'guide/install.md', `http://${host}/guide/install?a=1#linux`, '/setup']) {
      const { text } = await call('read_page', { path })
      expect(text, path).toContain('## Linux')
      expect(text, path).not.toContain('<Card')
    }
  })

  it('says what to do where there is no such page, or nothing about a query', async () => {
    expect(await call('read_page', { path: '/nothing' })).toEqual({
      text: 'There is no page at /nothing. Search for it, or read /llms.txt.',
      isError: true,
    })
    for (const path of ['//evil.example/x', 'https://evil.example/guide/install', '/../guide/install', '/docs.json'])
      expect((await call('read_page', { path })).isError, path).toBe(path !== '/../guide/install')
    expect((await call('search', { query: 'xylophone' })).text).toContain('says anything about')
  })

  it('finds nothing on pages that are hidden', async () => {
    expect((await call('search', { query: 'zebra password' })).text).not.toContain('zebra password.')
  })

  it('refuses lists of messages, other bodies, long queries and pages of other sites', async () => {
    expect((await post(`[${listTools},${listTools}]`)).statusCode).toBe(400)
    expect((await post('{"jsonrpc":')).statusCode).toBe(400)
    expect((await post(JSON.stringify({ a: 'x'.repeat(70_000) }))).statusCode).toBe(413)
    expect((await post(listTools, { origin: 'https://evil.example' })).statusCode).toBe(403)
    expect((await post(listTools, { origin: `http://${host}` })).statusCode).toBe(200)
    expect((await call('search', { query: 'x'.repeat(201) })).isError).toBe(true)
    const unknown = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'nothing/such' }))
    expect(await unknown.body.json()).toMatchObject({ error: { code: -32601 } })
  })

  it('has no stream to listen to, and leaves the address to readers', async () => {
    const plain = `acme.localhost`
    expect((await getSite(service.port, plain, '/mcp', { accept: 'text/event-stream' })).status).toBe(405)
    expect((await getSite(service.port, plain, '/mcp', { accept: 'text/html' })).status).toBe(404)
    const own = deskOf(service, await createProject(service.url, 'own'))
    await own.deploy({ 'index.mdx': '# Home', 'mcp.mdx': '# Our servers' })
    expect((await own.site('/mcp')).text).toContain('Our servers')
  })

  it('of a preview reads what the branch says', async () => {
    const branch = await desk.branch('steam')
    await desk.save(branch, 'steam.mdx', '# Steam\n\nThe branch lets off steam.')
    await desk.save(branch, 'docs.json', JSON.stringify({ name: 'Acme', navigation: { pages: ['index', 'steam'] } }))
    const { host: at } = new URL((await desk.previewed(branch)).previewUrl)
    const found = await call('search', { query: 'lets off steam' }, at)
    expect(found.text).toContain(`http://${at}/steam`)
    expect((await call('read_page', { path: `http://${at}/steam` }, at)).text).toContain('The branch lets off steam.')
    expect((await call('read_page', { path: '/steam' })).isError).toBe(true)
    const { headers } = await post(listTools, { host: at })
    expect([headers['x-robots-tag'], headers['cache-control']]).toEqual(['noindex', 'no-store'])
    expect((await post(listTools, { host: at, origin: `http://${host}` })).statusCode).toBe(403)
  })

  it('is on the hosts of sites alone', async () => {
    const response = await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: listTools,
    })
    expect(response.status).toBe(404)
  })
})
