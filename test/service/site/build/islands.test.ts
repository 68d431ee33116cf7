import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSiteBuilder } from '#site/build/build.ts'
import { IslandBundler } from '#site/islands/bundler.ts'
import type { RenderPool } from '#site/page.ts'
import { openRenderPool } from '#site/render/pool.ts'
import { TestProject } from '#test/support/site/support/project.ts'

let pool: RenderPool
const bundled: string[] = []
let project: TestProject

/** Notes what is bundled. */
class NotedBundler extends IslandBundler {
  override bundle(...[name, source, signal]: Parameters<IslandBundler['bundle']>): ReturnType<IslandBundler['bundle']> {
    bundled.push(source.modules[0]?.path ?? '')
    return super.bundle(name, source, signal)
  }
}

beforeAll(async () => {
  pool = await openRenderPool({ children: 1, isOwn: true })
  project = new TestProject()
})
afterAll(() => project.builder.close())

function restart(patienceMs = 20_000): void {
  const theme = { assets: { css: '/a.css', script: '/a.js', features: {} }, files: new Map() }
  const bundler = new NotedBundler({
    runtime: '/_quire/island-runtime-x.js',
    components: '/_quire/island-components-x.js',
    patienceMs,
  })
  project.builder = createSiteBuilder({ pool, bundler, theme, icon: () => undefined })
}

const page = (words: string): string => `import { A } from '/snippets/a.jsx'\n\n# Page\n\n${words}\n\n<A />\n`
const snippet = (text: string): string =>
  `export const A = () => {\n  const [x, set] = useState("${text}")\n  return <button onClick={() => set("")}>{x}</button>\n}\n`

describe('the scripts of a site’s components', () => {
  it('are files of the release, bundled again only where their code has changed', { timeout: 60_000 }, async () => {
    restart()
    const files = {
      'one.mdx': page('One.'),
      'two.mdx': page('Two.'),
      'plain.mdx': 'Plain.',
      'snippets/a.jsx': snippet('a'),
    }
    expect((await project.build(files)).errors).toEqual([])
    const islandsOf = (path: string): unknown[] => [...(project.last?.pages[path]?.islands ?? [])]
    const paths = (): string[] => Object.keys(project.last?.routes ?? {}).filter((path) => path.includes('/islands/'))
    expect(islandsOf('one.mdx')).toEqual(islandsOf('two.mdx'))
    expect(islandsOf('plain.mdx')).toEqual([])
    expect(paths()).toEqual([expect.stringMatching(/^\/_quire\/islands\/[\da-f]{20}\.js$/)])
    expect(project.text(paths()[0] ?? '')).toContain('from"../island-runtime-x.js"')
    expect(project.last?.routes[paths()[0] ?? '']).toMatchObject({
      type: 'text/javascript; charset=utf-8',
      immutable: true,
    })

    bundled.length = 0
    restart()
    const [first] = paths()
    await project.build({ ...files, 'one.mdx': page('Other words.') })
    expect(bundled).toEqual([])
    expect(paths()).toEqual([first])

    const named = {
      ...files,
      'docs.json': JSON.stringify({ name: 'Docs', variables: { a: 'b' }, navigation: { pages: ['one'] } }),
    }
    await project.build(named)
    restart()
    await project.build({ ...named, 'one.mdx': page('Words again.') })
    expect(bundled).toEqual([])

    await project.build({ ...files, 'snippets/a.jsx': snippet('b') })
    expect(new Set(bundled)).toEqual(new Set(['snippets/a.jsx']))
    expect(paths()).not.toEqual([first])
  })

  it(
    'cost a build a few children of the bundler at most, and a file on many pages one',
    { timeout: 60_000 },
    async () => {
      restart(1)
      bundled.length = 0
      const names = Array.from({ length: 20 }, (_, index) => `x${index}`)
      const files = names.flatMap((name) => [
        [`${name}.mdx`, page('One.').replace('snippets/a', `snippets/${name}`)],
        [`${name}-too.mdx`, page('Two.').replace('snippets/a', `snippets/${name}`)],
        [`snippets/${name}.jsx`, snippet(name)],
      ])
      const { errors } = await project.build(Object.fromEntries(files) as Record<string, string>)
      expect(errors).toHaveLength(20)
      expect(bundled.length).toBeLessThan(6)
      expect(new Set(bundled).size).toBe(bundled.length)
    },
  )

  it('that cannot be made are an error with its place', { timeout: 60_000 }, async () => {
    restart()
    const { errors } = await project.build({
      'one.mdx': page('One.'),
      'snippets/a.jsx': `import { gone } from './b.js'\n${snippet('a').replace('set("")', 'gone()')}`,
      'snippets/b.js': 'export const here = 1\n',
    })
    expect(errors).toMatchObject([
      { path: 'snippets/a.jsx', line: 1, rule: 'script-failed', message: expect.stringContaining('gone') },
    ])
  })
})
