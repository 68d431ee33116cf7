import { beforeAll, describe, expect, test } from 'vitest'
import type { Hit } from '#site/search/engine.ts'
import { SearchIndex } from '#site/search/engine.ts'
import { KeptFiles } from '#site/search/files.ts'
import {
  decodeParts,
  type IndexRoot,
  partPath,
  readWords,
  rootPath,
  searchFolder,
  wordsPath,
} from '#site/search/format.ts'
import { sharedRenderPool } from '#test/support/render-pool.ts'
import type { RenderPool } from '#site/page.ts'
import { inDepth, isDeep } from '#test/support/depth.ts'
import { fakePool } from '#test/support/site/support/fake-pool.ts'
import { TestProject, type Files } from '#test/support/site/support/project.ts'

let pool: RenderPool
beforeAll(async () => {
  pool = await sharedRenderPool()
})

/** With pages as children render them. */
const projectOf = (): TestProject =>
  new TestProject({ ...fakePool(), open: (project, load) => pool.open(project, load) })

async function find(project: TestProject, query: string, scope = 0): Promise<readonly Hit[]> {
  const read = async (path: string): Promise<string> => {
    const text = project.text(path)
    if (text === undefined) throw new Error(`nothing at ${path}`)
    return text
  }
  return (await SearchIndex.open(new KeptFiles(read, scope))).search(query)
}

const paths = (hits: readonly Hit[]): string[] => [...new Set(hits.map(({ path }) => path))]
const docs = (pages: unknown, more: object = {}): string =>
  JSON.stringify({ name: 'Docs', navigation: { pages }, ...more })

const many = Array.from({ length: 60 }, (_, index) => `page-${index}`)
const words = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'heath', 'inlet', 'juniper']
const files: Files = {
  'docs.json': docs(['index', ...many]),
  'index.md': '# Home\n\nWelcome.\n',
  ...Object.fromEntries(
    many.map((name, index) => [
      `${name}.md`,
      `# Page ${index}\n\n## About ${words[index % 10]}\n\nThe ${words[(index + 3) % 10]} and the ${words[(index + 7) % 10]} of number${index}.\n`,
    ]),
  ),
}

const root = (project: TestProject): IndexRoot => JSON.parse(project.text(rootPath(0)) ?? '') as IndexRoot

/** Lines of all files of words of a site, in order: files may be divided otherwise. */
const wordsOf = (project: TestProject): string[] =>
  Object.values(root(project).words)
    .flatMap((name) => [...readWords(project.text(wordsPath(name)) ?? '')])
    .map(([word, postings]) => `${word} ${postings}`)
    .sort()

/** The parts of a site, each with its text. */
const partsOf = (project: TestProject): object[] =>
  decodeParts(root(project).parts).map((part) => ({ ...part, text: project.text(partPath(part.number)) }))

