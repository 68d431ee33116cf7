import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRenderPool } from '#site/render/pool.ts'
import type { RenderPool } from '#site/page.ts'
import { SearchIndex } from '#site/search/engine.ts'
import { KeptFiles } from '#site/search/files.ts'
import { scopesOf } from '#site/search/scopes.ts'
import { hasCorpora, unpackCorpus } from '#test/support/shared.ts'
import { fakePool } from '#test/support/site/support/fake-pool.ts'
import { readFolder, TestProject } from '#test/support/site/support/project.ts'
import { queries } from './queries.ts'

// Hundreds of pages each: minutes where cores are few.
describe.skipIf(!hasCorpora)('searches of real documentation', { timeout: 300_000 }, () => {
  let folder = ''
  let pool: RenderPool
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quire-search-'))
    pool = await openRenderPool()
  })
  afterAll(async () => {
    await pool.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function built(name: string): Promise<TestProject> {
    const project = new TestProject({ ...fakePool(), open: (id, load) => pool.open(id, load) })
    await project.build(readFolder(await unpackCorpus(name, mkdtempSync(join(folder, 'docs-')))))
    return project
  }

  /** The index that a reader of a page searches, and how many bytes were read for it since the last look. */
  function indexFor(project: TestProject, page: string) {
    let bytes = 0
    const read = async (path: string): Promise<string> => {
      const text = project.text(path)
      if (text === undefined) throw new Error(`nothing at ${path}`)
      bytes += gzipSync(text).length
      return text
    }
    const shell = project.shell()
    const scope = scopesOf(shell.sections).sections[shell.places[page]?.section ?? 0]?.scope ?? 0
    return { index: SearchIndex.open(new KeptFiles(read, scope)), bytes: () => bytes }
  }

  it.each(Object.entries(queries))(
    'have the page that is looked for among the first three, but for one of twenty: %s',
    async (name, table) => {
      const project = await built(name)
      const missed: string[] = []
      for (const [query, ...paths] of table) {
        const hits = await (await indexFor(project, paths[0] ?? '/').index).search(query)
        const found = [...new Set(hits.map(({ path }) => path))].slice(0, 3)
        if (!found.some((path) => paths.includes(path))) missed.push(`${query} → ${found.join(' ')}`)
      }
      expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(table.length / 20)
    },
  )

  it('read at most 50 kB for the first query of 500 pages, and mostly what they have for later ones', async () => {
    const project = await built('bench-500')
    const words = ['middlware', 'enviroment variable', 'deploy to netlify', 'useState', '--port flag', 'authentication']
    for (const query of words) {
      const { index, bytes } = indexFor(project, '/')
      const opened = await index
      await opened.search(query)
      expect(bytes(), query).toBeLessThanOrEqual(50_000)
      const first = bytes()
      await opened.search(`${query} `)
      expect(bytes() - first, query).toBeLessThanOrEqual(first / 2)
    }
  })
})
