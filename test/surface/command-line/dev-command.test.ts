import { inDepth } from '#test/support/depth.ts'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rename, rm, symlink } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { dist, root } from '#lib/paths.ts'
import { hasBrowser, sharedBrowser } from '#test/support/browser.ts'
import { descendants, isRunning } from '#test/support/process-tree.ts'
import { quire } from '#test/support/command-line.ts'
import { startDev } from '#test/support/dev.ts'
import { temporaryDirectory, writeFiles } from '#test/support/temporary.ts'

const patience = { timeout: 30_000 }

async function statusOf(url: string, headers: Record<string, string> = {}): Promise<number | undefined> {
  const asked = request(url, { headers })
  asked.end()
  const [answer] = (await once(asked, 'response')) as [{ statusCode?: number; resume(): void }]
  answer.resume()
  return answer.statusCode
}

it.skipIf(!hasBrowser)(
  'shows what is saved where it stands, and what does not build over the page as it was',
  async () => {
    const folder = await temporaryDirectory()
    await writeFiles(folder, {
      'docs.json': JSON.stringify({ name: 'Docs', navigation: { pages: ['index', 'second'] } }),
      'index.mdx': '# First\n\nWritten once.\n\n```js\nlet a\n```\n',
      'second.mdx': '# Second\n',
      'snippets/part.mdx': 'A part.\n',
    })
    const { url } = await startDev(folder)
    const page = await (await sharedBrowser()).newPage({ reducedMotion: 'reduce' })
    onTestFinished(() => page.close())
    const troubles: string[] = []
    page.on('console', (message) => message.type() === 'error' && troubles.push(message.text()))
    await page.goto(url)
    await page.evaluate(() => Reflect.set(window, 'isSame', true))
    const isSame = (): Promise<unknown> => page.evaluate(() => Reflect.get(window, 'isSame'))
    const text = (): Promise<string> => page.innerText('body')

    await writeFiles(folder, {
      'index.mdx': '# First\n\nWritten twice.\n\n```js\nlet b\n```\n\n## More\n\nText.\n\n## Still more\n',
    })
    await expect.poll(text, patience).toContain('Written twice.')
    expect(await page.innerText('[data-contents]')).toContain('More')
    expect(await page.locator('.q-code [data-copy]').count()).toBe(1)

    await writeFiles(folder, { 'index.mdx': '# First\n\nWritten thrice.\n\n<Card title="x\n' })
    const overlay = page.locator('quire-overlay')
    await expect.poll(() => overlay.count(), patience).toBe(1)
    expect(await overlay.locator('section').innerText()).toMatch(/index\.mdx:6:1[^]*5 \| <Card title="x/)
    expect(await text()).toContain('Written twice.')

    await writeFiles(folder, {
      'index.mdx': "import Part from '/snippets/part.mdx'\n\n# First\n\n<Part />\n",
      'second.mdx': '---\ntitle: Renamed\n---\n\nText.\n',
    })
    await expect.poll(text, patience).toContain('A part.')
    expect(await overlay.count()).toBe(0)
    await expect.poll(() => page.innerText('.q-nav'), patience).toContain('Renamed')

    await writeFiles(folder, { 'snippets/part.mdx': 'Another part.\n' })
    await expect.poll(text, patience).toContain('Another part.')
    expect(await isSame()).toBe(true)

    // Other colours are in the head of each document: it is loaded anew.
    await writeFiles(folder, {
      'docs.json': JSON.stringify({
        name: 'Docs',
        colors: { primary: '#aa0000' },
        navigation: { pages: ['index', 'second'] },
      }),
    })
    await expect.poll(isSame, patience).toBe(undefined)
    expect(troubles).toEqual([])
  },
)

inDepth(
  'has the files that a deploy has: of ignored, hidden and foreign ones none, of new, renamed and removed ones each',
  async () => {
    const folder = await temporaryDirectory()
    await writeFiles(folder, {
      'index.md': '# Home\n',
      'draft.md': '# Draft\n',
      'secret/plan.md': '# Plan\n',
      '.quireignore': 'secret/\n',
      'node_modules/x/readme.md': '# Package\n',
      '.hidden/page.md': '# Hidden\n',
      'logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    })
    const { url, told } = await startDev(folder)
    const at = (path: string): Promise<number | undefined> => statusOf(url + path)
    expect(told.pages).toBe(2)
    expect(await Promise.all(['/', '/draft', '/secret/plan', '/logo.svg'].map(at))).toEqual([200, 200, 404, 200])

    await writeFiles(folder, { '.quireignore': 'draft.md\n' })
    await expect.poll(() => at('/draft'), patience).toBe(404)
    expect(await at('/secret/plan')).toBe(200)

    await writeFiles(folder, { 'a/new/folder/page.md': '# New\n', 'icon.svg': '<svg/>' })
    await expect.poll(() => at('/a/new/folder/page'), patience).toBe(200)
    await expect.poll(() => at('/icon.svg'), patience).toBe(200)
    await rename(join(folder, 'a/new'), join(folder, 'a/old'))
    await expect.poll(() => at('/a/old/folder/page'), patience).toBe(200)
    expect(await at('/a/new/folder/page')).toBe(404)
    await rm(join(folder, 'a'), { recursive: true })
    await expect.poll(() => at('/a/old/folder/page'), patience).toBe(404)
  },
)

it('answers this machine and nobody else, lets no other site read, and ends with Ctrl-C and its children with it', async () => {
  const folder = await temporaryDirectory()
  await writeFiles(folder, { 'index.md': '# Home\n' })
  const { url, child } = await startDev(folder)
  const { port } = new URL(url)
  const by = (host: string): Promise<number | undefined> => statusOf(`http://127.0.0.1:${port}`, { host })
  expect(await Promise.all([`localhost:${port}`, `127.0.0.1:${port}`, 'docs.localhost'].map(by))).toEqual([
    200, 200, 200,
  ])
  expect(await Promise.all(['evil.example', 'localhost.evil.example'].map(by))).toEqual([421, 421])
  const markdown = await fetch(`${url}/index.md`)
  expect(markdown.status).toBe(200)
  expect(markdown.headers.get('access-control-allow-origin')).toBe(null)

  const stream = await fetch(`${url}/_quire/local-events`)
  expect(stream.ok).toBe(true)
  const children = descendants(child.pid ?? 0)
  expect(children).not.toEqual([])
  child.kill('SIGINT')
  expect((await once(child, 'exit'))[0]).toBe(0)
  await expect.poll(() => children.filter(isRunning), patience).toEqual([])
})

inDepth('goes on where the docs do not build from the start, and shows them once they do', async () => {
  const folder = await temporaryDirectory()
  await writeFiles(folder, { 'docs.json': '{', 'index.md': '# Home\n' })
  const { url, told, said } = await startDev(folder)
  expect(told.errors).toBe(1)
  expect(said()).toContain('docs.json:1:2')
  expect(await statusOf(url)).toBe(503)
  await writeFiles(folder, { 'docs.json': '{ "name": "Docs", "navigation": { "pages": ["index"] } }' })
  await expect.poll(() => statusOf(url), patience).toBe(200)
})

inDepth('says so where the port that was named is taken, and where there is no such folder', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void taken.close())
  await once(taken, 'listening')
  const address = taken.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const folder = await temporaryDirectory()
  await writeFiles(folder, { 'index.md': '# Home\n' })
  const { code, stderr } = await quire(['dev', folder, '--port', String(port)])
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(new RegExp(`Port ${port} of 127\\.0\\.0\\.1 is taken[^]*quire dev --port`)) as string,
  })
  const absent = await quire(['dev', join(folder, 'absent'), '--port', '0'])
  expect(absent.code).toBe(2)
  expect(absent.stderr).toContain('There is no folder')
})

