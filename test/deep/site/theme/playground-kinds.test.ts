import type { Server, ServerResponse } from 'node:http'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasBrowser, launchBrowser, onPageError } from '#test/support/browser.ts'
import { loadTheme } from '#site/theme/assets.ts'
import {
  addressOf,
  apiServer,
  listening,
  serveOperations,
  type Asked,
  type OperationSource,
} from '#test/support/site/theme/operation-site.ts'

let browser: Browser
let page: Page
let site: Server, api: Server
let asked: Asked[] = []
const problems: string[] = []

/** What the API answers, by path. */
function answer(response: ServerResponse, { url }: Asked): void {
  if (url.endsWith('/picture'))
    response.writeHead(200, { 'content-type': 'application/zip' }).end(Buffer.alloc(4096, 7))
  else if (url.endsWith('/large'))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ text: 'x'.repeat(3_000_000) }))
  else if (url.endsWith('/broken')) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '9000' })
    response.write('{"half":', () => response.destroy())
  } else response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}')
}

const schemes = {
  token: { type: 'http', scheme: 'bearer' },
  user: { type: 'http', scheme: 'basic' },
  header: { type: 'apiKey', in: 'header', name: 'x-key' },
  query: { type: 'apiKey', in: 'query', name: 'key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'session' },
  digest: { type: 'http', scheme: 'Digest' },
  certificate: { type: 'mutualTLS' },
  oauth: {
    type: 'oauth2',
    flows: {
      authorizationCode: {
        authorizationUrl: 'https://login.example.com/authorize',
        tokenUrl: 'https://login.example.com/token',
        scopes: { 'apples:read': 'See apples', 'apples:eat': 'Eat them' },
      },
    },
  },
  openid: { type: 'openIdConnect', openIdConnectUrl: 'https://login.example.com/.well-known/openid-configuration' },
}

/** A page of an operation of the API with this path. */
function operation(path: string, part: object, operationPart: object = {}, method = 'POST'): OperationSource {
  const whole = {
    part: {
      kind: 'operation',
      method,
      path,
      servers: [{ url: addressOf(api) }],
      schemes,
      operation: { summary: 'Do', responses: {}, ...operationPart },
      ...part,
    },
    definitions: {},
    settings: {
      playground: 'interactive',
      pills: [],
      requiredOnly: false,
      generate: true,
      prefill: false,
      servers: [],
    },
  }
  const asks = { [`api:${method} ${path}`]: JSON.stringify(whole) }
  return { source: `---\ntitle: Do\nopenapi: ${method} ${path}\n---\n`, asks }
}

const sends = (content: object) => ({ requestBody: { content } })
const form = {
  schema: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      tags: { type: 'array', items: { type: 'string' } },
      filter: { type: 'object', properties: { color: { type: 'string' } } },
      file: { type: 'string', format: 'binary' },
    },
  },
}
const parameter = (name: string, place: string, schema: object, more: object = {}) => ({
  name,
  in: place,
  schema,
  ...more,
})
const strings = { type: 'array', items: { type: 'string' } }
const colour = { type: 'object', properties: { r: { type: 'string' }, g: { type: 'string' } } }

function pages(): Readonly<Record<string, OperationSource>> {
  const ways = Object.keys(schemes).map((name) => ({ [name]: name === 'oauth' ? ['apples:eat'] : [] }))
  return {
    '/keys': operation('/keys', { security: [...ways, { token: [], header: [] }, {}] }),
    '/servers': operation('/v', {
      servers: [
        {
          url: `${addressOf(api)}/{stage}/{tenant}`,
          variables: { stage: { default: 'live', enum: ['live', 'test'] }, tenant: { default: 'acme' } },
        },
      ],
    }),
    '/parameters': operation(
      '/p/{ids}/{at}',
      {
        parameters: [
          parameter('ids', 'path', strings, { required: true }),
          parameter('at', 'path', { type: 'string' }, { required: true, style: 'matrix' }),
          parameter('many', 'query', strings),
          parameter('joined', 'query', strings, { explode: false }),
          parameter('piped', 'query', strings, { style: 'pipeDelimited' }),
          parameter('deep', 'query', colour, { style: 'deepObject' }),
          { name: 'json', in: 'query', content: { 'application/json': { schema: colour } } },
          parameter('content-type', 'header', { type: 'string' }),
          parameter('x-list', 'header', strings),
          parameter('User-Agent', 'header', { type: 'string' }),
        ],
      },
      sends({ 'application/json': { schema: { type: 'object', properties: { a: { type: 'string' } } } } }),
    ),
    '/bodies': operation(
      '/b',
      {},
      sends({
        'application/json': { schema: { type: 'object', properties: { name: { type: 'string', example: 'Gala' } } } },
        'multipart/form-data': form,
        'application/x-www-form-urlencoded': { ...form, encoding: { filter: { style: 'deepObject' } } },
        'text/plain': { schema: { type: 'string' }, example: 'plain words' },
        'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
      }),
    ),
    '/picture': operation('/picture', {}, {}, 'GET'),
    '/large': operation('/large', {}, {}, 'GET'),
    '/broken': operation('/broken', {}, {}, 'GET'),
    '/letters': operation('/letters', { parameters: [parameter('x-name', 'header', { type: 'string' })] }, {}, 'GET'),
  }
}

