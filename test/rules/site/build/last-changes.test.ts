import { describe, expect, it } from 'vitest'
import { fakePool } from '#test/support/site/support/fake-pool.ts'
import { TestProject } from '#test/support/site/support/project.ts'

const day = (date: string): number => Date.parse(`${date}T12:00:00Z`) / 1000

/** A project that builds with a history in which every page was last changed on one day. */
class DatedProject extends TestProject {
  asked: readonly string[] = []

  at(date: string, files: Parameters<TestProject['build']>[0]) {
    this.asked = []
    return this.build(files, {
      lastChanges: (paths) => {
        this.asked = paths
        return Promise.resolve(new Map(paths.map((path) => [path, day(date)])))
      },
    })
  }

  updated(url: string): number | undefined {
    const route = this.last?.routes[url]
    return route?.kind === 'page' ? route.updated : undefined
  }
}

describe('when a page was last changed', () => {
  it('is asked for pages that are new or changed, and stays with the others', async () => {
    const project = new DatedProject()
    await project.at('2026-01-01', { 'a.mdx': '# A', 'b.mdx': '# B' })
    await project.at('2026-02-02', { 'a.mdx': '# A, too', 'b.mdx': '# B' })
    expect(project.asked).toEqual(['a.mdx'])
    expect([project.updated('/a'), project.updated('/b')]).toEqual([day('2026-02-02'), day('2026-01-01')])
  })

  it('stays when a page is made anew of the same source', async () => {
    const project = new DatedProject()
    await project.at('2026-01-01', { 'a.mdx': '---\ninclude: part.mdx\n---\nText', 'part.mdx': 'one' })
    await project.at('2026-02-02', { 'a.mdx': '---\ninclude: part.mdx\n---\nText', 'part.mdx': 'two' })
    expect(project.pool.rendered).toContain('a.mdx')
    expect(project.updated('/a')).toBe(day('2026-01-01'))
  })

  it('is no part of what is stored of a page', async () => {
    const [one, other] = [new DatedProject(), new DatedProject(fakePool())]
    await one.at('2026-01-01', { 'a.mdx': '# A' })
    await other.at('2026-02-02', { 'a.mdx': '# A' })
    expect(one.last?.routes['/a']).toMatchObject({ blob: other.last?.pages['a.mdx']?.artifact })
  })

  it('stands in the sitemap as a day, and is left out where nobody knows it', async () => {
    const project = new DatedProject()
    await project.at('2026-01-01', { 'a.mdx': '# A' })
    expect(project.text('/sitemap.xml')).toContain('<loc>https://acme.example/a</loc><lastmod>2026-01-01</lastmod>')
    await project.at('2026-02-02', { 'a.mdx': '# A again' })
    expect(project.text('/sitemap.xml')).toContain('<lastmod>2026-02-02</lastmod>')
    const other = new TestProject()
    await other.build({ 'a.mdx': '# A' })
    expect(other.text('/sitemap.xml')).not.toContain('lastmod')
  })
})
