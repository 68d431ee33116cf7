import { inDepth } from '#test/support/depth.ts'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { contract } from '#contract/index.ts'
import { hasBrowser, launchBrowser } from '#test/support/browser.ts'
import { cloneProject, commitFiles } from '#test/support/developer.ts'
import { git, gitSays } from '#test/support/git-service.ts'
import type { ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { getSite } from '#test/support/site.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** The site as it was at the first version. */
const first = {
  'docs.json': JSON.stringify({
    name: 'Docs',
    navigation: { tabs: [{ tab: 'Guide', pages: ['index', 'guide/install', 'guide/gone'] }] },
    redirects: [{ source: '/setup', destination: '/guide/install' }],
  }),
  'index.mdx':
    '# Home of one\n\n[Install](/guide/install) and [again](guide/install.mdx#steps), ![a pixel](/pixel.png)',
  'guide/install.mdx':
    "import Note from '/snippets/note.mdx'\n\n# Install one\n\n## Steps\n\nFirst of all a wombat.\n\n<Note />\n\n[Lost](/nowhere)",
  'guide/gone.mdx': '# Only in one',
  'snippets/note.mdx': 'The note of one.',
  'pixel.png': pixel,
}

/** What main says of its versions. */
function docsJson(tag: string, more: object = {}) {
  const versions = [
    { version: 'v2', default: true, tabs: [{ tab: 'Guide', pages: ['index', 'guide/install'] }] },
    { version: 'v1', gitTag: tag },
  ]
  return JSON.stringify({ name: 'Docs', navigation: { versions }, ...more })
}

const second = {
  'index.mdx': '# Home of two\n\n[Install](/guide/install)',
  'guide/install.mdx': '# Install two\n\n## Steps\n\nNothing of that kind.',
  'guide/gone.mdx': null,
  'snippets/note.mdx': null,
}

/** A project whose first state has the tag `v1.0.0` in its clone, and which has not heard of it. */
async function cloned(): Promise<{ project: ProjectAccess; clone: string }> {
  const { project, clone } = await cloneProject(service.url)
  await commitFiles(clone, first)
  await git(clone, 'tag', '-a', '-m', 'The first', 'v1.0.0')
  await commitFiles(clone, { ...second, 'docs.json': docsJson('v1.0.0') })
  return { project, clone }
}

const page = (label: string, path = '/') => getSite(service.port, `${label}.localhost`, path)

it('a version comes from a tag that is pushed with main, whole and below its own folder', async () => {
  const { project, clone } = await cloned()
  const refused = await gitSays(clone, 'push', 'origin', 'HEAD:main')
  expect([refused.ok, refused.text]).toEqual([
    false,
    expect.stringMatching(/error: docs\.json:1:\d+:\S*gitTag: There is no tag v1\.0\.0\. Push it/),
  ])
  expect((await page(project.slug)).text).toContain('Hello')

  const { ok, text } = await gitSays(clone, 'push', 'origin', 'HEAD:main', 'v1.0.0')
  expect([ok, text]).toEqual([true, expect.stringContaining('5 pages, 5 of them built')])
  // What is wrong in a tag nobody mends.
  expect(text).not.toContain('warning')
  const { slug } = project
  expect((await page(slug)).text).toContain('Home of two')
  const home = (await page(slug, '/v1')).text
  expect(home).toContain('Home of one')
  for (const link of ['href="/v1/guide/install"', 'href="/v1/guide/install#steps"', 'src="/v1/pixel.png"'])
    expect(home).toContain(link)
  expect(home).not.toContain('href="/guide/gone"')
  const install = (await page(slug, '/v1/guide/install')).text
  expect(install).toContain('The note of one.')
  // To its counterpart, as from a version in a folder.
  expect(install).toContain('href="/guide/install"')
  expect((await page(slug, '/guide/install')).text).toContain('href="/v1/guide/install"')
  expect((await page(slug, '/v1/pixel.png')).status).toBe(200)
  expect((await page(slug, '/v1/docs.json')).status).toBe(404)
  expect((await page(slug, '/v1/setup')).headers['location']).toBe('/v1/guide/install')
  expect((await page(slug, '/setup')).status).toBe(404)
  expect((await page(slug, '/v1.md')).text).toContain('](/v1/guide/install)')
  const sitemap = (await page(slug, '/sitemap.xml')).text
  expect([sitemap.includes('/v1/guide/gone<'), sitemap.includes('/v1/guide/install<')]).toEqual([true, false])
  const found = JSON.parse((await page(slug, '/search.json?q=wombat&version=v1')).text) as object
  expect(JSON.stringify(found)).toContain('/v1/guide/install')
})

inDepth.skipIf(!hasBrowser)('its components lead within it, also once they run', async () => {
  const { project, clone } = await cloneProject(service.url)
  const ways = `export const Ways = () => {
  const [count, setCount] = useState(0)
  return <p><button onClick={() => setCount(count + 1)}>{count}</button> {count > 0 && <a id="later" href="/guide/install">Install</a>}</p>
}

<Ways />
`
  await commitFiles(clone, { ...first, 'index.mdx': ways })
  await git(clone, 'tag', 'v1.0.0')
  await commitFiles(clone, { ...second, 'index.mdx': ways, 'docs.json': docsJson('v1.0.0') })
  await gitSays(clone, 'push', 'origin', 'HEAD:main', 'v1.0.0')
  const browser = await launchBrowser()
  onTestFinished(() => browser.close())
  const tab = await browser.newPage()
  const ends: (string | null)[] = []
  for (const path of ['/', '/v1']) {
    await tab.goto(`http://${project.slug}.localhost:${service.port}${path}`)
    await tab.click('main button:enabled:text-is("0")')
    ends.push(await tab.getAttribute('#later', 'href'))
  }
  expect(ends).toEqual(['/guide/install', '/v1/guide/install'])
})

it('its pages are built once, and again those that another tag has otherwise', async () => {
  const { project, clone } = await cloned()
  await gitSays(clone, 'push', 'origin', 'HEAD:main', 'v1.0.0')
  await commitFiles(clone, { 'index.mdx': '# Home of two, again' })
  expect((await gitSays(clone, 'push', 'origin', 'HEAD:main')).text).toContain('5 pages, 1 of them built')

  await git(clone, 'checkout', '--quiet', 'v1.0.0')
  await commitFiles(clone, { 'snippets/note.mdx': 'The better note.' })
  await git(clone, 'tag', '--force', 'v1.0.0')
  await gitSays(clone, 'push', '--delete', 'origin', 'v1.0.0')
  expect((await page(project.slug, '/v1/guide/install')).text).toContain('The note of one.')
  const { ok, text } = await gitSays(clone, 'push', 'origin', 'v1.0.0')
  expect([ok, text]).toEqual([true, expect.stringContaining('The site shows v1.0.0')])
  expect(text).toContain('5 pages, 1 of them built')
  expect((await page(project.slug, '/v1/guide/install')).text).toContain('The better note.')
  // A tag that the site does not show costs nothing.
  await git(clone, 'tag', 'other')
  expect((await gitSays(clone, 'push', 'origin', 'other')).text).not.toContain('Live at')
})

it('atomically, too; previews, publishes and rollbacks show it', async () => {
  const { project, clone } = await cloned()
  const { client, slug } = project
  const { ok, text } = await gitSays(clone, 'push', '--atomic', 'origin', 'HEAD:main', 'v1.0.0')
  expect([ok, text]).toEqual([true, expect.stringContaining('5 pages, 5 of them built')])

  await commitFiles(clone, { 'guide/install.mdx': '# Install two, on a branch' })
  const branch = await gitSays(clone, 'push', 'origin', 'HEAD:refs/heads/draft')
  expect([branch.ok, branch.text]).toEqual([true, expect.stringContaining('5 pages, 1 of them built')])
  expect((await page(`${slug}--draft`, '/v1/guide/install')).text).toContain('Install one')

  await commitFiles(clone, { 'docs.json': JSON.stringify({ name: 'Docs', navigation: { pages: ['index'] } }) })
  await gitSays(clone, 'push', 'origin', 'HEAD:main')
  expect((await page(slug, '/v1/guide/install')).status).toBe(404)
  const params = { slug }
  const { items } = await client.call(contract.deploys.list, { params, query: {} })
  await client.call(contract.deploys.rollback, { params, body: { deployId: items[1]?.id ?? '' } })
  expect((await page(slug, '/v1/guide/install')).text).toContain('Install one')
})

it('docs.json is told what is wrong with a tag', async () => {
  const { clone } = await cloned()
  const push = async (versions: object[], tag: string) => {
    await commitFiles(clone, { 'docs.json': JSON.stringify({ name: 'Docs', navigation: { versions } }) })
    return (await gitSays(clone, 'push', 'origin', 'HEAD:main', tag)).text
  }
  const two = { version: 'v2', pages: ['index'] }
  expect(await push([two, { version: 'v1', gitTag: 7 }], 'v1.0.0')).toContain('gitTag must be the name of a tag')
  expect(await push([two, { version: 'v1', gitTag: '../main' }], 'v1.0.0')).toContain(
    'gitTag must be the name of a tag',
  )
  expect(await push([two, { version: 'v1', gitTag: 'a..b' }], 'v1.0.0')).toContain('There is no tag a..b')
  expect(await push([two, { version: 'v1', gitTag: 'v1.0.0', pages: ['index'] }], 'v1.0.0')).toContain(
    'brings its own navigation: remove pages',
  )
  expect(await push([two, { version: 'Guide', gitTag: 'v1.0.0' }], 'v1.0.0')).toContain(
    'where the project has a folder',
  )
  expect(await push([two, { version: '你好', gitTag: 'v1.0.0' }], 'v1.0.0')).toContain('no letter from a to z')
  const many = Array.from({ length: 21 }, (_, index) => ({ version: `v${index}`, gitTag: 'v1.0.0' }))
  expect(await push([two, ...many], 'v1.0.0')).toContain('At most 20 versions')
  const inside = [{ version: 'v1', versions: [{ version: 'v0', gitTag: 'v1.0.0' }] }]
  expect(await push([two, ...inside], 'v1.0.0')).toContain('gitTag is for the entries of navigation.versions')

  // One that names a tag itself is not followed; one whose own docs.json is broken is refused.
  await commitFiles(clone, { 'docs.json': docsJson('v1.0.0') })
  await git(clone, 'tag', 'v2.0.0')
  expect(await push([two, { version: 'old', gitTag: 'v2.0.0' }], 'v2.0.0')).toContain('Live at')
  await commitFiles(clone, { 'docs.json': '{ "name": "Docs",, }' })
  await git(clone, 'tag', 'v3.0.0')
  expect(await push([two, { version: 'old', gitTag: 'v3.0.0' }], 'v3.0.0')).toContain(
    'The docs.json of the tag v3.0.0 has an error in line 1: ',
  )
})

it('a pipeline without a clone tags what is live', async () => {
  const { project } = await cloned()
  const { client, slug } = project
  const main = (docs: string) =>
    client.call(contract.deploys.create, {
      body: {
        files: [
          { path: 'docs.json', content: docs },
          { path: 'index.mdx', content: '# Deployed' },
        ],
      },
    })
  await main('{ "name": "Docs" }')
  const home = await temporaryDirectory()
  await git(home, 'init', '--quiet')
  const url = `${service.url.replace('http://', `http://me:${project.key}@`)}/git/${slug}.git`
  await git(home, 'fetch', '--quiet', '--depth', '1', url, 'main')
  expect((await gitSays(home, 'push', url, 'FETCH_HEAD:refs/tags/v1.0.0')).ok).toBe(true)
  const versions = [
    { version: 'v2', pages: ['index'] },
    { version: 'v1', gitTag: 'v1.0.0' },
  ]
  await main(JSON.stringify({ name: 'Docs', navigation: { versions } }))
  expect((await page(slug, '/v1')).text).toContain('Deployed')
})