async function visit(path: string): Promise<void> {
  await page.goto(`${addressOf(site)}${path}`)
  await page.click('.q-try')
  await page.waitForSelector('.q-play[open] .q-play-sample code')
}

const row = (name: string) => page.locator(`.q-play-field:has(> :is(label, span) code:text-is("${name}"))`)
const field = (name: string) => row(name).locator('input, select, textarea').first()
async function add(name: string, ...values: readonly string[]): Promise<void> {
  for (const value of values) {
    await row(name).locator('.q-play-add').click()
    await row(name).locator('.q-play-rows input').last().fill(value)
  }
}
const answered = () => page.locator('.q-play-answer')
async function send(): Promise<Asked | undefined> {
  asked = []
  await page.click('.q-play-head button[type=submit]')
  await answered().locator('.q-play-status strong').waitFor()
  return asked[0]
}
const part = (title: string) => page.locator(`.q-play-part:has(> summary:text-is("${title}"))`)
const choose = (label: string) => part('Authorization').locator('select').first().selectOption({ label })
const secret = '.q-play input[type=password]'

describe.skipIf(!hasBrowser)('what the playground sends', () => {
  beforeAll(async () => {
    api = await listening(apiServer(true, (each) => asked.push(each), answer))
    site = await serveOperations(loadTheme(), pages())
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser.close()
    for (const server of [site, api]) server.close()
  })
  beforeEach(async () => {
    problems.length = 0
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
    page = await context.newPage()
    onPageError(page, (error) => void problems.push(error.message))
  })
  afterEach(async () => {
    await page.context().close()
    if (problems.length > 0) throw new Error(problems.join('\n'))
  })

  it('is the credential of the way that was chosen, where the description has it', async () => {
    await visit('/keys')
    await page.fill(secret, 'abc')
    expect((await send())?.headers.authorization).toBe('Bearer abc')
    await choose('user')
    await field('Username').fill('ann')
    await page.fill(secret, 'pä:ss')
    expect((await send())?.headers.authorization).toBe(`Basic ${Buffer.from('ann:pä:ss').toString('base64')}`)
    await choose('header')
    await page.fill(secret, 'k1')
    expect((await send())?.headers['x-key']).toBe('k1')
    await choose('query')
    await page.fill(secret, 'k 2')
    expect((await send())?.url).toBe('/keys?key=k%202')
    await choose('digest')
    await page.fill(secret, 'Digest username="ann"')
    expect((await send())?.headers.authorization).toBe('Digest username="ann"')
    await choose('token + header')
    await page.locator(secret).first().fill('abc')
    await page.locator(secret).last().fill('k1')
    expect((await send())?.headers).toMatchObject({ authorization: 'Bearer abc', 'x-key': 'k1' })
    await choose('None')
    expect((await send())?.headers).not.toHaveProperty('authorization')
  })

  it('is no cookie and no certificate, which is said where they would be written', async () => {
    await visit('/keys')
    await choose('cookie')
    await page.fill(secret, 's1')
    expect(await part('Authorization').textContent()).toContain('add it in a terminal')
    expect((await send())?.headers).not.toHaveProperty('cookie')
    await page.check('.q-play-check input')
    await expect.poll(() => page.textContent('.q-play-sample')).toContain('session=s1')
    await choose('certificate')
    expect(await part('Authorization').textContent()).toContain('the browser presents it')
    expect(await page.locator(secret).count()).toBe(0)
  })

  it('is a token of OAuth 2 that readers have got themselves, where the form says', async () => {
    await visit('/keys')
    await choose('oauth')
    const flows = part('Authorization').locator('.q-play-flows')
    expect(await flows.textContent()).toContain('authorizationUrl: https://login.example.com/authorize')
    expect(await flows.textContent()).toContain('apples:eat Eat them')
    expect(await flows.textContent()).not.toContain('apples:read')
    expect(await flows.locator('a').first().getAttribute('rel')).toContain('noreferrer')
    await page.fill(secret, 'token-1')
    expect((await send())?.headers.authorization).toBe('Bearer token-1')
    await choose('openid')
    expect(await flows.textContent()).toContain('/.well-known/openid-configuration')
  })

  it('is nothing that was typed in another tab', async () => {
    await visit('/keys')
    await page.fill(secret, 'abc')
    const first = page
    page = await first.context().newPage()
    await visit('/keys')
    expect(await page.inputValue(secret)).toBe('')
    await first.reload()
    page = first
    await visit('/keys')
    expect(await page.inputValue(secret)).toBe('abc')
  })

  it('goes to the server whose variables were filled in', async () => {
    await visit('/servers')
    expect((await send())?.url).toBe('/live/acme/v')
    await field('stage').selectOption('test')
    await field('tenant').fill('orchard')
    expect((await send())?.url).toBe('/test/orchard/v')
  })

  it('has lists and objects as the description wants them, and one type of the body', async () => {
    await visit('/parameters')
    await add('ids', 'a b', 'c')
    await field('at').fill('x')
    await add('many', '1', '2,3')
    await add('joined', '1', '2')
    await add('piped', '1', '2')
    const objects = page.locator('.q-play-object')
    for (const [index, value] of ['5', '6'].entries()) await objects.nth(index).locator('input').first().fill(value)
    await add('x-list', 'p', 'q')
    const sent = await send()
    expect(sent?.url).toBe(
      '/p/a%20b,c/;at=x?many=1&many=2,3&joined=1,2&piped=1%7C2&deep%5Br%5D=5&json=%7B%22r%22%3A%226%22%7D',
    )
    expect(sent?.headers['x-list']).toBe('p,q')
    expect(await row('content-type').count()).toBe(0)
    expect(await row('User-Agent').textContent()).toContain('Browsers write this header themselves')
  })

  it('is a form with files, a form in a line, a text or a file, and the samples say the same', async () => {
    await visit('/bodies')
    const types = part('Body').locator('select').first()
    const sample = () => page.textContent('.q-example-request .q-tab:not([hidden]) .q-tab:not([hidden]) code')
    await types.selectOption({ label: 'multipart/form-data' })
    await field('name').fill('Cox')
    await add('tags', 'a', 'b')
    await field('file').setInputFiles({ name: 'leaf.txt', mimeType: 'text/plain', buffer: Buffer.from('green') })
    await expect.poll(sample).toContain('leaf.txt')
    const multipart = await send()
    expect(multipart?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
    expect(multipart?.body).toMatch(/name="tags"\r\n\r\na.*name="tags"\r\n\r\nb.*filename="leaf.txt".*green/s)
    await types.selectOption({ label: 'application/x-www-form-urlencoded' })
    await field('name').fill('Cox & Co')
    await field('color').fill('red')
    await expect.poll(sample).toContain('x-www-form-urlencoded')
    expect((await send())?.body).toContain('name=Cox+%26+Co&filter%5Bcolor%5D=red')
    await types.selectOption({ label: 'text/plain' })
    const text = await send()
    expect([text?.headers['content-type'], text?.body]).toEqual(['text/plain', 'plain words'])
    await types.selectOption({ label: 'application/octet-stream' })
    await part('Body')
      .locator('input[type=file]')
      .setInputFiles({ name: 'x', mimeType: 'image/png', buffer: Buffer.from('bytes') })
    const file = await send()
    expect([file?.headers['content-type'], file?.body]).toEqual(['application/octet-stream', 'bytes'])
  })

  it('comes back as a file where it is none to read, and cut where it is long', async () => {
    await visit('/picture')
    await send()
    expect(await answered().textContent()).toContain('application/zip, 4.1 kB')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      answered().locator('button', { hasText: 'Download' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('response.zip')
    await visit('/large')
    await send()
    expect(await answered().textContent()).toContain('3.0 MB')
    expect((await answered().locator('pre').textContent())?.length).toBeLessThan(250_000)
  })

  it('is told from CORS where it breaks off, or cannot be sent at all', async () => {
    await visit('/broken')
    await page.click('.q-play-head button[type=submit]')
    await page.waitForSelector('[data-trouble=broken]')
    expect(await answered().textContent()).not.toContain('CORS')
    await visit('/letters')
    await field('x-name').fill('名前')
    asked = []
    await page.click('.q-play-head button[type=submit]')
    await answered().locator('.q-play-trouble').waitFor()
    expect(await answered().textContent()).not.toContain('CORS')
    expect(asked).toEqual([])
  })

  it('is in every language the media type that was chosen on the page, in which the form begins', async () => {
    await page.goto(`${addressOf(site)}/bodies`)
    const selects = () => page.locator('.q-example-request .q-tabselect:visible')
    await selects().last().selectOption({ label: 'Python' })
    for (const [type, text] of [
      ['application/json', 'Gala'],
      ['multipart/form-data', 'files'],
      ['text/plain', 'plain words'],
    ] as const) {
      await selects().first().selectOption({ label: type })
      const code = page.locator('.q-example-request code:visible')
      expect(await code.count()).toBe(1)
      expect(await code.textContent()).toContain(text)
      expect(await code.textContent()).toContain('requests')
    }
    await page.click('.q-try')
    await page.waitForSelector('.q-play[open] .q-play-sample code')
    expect(await part('Body').locator('select option:checked').first().textContent()).toBe('text/plain')
  })
})
