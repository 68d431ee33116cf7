import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDesk } from '../branching/support.ts'
import { startTestService, type TestService } from '../support/service.ts'

let service: TestService
/** Milliseconds that the clock of the service is behind. */
let behind = 0
beforeAll(async () => {
  service = await startTestService({}, { now: () => new Date(Date.now() - behind) })
})
afterAll(() => service.close())

/** The day that a page says it was changed on, as its `time` element has it. */
const changedAt = (html: string): string | undefined => /<time datetime="([^"]*)"/.exec(html)?.[1]

describe('a deployed page', () => {
  it('says when it was changed, and keeps that through deploys of other pages, in the sitemap, too', async () => {
    const desk = await openDesk(service)
    behind = 60 * 60 * 1000
    await desk.deploy({ 'index.mdx': '# Home', 'other.mdx': '# Other' })
    behind = 0
    const first = changedAt((await desk.site('/')).text)
    expect(Date.parse(first ?? '')).toBeLessThan(Date.now() - 30 * 60 * 1000)
    expect((await desk.site('/sitemap.xml')).text).toContain(`<lastmod>${first?.slice(0, 10)}</lastmod>`)
    await desk.deploy({ 'index.mdx': '# Home', 'other.mdx': '# Another' })
    expect(changedAt((await desk.site('/')).text)).toBe(first)
    expect(changedAt((await desk.site('/other')).text)).not.toBe(first)
  })

  it('that was saved on a branch has the time of its save when that is published, and a preview leads to its editor', async () => {
    const desk = await openDesk(service)
    await desk.deploy({ 'index.mdx': '# Home' })
    const branch = await desk.branch('draft')
    await desk.save(branch, 'guide.mdx', '# Guide')
    await desk.previewed(branch)
    const preview = (await desk.preview(branch, '/guide')).text
    expect(preview).toContain(`/dashboard/${desk.slug}/branches/${branch.id}/edit/guide.mdx"`)
    await desk.publish(branch)
    const live = (await desk.site('/guide')).text
    expect(changedAt(live)).toBe(changedAt(preview))
    expect(live).not.toContain('/edit/guide.mdx')
  })

  it('that was renamed is told with the redirect to add', async () => {
    const desk = await openDesk(service)
    await desk.deploy({ 'index.mdx': '# Home', 'old.mdx': '# Moved' })
    const { warnings } = await desk.deploy({ 'index.mdx': '# Home', 'new.mdx': '# Moved' })
    expect(warnings.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('{ "source": "/old", "destination": "/new" }'),
    )
  })
})
