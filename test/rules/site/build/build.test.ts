import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { fakePool } from '#test/support/site/support/fake-pool.ts'
import { TestProject } from '#test/support/site/support/project.ts'

const config = (value: object) => JSON.stringify({ name: 'Docs', ...value })

describe('a site', () => {
  test('has a route for every page, its Markdown, its assets, the theme and what machines read', async () => {
    const project = new TestProject()
    const { errors, warnings, pages } = await project.build({
      'index.mdx': '---\ntitle: Home\ndescription: All of it\n---\nHello',
      'guide/start.mdx': '# Start\n\n![](/logo.png)',
      'logo.png': Buffer.from([1, 2, 3]),
    })
    expect([errors, warnings]).toEqual([[], []])
    expect(pages).toEqual({ total: 2, built: 2, reused: 0 })
    const routes = Object.keys(project.last?.routes ?? {}).filter((path) => !path.startsWith('/_quire/search/'))
    expect(routes.sort()).toEqual(
      [
        '/',
        '/_quire/a.css',
        '/guide/start',
        '/guide/start.md',
        '/index.md',
        '/llms-full.txt',
        '/llms.txt',
        '/logo.png',
        '/robots.txt',
        '/sitemap.xml',
      ].sort(),
    )
    expect(project.last?.routes['/']).toMatchObject({ kind: 'page', markdown: '/index.md' })
    expect(project.last?.routes['/_quire/a.css']).toMatchObject({ immutable: true, size: 3 })
    expect(project.last?.routes['/logo.png']).toMatchObject({ kind: 'file', size: 3, type: 'image/png' })
    expect(project.text('/index.md')).toBe('# Home\n\n> All of it\n\nHello\n')
  })

  test('writes titles and descriptions as text into the Markdown of pages, and code in them as it is', async () => {
    const project = new TestProject()
    await project.build({
      'index.md': '---\ntitle: Promise<T> and `<Card>`\ndescription: a < b, <script>alert(1)</script>\n---\nHello',
    })
    expect(project.text('/index.md')).toBe(
      '# Promise\\<T> and `<Card>`\n\n> a < b, \\<script>alert(1)\\</script>\n\nHello\n',
    )
  })

  test('every blob that it names is handed over or stored', async () => {
    const project = new TestProject()
    await project.build({ 'index.md': '# Home', 'a.md': '# A', 'x.svg': '<svg/>' })
    const site = project.last
    expect(site).toBeDefined()
    for (const route of Object.values(site?.routes ?? {})) expect(project.blobs.has(route.blob)).toBe(true)
    expect(project.blobs.has(site?.shell ?? '')).toBe(true)
  })

  test('is the same, byte for byte, whatever the order of the files', async () => {
    const files = {
      'b.md': '# B\n[a](a.md)',
      'a.md': '# A',
      'c/index.md': '# C',
      'x.png': 'x',
      'docs.json': config({ redirects: [{ source: '/o', destination: '/a' }] }),
    }
    const one = new TestProject()
    const other = new TestProject()
    await one.build(files)
    await other.build(Object.fromEntries(Object.entries(files).toReversed()))
    const { blobs: _one, ...first } = one.last ?? { blobs: null }
    const { blobs: _other, ...second } = other.last ?? { blobs: null }
    expect(JSON.stringify(second)).toBe(JSON.stringify(first))
  })

  test('without an index begins with the first page of navigation', async () => {
    const project = new TestProject()
    await project.build({ 'docs.json': config({ navigation: { pages: ['guide/a'] } }), 'guide/a.mdx': '# A' })
    expect(project.last?.redirects).toEqual([
      { from: '/', to: '/guide/a', status: 307 },
      { from: '/guide', to: '/guide/a', status: 307 },
    ])
  })

  test('a written redirect wins over the implied ones', async () => {
    const project = new TestProject()
    const redirects = [
      { source: '/', destination: '/guide/b' },
      { source: '/guide/:rest*', destination: '/guide/b' },
    ]
    await project.build({
      'docs.json': config({ navigation: { pages: ['guide/a', 'guide/b'] }, redirects }),
      'guide/a.mdx': '# A',
      'guide/b.mdx': '# B',
    })
    expect(project.last?.redirects.map(({ from, to }) => [from, to])).toEqual([
      ['/', '/guide/b'],
      ['/guide/:rest*', '/guide/b'],
    ])
  })

  test('below a path of another host is found by links with that path', async () => {
    const project = new TestProject()
    const seo = { metatags: { canonical: 'https://example.com/docs/' } }
    const navigation = { pages: ['index', 'a'] }
    const files = { 'index.mdx': '[A](/docs/a#a) and [B](/docs/b)', 'a.mdx': '## A' }
    const { warnings } = await project.build({ ...files, 'docs.json': config({ navigation, seo }) })
    expect(project.last?.redirects).toEqual([{ from: '/docs/:path*', to: '/:path*', status: 307 }])
    expect(warnings.filter(({ rule }) => rule === 'link-broken').map(({ message }) => message)).toEqual([
      'The link /docs/b is redirected to /b, which leads nowhere.',
    ])
    await project.build({ ...files, 'docs.json': config({ navigation, seo, basePath: '/docs' }) })
    expect(project.last?.redirects).toEqual([])
  })

  test('without docs.json has README as its home and folders as navigation', async () => {
    const project = new TestProject()
    await project.build({ 'README.md': '# Project', 'usage/cli.md': '# CLI' })
    expect(project.last?.routes['/']).toBeDefined()
    expect(project.last?.redirects).toContainEqual({ from: '/README', to: '/', status: 308 })
    expect(project.shell()).toMatchObject({
      name: 'Acme',
      sections: [{ href: '/', items: [{ title: 'Project' }, { title: 'Usage' }] }],
    })
  })

  test('publishes neither docs.json nor what it includes', async () => {
    const project = new TestProject()
    const { warnings } = await project.build({
      'docs.json': config({ navigation: { $ref: 'nav.json' } }),
      'nav.json': '{"pages":["index"]}',
      'index.md': '# Hi',
      'a.mjs': '',
      'b.html': '',
    })
    expect(Object.keys(project.last?.routes ?? {})).not.toContain('/docs.json')
    expect(Object.keys(project.last?.routes ?? {})).not.toContain('/nav.json')
    expect(warnings.map(({ message }) => message)).toEqual([
      '2 files are of a type that sites do not publish: a.mjs, b.html.',
    ])
  })

  test('warns of pages and files that are only pointers of Git LFS, in every build', async () => {
    const project = new TestProject()
    const pointer = (digit: string) =>
      `version https://git-lfs.github.com/spec/v1\noid sha256:${digit.repeat(64)}\nsize 12345\n`
    const files = {
      'index.md': '# Hi',
      'page.md': pointer('a'),
      'img/b.png': pointer('b'),
      'a.png': pointer('c'),
      'long.txt': `${pointer('d')}${'x'.repeat(100)}`,
      'no.txt': 'y'.repeat(130),
    }
    const expected = [
      expect.stringMatching(/^2 files are Git LFS pointers, which readers get: a\.png, img\/b\.png\. .*git lfs pull/),
      expect.stringMatching(/^The page is a Git LFS pointer\. .*git lfs pull/),
    ]
    for (const text of ['# Hi', '# Hi again']) {
      const { warnings } = await project.build({ ...files, 'index.md': text })
      expect(warnings.map(({ message }) => message)).toEqual(expected)
    }
    project.newBuilder()
    expect((await project.build({ 'index.md': '# Hi', 'moved.png': pointer('b') })).warnings).toMatchObject([
      { message: expect.stringContaining('1 file is a Git LFS pointer, which readers get: moved.png.') },
    ])
    expect((await project.build({ 'index.md': '# Hi' })).warnings).toEqual([])
  })
})

