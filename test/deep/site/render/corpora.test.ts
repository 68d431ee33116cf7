import { readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasCorpora, unpackCorpus } from '#test/support/shared.ts'
import type { RenderPool } from '#site/page.ts'
import { openRenderPool } from '#site/render/pool.ts'

function filesBelow(directory: string): string[] {
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name)
    return statSync(path).isDirectory() ? filesBelow(path) : [path]
  })
}

/** Components that stand in Markdown as they were written. */
function tagsOutsideOfCode(markdown: string): readonly string[] {
  const text = markdown
    .replaceAll(/^([-\d.> ]*)(`{3,})[^]*?^[> ]*\2 *$/gm, '')
    .replaceAll(/(?<!\\)(`+)[^]*?\1/g, '')
    .replaceAll('\\<', '')
  return text.match(/<\/?[A-Z]\w*[^\n]*/g) ?? []
}

// Hundreds of pages each: minutes where cores are few.
describe.skipIf(!hasCorpora)('real documentation', { timeout: 300_000 }, () => {
  let pool: RenderPool
  let directory = ''
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'quire-corpora-'))
    pool = await openRenderPool()
  })
  afterAll(async () => {
    await pool.close()
    await rm(directory, { recursive: true })
  })

  it.each([
    ['turso', 280],
    ['mem0', 240],
    ['mcp', 340],
  ])('%s renders without a failed page', async (name, least) => {
    const project = await unpackCorpus(`${name}-docs`, await mkdtemp(join(directory, name)))
    const files = new Map(filesBelow(project).map((path) => [relative(project, path), path]))
    const session = pool.open(name, (path) => {
      const file = files.get(path)
      return Promise.resolve(file === undefined ? null : { oid: path, source: readFileSync(file) })
    })
    const pages = [...files].filter(([path]) => path.endsWith('.mdx') && !/^_?snippets\//.test(path))
    const outcomes = await Promise.all(
      pages.map(([path, file]) => session.render({ path, oid: path, source: readFileSync(file) })),
    )
    session.close()
    expect(outcomes.flatMap((outcome) => (outcome.ok ? [] : outcome.errors))).toEqual([])
    expect(outcomes.length).toBeGreaterThan(least)
    const refused = outcomes.flatMap((outcome) => (outcome.ok ? (outcome.page.refused ?? []) : []))
    expect(refused).toEqual([])
    const raw = outcomes.flatMap((outcome) => (outcome.ok ? tagsOutsideOfCode(outcome.page.markdown) : []))
    expect(raw).toEqual([])
  })
})
