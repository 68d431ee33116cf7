import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { NavItem } from '#site/shell.ts'
import { hasCorpora, unpackCorpus } from '#test/support/shared.ts'
import { readFolder, TestProject } from '#test/support/site/support/project.ts'

/** Pages and sidebars of each site. */
const corpora = [
  ['turso-docs', 288, 3],
  ['mem0-docs', 243, 8],
  ['mcp-docs', 343, 16],
  ['bench-500', 500, 1],
] as const

function hrefsOf(items: readonly NavItem[]): string[] {
  return items.flatMap((item) => [
    ...(item.href === undefined ? [] : [item.href]),
    ...(item.kind === 'group' ? hrefsOf(item.items) : []),
  ])
}

// Hundreds of pages each: minutes where cores are few.
describe.skipIf(!hasCorpora)('real documentation', { timeout: 300_000 }, () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'quire-corpora-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test.each(corpora)(
    '%s has no errors, and every page of its navigation and its home answers',
    async (name, pages, sections) => {
      const into = mkdtempSync(join(folder, `${name}-`))
      const files = readFolder(await unpackCorpus(name, into))
      const project = new TestProject()
      const { errors, warnings, pages: counts } = await project.build(files)
      expect(errors).toEqual([])
      expect(counts.total).toBe(pages)
      expect(warnings.filter(({ pointer }) => pointer?.startsWith('/navigation'))).toEqual([])
      const shell = project.shell()
      expect(shell.sections).toHaveLength(sections)
      const routes = project.last?.routes ?? {}
      for (const section of shell.sections) {
        const internal = hrefsOf(section.items).filter((href) => href.startsWith('/'))
        expect(internal.length).toBeGreaterThan(0)
        const paths = internal.map((href) => decodeURIComponent(href.replace(/[?#].*$/, '')))
        expect(paths.filter((path) => routes[path]?.kind !== 'page')).toEqual([])
      }
      const home = routes['/'] ?? project.last?.redirects.find(({ from }) => from === '/')
      expect(home).toBeDefined()
    },
  )
})