describe('mistakes', () => {
  test('all of them are reported at once, by file and line, and there is no site', async () => {
    const project = new TestProject()
    const { errors, site, pages } = await project.build({
      'docs.json': '{"name":"x","colors":{"primary":"red"},"redirects":[{"source":"/a","destination":"javascript:x"}]}',
      'z.md': 'one\nBROKEN',
      'a.md': 'BROKEN',
      'ok.md': '# Fine',
      'ok/index.md': '# Clash',
    })
    expect(site).toBeUndefined()
    expect(errors.map(({ path, line }) => `${path}:${line ?? ''}`)).toEqual([
      'a.md:1',
      'docs.json:1',
      'docs.json:1',
      'ok/index.md:',
      'z.md:2',
    ])
    expect(pages.total).toBe(4)
    expect(project.pool.sessions.open).toBe(0)
  })

  test('a project without pages is an error', async () => {
    expect((await new TestProject().build({ 'logo.png': 'x' })).errors).toMatchObject([
      { message: expect.stringContaining('index.mdx') as string },
    ])
  })

  test('dead links are warnings', async () => {
    const { warnings } = await new TestProject().build({
      'index.md': 'x\n[a](gone.md) [b](b.md#gone) ![c](gone.png)',
      'b.md': '## Here',
    })
    expect(warnings.map(({ path, line, column }) => [path, line, column])).toEqual([
      ['index.md', 2, 1],
      ['index.md', 2, 14],
      ['index.md', 2, 29],
    ])
  })

  test('thousands of warnings are cut with their number', async () => {
    const links = Array.from({ length: 1500 }, (_, index) => `[x](/gone-${index})`).join('\n')
    const { warnings } = await new TestProject().build({ 'index.md': links })
    expect(warnings).toHaveLength(1001)
    expect(warnings.at(-1)?.message).toBe('… and 500 more.')
  })

  test('many pages of megabytes are not held at once', async () => {
    const pool = fakePool()
    let [held, most] = [0, 0]
    const project = new TestProject({
      ...pool,
      open: (name, load) => {
        const session = pool.open(name, load)
        return {
          ...session,
          render: async (job) => {
            most = Math.max(most, (held += job.source.length))
            await setImmediate()
            held -= job.source.length
            return session.render(job)
          },
        }
      },
    })
    const picture = Buffer.from(`;base64,${'iVBO'.repeat(300_000)}`)
    const names = Array.from({ length: 20 }, (_, index) => `p${index}.md`)
    const { pages } = await project.build(Object.fromEntries(names.map((name) => [name, picture])))
    expect(pages).toMatchObject({ built: 20 })
    expect(most).toBeLessThan(5 * picture.length)
  })

  test('a build that is called off rejects and gives its children back', async () => {
    const project = new TestProject()
    const abort = new AbortController()
    const building = project.build(
      { 'a.md': '', 'b.md': '' },
      { signal: abort.signal, onProgress: () => abort.abort(new Error('called off')) },
    )
    await expect(building).rejects.toThrow('called off')
    expect(project.pool.sessions.open).toBe(0)
  })
})
