import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { root } from '#lib/paths.ts'
import { deskOf, type Desk } from '#test/support/branching/support.ts'
import { hasBrowser, launchBrowser, onPageError } from '#test/support/browser.ts'
import { createProject, freePort, startService } from '#test/support/service-process.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { run } from './proxy.ts'

/** What the page about domains shows for a proxy, with the site on this machine in place of the one there. */
async function shown(file: string, port: number): Promise<string> {
  const page = await readFile(join(root, 'docs/guide/domains.mdx'), 'utf8')
  const [, block = ''] = new RegExp(`\`\`\`\\w+ ${file}\\n([^\`]*)\`\`\``).exec(page) ?? []
  const changes = [
    ['https://kettle.sites.example.com', `http://127.0.0.1:${port}`],
    [/Host (?:kettle\.sites\.example\.com|\{upstream_hostport\})/, `Host kettle.localhost:${port}`],
  ] as const
  return changes.reduce((text, [from, to]) => {
    if (text.search(from) === -1) throw new Error(`the page does not say ${String(from)}`)
    return text.replace(from, to)
  }, block)
}

/** Shows a site of its own, and at /docs the one of the service. */
async function startNginx(service: number): Promise<number> {
  const directory = await temporaryDirectory()
  const port = await freePort()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  )
  const main = `pid ${directory}/pid; error_log stderr; daemon off; worker_processes 1; events {}
http { access_log off; ${temporary.join(' ')} server { listen 127.0.0.1:${port};
location / { return 404 "nothing of ours"; }
${await shown('nginx.conf', service)} } }`
  await writeFile(join(directory, 'nginx.conf'), main)
  await run('nginx', ['-p', directory, '-c', join(directory, 'nginx.conf')], { port })
  return port
}

async function startCaddy(service: number): Promise<number> {
  const directory = await temporaryDirectory()
  const port = await freePort()
  const main = `{\n\tadmin off\n\tauto_https off\n\tdefault_bind 127.0.0.1\n}
http://localhost:${port} {
${await shown('Caddyfile', service)}
handle {
	respond "nothing of ours" 404
}
}`
  await writeFile(join(directory, 'Caddyfile'), main)
  await run('caddy', ['run', '--config', join(directory, 'Caddyfile'), '--adapter', 'caddyfile'], {
    port,
    environment: { HOME: directory },
  })
  return port
}

/** A site below /docs of another host. */
async function publish(
  start: (service: number) => Promise<number>,
): Promise<{ readonly home: string; readonly own: string; readonly desk: Desk }> {
  const directory = await temporaryDirectory()
  const service = await startService(directory)
  onTestFinished(() => service.stop())
  const home = `http://localhost:${await start(service.port)}/docs`
  const desk = deskOf({ port: service.port, directory }, await createProject(service.url, 'kettle'))
  await desk.deploy({
    'docs.json': JSON.stringify({
      name: 'Kettles',
      basePath: '/docs',
      seo: { metatags: { canonical: home } },
      navigation: { pages: ['index', 'guide/boil', 'news'] },
      redirects: [{ source: '/old', destination: '/guide/boil' }],
      contextual: { options: ['copy', 'mcp'] },
    }),
    'index.mdx': '# Kettles\n\n[How to boil](/guide/boil)\n\n![A kettle](/kettle.svg)',
    'guide/boil.mdx': '# Boil\n\n## Whistling\n\nIt whistles at a hundred degrees.',
    'news.mdx':
      '---\ntitle: News\nrss: true\n---\n\n<Update label="November 2026">Quieter. [Boil](/guide/boil)</Update>',
    'kettle.svg': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><circle r="5"/></svg>',
  })
  return { home, own: `http://kettle.localhost:${service.port}`, desk }
}

async function told(home: string, name: string, input: object): Promise<string> {
  const response = await fetch(`${home}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }),
  })
  const { result } = (await response.json()) as { result: { content: { text: string }[] } }
  return result.content[0]?.text ?? ''
}

describe.each([
  ['nginx', startNginx],
  ['caddy', startCaddy],
] as const)('a site below a path, behind %s as it is shown', (_name, start) => {
  it('names for machines the addresses that its readers have', async () => {
    const { home } = await publish(start)
    const text = async (path: string): Promise<string> => (await fetch(home + path)).text()
    const base = new URL(home).pathname
    for (const path of ['/llms.txt', '/sitemap.xml', '/news/rss.xml', '/guide/boil'])
      expect(`${path}: ${await text(path)}`).toContain(`${home}/guide/boil`)
    expect(await text('/news/rss.xml')).not.toMatch(/kettle\.localhost/)
    expect(await text('/robots.txt')).toContain(`${home}/sitemap.xml`)
    const { results } = JSON.parse(await text('/search.json?q=whistling')) as { results: { path: string }[] }
    expect(results[0]?.path).toBe(`${base}/guide/boil`)
    expect(await told(home, 'search', { query: 'whistling' })).toContain(`${home}/guide/boil#whistling`)
    for (const path of [`${home}/guide/boil`, `${base}/guide/boil`, '/guide/boil'])
      expect(await told(home, 'read_page', { path })).toContain('a hundred degrees')
    expect(await text('/')).toContain(`data-copy-text="${home}/mcp"`)
  })

  it.skipIf(!hasBrowser)('is read and searched there', async () => {
    const { home } = await publish(start)
    const browser = await launchBrowser()
    onTestFinished(() => browser.close())
    const page = await browser.newPage({ reducedMotion: 'reduce' })
    const wrong: string[] = []
    onPageError(page, (error) => wrong.push(error.message))
    page.on('response', (response) => {
      if (response.status() >= 400 || !response.url().startsWith(home)) wrong.push(response.url())
    })
    await page.goto(home)
    expect(await page.locator('main img').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
    await page.getByRole('link', { name: 'How to boil' }).click()
    await page.waitForURL(`${home}/guide/boil`)
    await page.goto(`${home}/old`)
    expect(page.url()).toBe(`${home}/guide/boil`)
    await page.keyboard.press('/')
    await page.getByRole('combobox').fill('quieter')
    await page.getByRole('option', { name: /News/ }).first().click()
    await page.waitForURL((url) => url.href.startsWith(`${home}/news`))
    expect(wrong).toEqual([])
  })

  it.skipIf(!hasBrowser)('lets readers of a private one in there, by its password and by a link', async () => {
    const { home, own, desk } = await publish(start)
    const owner = createClient({ baseUrl: own.replace('kettle.', ''), token: desk.session })
    const params = { slug: 'kettle' }
    const password = 'leaves in water'
    await owner.call(contract.visibility.set, { params, body: { visibility: 'private' } })
    await owner.call(contract.visibility.setPassword, { params, body: { password } })
    const browser = await launchBrowser()
    onTestFinished(() => browser.close())
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${home}/guide/boil?from=mail`)
    await page.getByLabel('Password').fill('tea')
    await page.keyboard.press('Enter')
    await page.getByText('That is not the password').waitFor()
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await page.waitForURL(`${home}/guide/boil?from=mail`)
    expect(await page.getByRole('main').textContent()).toContain('a hundred degrees')
    expect((await page.goto(home))?.status()).toBe(200)

    const { url } = await owner.call(contract.visibility.createLink, { params, body: { name: 'Guests' } })
    await context.clearCookies()
    await page.goto(home + new URL(url).pathname.replace(/^\/docs/, '') + new URL(url).search)
    expect(page.url()).toBe(home)
    expect(await page.getByRole('main').textContent()).toContain('How to boil')
  })
})