inDepth('runs from the package alone, without a service', async () => {
  const folder = await temporaryDirectory()
  await promisify(execFile)('tar', ['-xzf', join(dist, 'package/quire.tgz'), '-C', folder])
  // As npm would have installed it beside.
  await mkdir(join(folder, 'package/node_modules'))
  await symlink(join(root, 'node_modules/satteri'), join(folder, 'package/node_modules/satteri'))
  await writeFiles(folder, {
    'docs/index.mdx': '# Home\n\n<Note>\n\n```js\nlet a = 1\n```\n\n</Note>\n\n<Icon icon="house" />\n',
  })
  const { url, child } = await startDev(join(folder, 'docs'), { program: join(folder, 'package/dist/quire.js') })
  const page = await (await fetch(url)).text()
  expect(page).toMatch(/class="q-callout[^]*let[^]*<svg/)
  const script = /src="(\/_quire\/main-[^"]+)"/.exec(page)?.[1] ?? ''
  expect((await fetch(url + script)).status).toBe(200)
  await writeFiles(folder, { 'docs/index.mdx': '# Changed\n' })
  await expect.poll(async () => (await fetch(url)).text(), patience).toContain('Changed')
  child.kill('SIGINT')
  expect((await once(child, 'exit'))[0]).toBe(0)
})

inDepth('shows versions from the tags of the clone that the folder is in, and says which are not there', async () => {
  const home = await temporaryDirectory()
  const page = (text: string) => ({ 'docs/index.mdx': `# ${text}\n\n[Home](/)` })
  await writeFiles(home, { ...page('As it was'), 'code.js': 'let a' })
  const git = (...words: string[]) =>
    promisify(execFile)('git', ['-C', home, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...words])
  await git('init', '--quiet')
  await git('add', '.')
  await git('commit', '--quiet', '--message', 'First')
  await git('tag', '-a', '-m', 'The first', 'v1.0.0')
  const versions = [
    { version: 'v2', pages: ['index'] },
    { version: 'v1', gitTag: 'v1.0.0' },
    { version: 'v0', gitTag: 'v0.1.0' },
  ]
  await writeFiles(home, {
    ...page('As it is'),
    'docs/docs.json': JSON.stringify({ name: 'Docs', navigation: { versions } }),
  })
  const { url, told, said } = await startDev(join(home, 'docs'))
  expect(told).toMatchObject({ pages: 2, errors: 0 })
  const text = async (path: string) => (await fetch(new URL(path, url))).text()
  expect(await text('/')).toContain('As it is')
  expect(await text('/v1')).toMatch(/As it was[^]*href="\/v1"/)
  expect(said()).toContain('1 warning')
})