describe('the search index of a release', () => {
  test.each(['in the same process', 'after a restart'])('shares its files with the one before, %s', async (when) => {
    const project = projectOf()
    await project.build(files)
    const before = { ...project.last?.routes }
    if (when === 'after a restart') project.newBuilder()
    await project.build({ ...files, 'page-7.md': `${String(files['page-7.md'])}\nIt has a xylophone.\n` })
    const after = project.last?.routes ?? {}
    const changed = Object.keys(after).filter(
      (path) => path.startsWith(searchFolder) && after[path]?.blob !== before[path]?.blob,
    )
    // The page, the root, and the words that begin with x.
    expect(changed).toHaveLength(3)
    expect(paths(await find(project, 'xylophone'))).toEqual(['/page-7'])
    expect(paths(await find(project, 'number7'))[0]).toBe('/page-7')
  })

  test('is after any edits what it would be of pages that nobody knew before', async () => {
    const project = projectOf()
    const now: Record<string, string | Buffer> = Object.fromEntries(
      Object.entries({ ...files, 'docs.json': docs(['index', ...many.slice(0, 15)]) }).slice(0, 17),
    )
    const longer = Array.from({ length: 80 }, (_, at) => `## Section ${at}\n\n${'The lantern is lit. '.repeat(20)}\n`)
    const edits: (() => void)[] = [
      () => undefined,
      () => (now['page-7.md'] = `${String(now['page-7.md'])}\nIt has a xylophone.\n`),
      () => (now['page-7.md'] = '# Page 7\n\n## Otherwise\n\nAll is new.\n'),
      () => (now['page-8.md'] = `# Page 8\n\n${longer.join('\n')}`),
      () => (now['page-8.md'] = `# Page 8\n\n${longer.slice(1).join('\n')}`),
      () => (now['page-9.md'] = `---\nnoindex: true\n---\n${String(now['page-9.md'])}`),
      () => (now['page-9.md'] = String(files['page-9.md'])),
      () => delete now['page-10.md'],
      () => (now['page-11.md'] = `---\ntitle: Another\n---\n${String(now['page-11.md'])}`),
    ]
    for (const edit of isDeep ? edits : edits.slice(0, 3)) {
      edit()
      await project.build(now)
      const afresh = projectOf()
      await afresh.build(now)
      expect(wordsOf(project)).toEqual(wordsOf(afresh))
      expect(partsOf(project)).toEqual(partsOf(afresh))
    }
  })

  test('forgets pages that are gone, hidden or not to be indexed, and words that no page has', async () => {
    const project = projectOf()
    const secret = 'The zeppelin lands.\n'
    await project.build({ ...files, 'page-1.md': secret, 'page-2.md': secret, 'page-3.md': secret })
    expect(paths(await find(project, 'zeppelin')).sort()).toEqual(['/page-1', '/page-2', '/page-3'])
    const { 'page-3.md': _, ...left } = files
    await project.build({
      ...left,
      'docs.json': docs(['index', ...many.filter((name) => name !== 'page-3')]),
      'page-1.md': `---\nhidden: true\n---\n${secret}`,
      'page-2.md': `---\nnoindex: true\n---\n${secret}`,
    })
    expect(await find(project, 'zeppelin')).toEqual([])
    const found = Object.keys(project.last?.routes ?? {}).filter((path) => path.startsWith(searchFolder))
    for (const path of found) expect(project.text(path)).not.toContain('zeppelin')
  })

  test('has no page outside of navigation, unless docs.json wants all to be indexed', async () => {
    const project = projectOf()
    const outside = { 'docs.json': docs(['index']), 'index.md': '# Home', 'else.md': '# Elsewhere\n\nThe walrus.' }
    await project.build(outside)
    expect(await find(project, 'walrus')).toEqual([])
    await project.build({ ...outside, 'docs.json': docs(['index'], { seo: { indexing: 'all' } }) })
    expect(paths(await find(project, 'walrus'))).toEqual(['/else'])
  })

  test('keeps versions and languages apart, and finds in scripts without spaces', async () => {
    const project = projectOf()
    await project.build({
      'docs.json': JSON.stringify({
        name: 'Docs',
        navigation: {
          versions: [
            { version: '2', pages: ['two'] },
            { version: '1', languages: [{ language: 'ja', pages: ['ja'] }] },
          ],
        },
      }),
      'two.md': '# Limits\n\nOne hundred requests.',
      'ja.md': '# 認証\n\n環境変数を設定してください。',
    })
    expect(paths(await find(project, 'limits', 0))).toEqual(['/two'])
    expect(paths(await find(project, '環境変数', 1))).toEqual(['/ja'])
    expect(await find(project, 'limits', 1)).toEqual([])
  })

  test('finds pages by keywords that they do not show, in the place where they begin', async () => {
    const project = projectOf()
    const page =
      '---\ntitle: Sign-in\nkeywords: [SAML, "single sign on"]\n---\n\nWho may come in.\n\n## Later\n\nMore.\n'
    await project.build({ ...files, 'docs.json': docs(['index', 'in', ...many]), 'in.md': page })
    for (const query of ['saml', 'sam', 'single sign on'])
      expect((await find(project, query))[0]).toMatchObject({ path: '/in', anchor: '', excerpt: { marks: [] } })
    await project.build({ ...files, 'docs.json': docs(['index', 'in', ...many]), 'in.md': page.replace('SAML, ', '') })
    expect(await find(project, 'saml')).toEqual([])
  })

  test('puts a word of a title before one that a text has often', async () => {
    const project = projectOf()
    await project.build({
      'docs.json': docs(['pears', 'quinces']),
      'pears.md': `# Pears\n\n${'Quinces are not pears. '.repeat(4)}\n`,
      'quinces.md': `# Quinces\n\n${'They are yellow, and hard until they are cooked. '.repeat(40)}\n`,
    })
    expect(paths(await find(project, 'quinces'))).toEqual(['/quinces', '/pears'])
  })

  test('goes by what pages are worth to their authors', async () => {
    const project = projectOf()
    const site = (one: string, other: string): Files => ({
      'docs.json': docs(['one', 'other']),
      'one.md': `---\ntitle: One\n${one}\n---\n\nQuinces are yellow.\n`,
      'other.md': `---\ntitle: Other\n${other}\n---\n\nQuinces are yellow.\n`,
    })
    await project.build(site('boost: 3', ''))
    expect(paths(await find(project, 'quinces'))).toEqual(['/one', '/other'])
    await project.build(site('boost: 0.5', ''))
    expect(paths(await find(project, 'quinces'))).toEqual(['/other', '/one'])
  })

  test('leads to the section, with the words that it was found by marked', async () => {
    const project = projectOf()
    await project.build({
      'docs.json': docs(['index']),
      'index.md':
        '# Settings\n\n## Timeouts\n\nSet `maxIdleTimeout` or `--max-idle` to end what is idle.\n\n## Other\n\nNothing.\n',
    })
    const marked = ({ excerpt }: Hit): string[] => excerpt.marks.map(([from, to]) => excerpt.text.slice(from, to))
    for (const query of ['maxIdleTimeout', 'max-idle', 'idle timeout', 'maxidletimeout', 'maxIdelTimeout']) {
      const [hit] = await find(project, query)
      expect(hit, query).toMatchObject({ path: '/', anchor: 'timeouts', heading: { text: 'Timeouts' } })
      expect(hit === undefined ? [] : marked(hit), query).not.toEqual([])
    }
  })

  inDepth('has bounds, whatever pages are made of: 100 parts a page, and no file that takes long to load', async () => {
    const project = projectOf()
    const hostile = (page: number): string =>
      Array.from({ length: 60_000 }, (_, index) => `aaaa${(page * 60_000 + index).toString(36)}`).join(' ')
    const pages = ['a', 'b', 'c', 'd', 'e', 'f']
    await project.build({
      'docs.json': docs([...pages, 'honest']),
      ...Object.fromEntries(pages.map((name, index) => [`${name}.md`, hostile(index)])),
      'honest.md': '# Honest\n\nThe walrus.',
    })
    const found = Object.entries(project.last?.routes ?? {}).filter(([path]) => path.startsWith(searchFolder))
    const sizes = found.map(([, route]) => (route.kind === 'file' ? route.size : 0))
    expect(Math.max(...sizes)).toBeLessThan(600_000)
    expect(found.filter(([path]) => path.includes('/parts/'))).toHaveLength(pages.length * 100 + 1)
    expect(paths(await find(project, 'walrus'))).toEqual(['/honest'])
    expect(paths(await find(project, 'aaaa0 aaaa1 aaaa2'))[0]).toBe('/a')
  })

  test('is not made where only what would come of it is wanted', async () => {
    const project = new TestProject(fakePool())
    const { site } = await project.build(files, { trial: true })
    expect(Object.keys(site?.routes ?? {}).filter((path) => path.startsWith(searchFolder))).toEqual([])
  })
})
