import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryDirectory, writeFiles } from '#test/support/temporary.ts'
import { openDesk } from '#test/support/branching/support.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
/** Milliseconds that the clock of the service is behind. */
let behind = 0
beforeAll(async () => {
  service = await startTestService({}, { now: () => new Date(Date.now() - behind) })
})
afterAll(() => service.close())

const run = promisify(execFile)

const git = (cwd: string, more: Readonly<Record<string, string>>, ...args: readonly string[]) =>
  run('git', args, { cwd, env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0', ...more } })

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

  it('that was pushed has the time of its own commit, and not of the push', async () => {
    const desk = await openDesk(service)
    await desk.deploy({ 'index.mdx': '# Home' })
    const clone = join(await temporaryDirectory(), 'clone')
    const url = `http://x:${desk.key}@127.0.0.1:${desk.port}/git/${desk.slug}.git`
    await git('.', {}, 'clone', '-q', url, clone)
    for (const [path, date] of [
      ['old.mdx', '2026-01-01T12:00:00Z'],
      ['new.mdx', '2026-02-02T12:00:00Z'],
    ] as const) {
      await writeFiles(clone, { [path]: `# ${path}` })
      await git(clone, {}, 'add', '.')
      const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
      await git(clone, { GIT_COMMITTER_DATE: date }, ...author, 'commit', '-q', '-m', 'more')
    }
    await git(clone, {}, 'push', '-q', 'origin', 'HEAD:main')
    expect(changedAt((await desk.site('/old')).text)).toBe('2026-01-01T12:00:00.000Z')
    expect(changedAt((await desk.site('/new')).text)).toBe('2026-02-02T12:00:00.000Z')
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
