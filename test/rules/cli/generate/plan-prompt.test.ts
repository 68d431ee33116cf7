import { describe, expect, it } from 'vitest'
import { materialOf } from '#cli/generate/material.ts'
import { keepingPages, planPrompt } from '#cli/generate/plan-prompt.ts'
import { mapPages, pagesOf, type PlannedPage, type SitePlan } from '#cli/generate/plan.ts'
import { openSource } from '#cli/generate/open-source.ts'
import { OutputFolder } from '#cli/generate/output-folder.ts'
import { limits } from '#contract/limits.ts'
import { isDeep } from '#test/support/depth.ts'
import { temporaryDirectory, writeFiles } from '#test/support/temporary.ts'

const page = (path: string, sources: readonly string[]): PlannedPage => ({
  path,
  title: path,
  description: path,
  purpose: path,
  sources,
})

describe('prompts about a project of thousands of files', () => {
  const names = Array.from(
    { length: isDeep ? 4000 : 1500 },
    (_, index) => `${'folder-'.repeat(12)}${index % 9}/part-${index}.ts`,
  )
  const plan: SitePlan = {
    name: 'large',
    groups: [{ group: 'All', pages: [page('index', names.slice(0, 10)), page('all', names)] }],
    leftOut: names.map((source) => ({ source, reason: 'internal' })),
  }

  it('fit into a request', async () => {
    const source = await temporaryDirectory()
    await writeFiles(source, Object.fromEntries(names.map((name) => [name, 'export const a = 1\n'])))
    const project = await openSource(source, new OutputFolder(await temporaryDirectory()))
    const before = { plan, appeared: names, vanished: names }
    const messages = await planPrompt(project, { maxPages: 60, existing: names, before })
    const bytes = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
    expect(bytes).toBeLessThan(limits.promptBytes)
    const material = await materialOf(page('all', names), project)
    expect(JSON.stringify([material.files, material.excerpts]).length).toBeLessThan(70_000)
    expect(material.files.length).toBeGreaterThan(50)
  })

  it('keep a page whose sources were shown in part and are repeated so', () => {
    const repeated = mapPages(plan, (one) => ({ ...one, title: 'Anew', sources: one.sources.slice(0, 100) }))
    const kept = keepingPages(repeated, plan, new Set(names.slice(1)))
    expect(pagesOf(kept).map(({ title, sources }) => [title, sources.length])).toEqual([
      ['index', 10],
      ['all', names.length - 1],
    ])
    expect(kept.leftOut).toEqual([])
  })
})
