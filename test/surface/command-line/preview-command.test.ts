import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Branch } from '#contract/branches.ts'
import { contract } from '#contract/index.ts'
import { quire, type Finished } from '#test/support/command-line.ts'
import { startGitHub } from '#test/support/fake-github.ts'
import { inDepth, isDeep } from '#test/support/depth.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import type { TestService } from '#test/support/service.ts'
import { sharedService } from '#test/support/shared-service.ts'
import { getSite } from '#test/support/site.ts'
import { removeDirectory, writeFiles } from '#test/support/temporary.ts'

describe('a pull request on the command line', () => {
  let directory: string
  let service: TestService
  let project: ProjectAccess
  let github: Awaited<ReturnType<typeof startGitHub>>
  const run = (words: readonly string[], environment: Record<string, string> = {}): Promise<Finished> =>
    quire(
      ['--url', service.url, ...words],
      {
        SERVICE_API_KEY: project.key,
        XDG_STATE_HOME: join(directory, 'state'),
        CI: 'true',
        GITHUB_ACTIONS: 'true',
        GITHUB_WORKSPACE: directory,
        GITHUB_STEP_SUMMARY: join(directory, 'summary.md'),
        GITHUB_TOKEN: 'ghs_secret',
        GITHUB_REPOSITORY: 'acme/docs',
        GITHUB_EVENT_PATH: join(directory, 'event.json'),
        GITHUB_API_URL: github.url,
        ...environment,
      },
      directory,
    )
  const branchOf = async (name: string): Promise<Branch | undefined> =>
    (await project.client.call(contract.branches.list, { params: project, query: { name } })).items[0]
  const preview = async (name: string, path: string): Promise<string> =>
    (await getSite(service.port, `proposed--${name}.localhost`, path)).text

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'quire-preview-command-'))
    service = await sharedService()
    project = await createProject(service.url, 'proposed')
    await project.client.call(contract.deploys.create, { body: { files: [{ path: 'index.md', content: '# Live' }] } })
    await writeFiles(directory, {
      'docs/index.md': '# Proposed\n',
      'summary.md': '',
      'event.json': JSON.stringify({ pull_request: { number: 7 } }),
    })
  })
  beforeEach(async () => {
    github = await startGitHub()
    return () => github.close()
  })
  afterAll(() => removeDirectory(directory))

  it('gets a preview, its address as annotation, summary and one comment that is kept up to date', async () => {
    // Others have commented before, one of them with what looks like ours.
    for (let index = 0; index < 130; index++) github.add(`comment ${index}`, 'User')
    const url = `http://proposed--pr-7.localhost:${service.port}`
    const first = await run(['deploy', 'docs', '--branch', 'pr-7'])
    expect([first.code, first.stdout], first.stderr).toEqual([0, `${url}\n`])
    expect(first.stderr).toContain(`::notice title=Quire::Preview of pr-7: ${url}`)
    expect(await readFile(join(directory, 'summary.md'), 'utf8')).toContain(`preview of pr-7 at ${url}`)
    expect(await preview('pr-7', '/')).toContain('Proposed')
    expect((await getSite(service.port, 'proposed.localhost', '/')).text).toContain('Live')
    const ours = () => github.comments.filter(({ body }) => body.startsWith('<!-- quire-preview'))
    expect(ours()).toMatchObject([{ body: expect.stringContaining(url) }])
    expect([...github.tokens]).toEqual(['Bearer ghs_secret'])

    await writeFiles(directory, { 'docs/broken.mdx': '# Broken\n\n<Card\n' })
    const broken = await run(['deploy', 'docs', '--branch', 'pr-7'])
    expect(broken.code, broken.stderr).toBe(3)
    expect(broken.stderr).toContain('::error file=docs/broken.mdx')
    expect(ours()).toMatchObject([{ body: expect.stringContaining('does not build') }])
    await rm(join(directory, 'docs/broken.mdx'))
    if (isDeep) {
      await writeFiles(directory, { 'docs/index.md': '# Mended\n' })
      expect((await run(['deploy', 'docs', '--branch', 'pr-7'])).code).toBe(0)
      expect(ours()).toMatchObject([{ body: expect.stringContaining('### Preview of the documentation') }])
      expect(await preview('pr-7', '/')).toContain('Mended')
    }

    const closed = await run(['preview', 'close', 'pr-7'])
    expect([closed.code, closed.stdout]).toEqual([0, 'closed the preview of pr-7\n'])
    expect(ours()).toMatchObject([{ body: expect.stringContaining('was closed') }])
    if (!isDeep) return
    const again = await run(['preview', 'close', 'pr-7'])
    expect([again.code, again.stdout]).toEqual([0, 'proposed has no branch pr-7: there is nothing to close.\n'])
  })

  it('keeps what a person saved on the branch until that is given up', async () => {
    await writeFiles(directory, { 'docs/index.md': '# Sent\n' })
    expect((await run(['deploy', 'docs', '--branch', 'kept'])).code).toBe(0)
    const id = (await branchOf('kept'))?.id ?? ''
    const change = { path: 'index.md', content: '# By hand\n' }
    const params = { slug: project.slug, id }
    await project.client.call(contract.branches.commit, { params, body: { changes: [change], message: 'By hand' } })
    await writeFiles(directory, { 'docs/index.md': '# Sent again\n' })
    const refused = await run(['deploy', 'docs', '--branch', 'kept'])
    expect([refused.code, refused.stdout]).toEqual([5, ''])
    expect(refused.stderr).toMatch(/saved “By hand”[^]*index\.md[^]*quire branch diff kept[^]*--take/)
    expect(github.comments.at(-1)?.body).toContain('No preview of the documentation')
    if (!isDeep) return
    expect((await run(['preview', 'close', 'kept'])).code).toBe(5)
    expect((await run(['deploy', 'docs', '--branch', 'kept', '--take'])).code).toBe(0)
    expect(await preview('kept', '/')).toContain('Sent again')
  })

  inDepth('has its preview whatever becomes of the comment, and the token goes to nobody else', async () => {
    github.state.status = 403
    const refused = await run(['deploy', 'docs', '--branch', 'quiet'])
    expect([refused.code, refused.stderr]).toEqual([0, expect.stringContaining('pull-requests: write')])
    const elsewhere = await run(['deploy', 'docs', '--branch', 'quiet'], { GITHUB_API_URL: 'http://example.com' })
    expect([elsewhere.code, elsewhere.stderr]).toEqual([0, expect.stringContaining('it is not HTTPS')])
    github.asked.length = 0
    expect((await run(['deploy', 'docs', '--branch', 'quiet'], { GITHUB_TOKEN: '' })).code).toBe(0)
    await writeFiles(directory, { 'event.json': JSON.stringify({ push: {} }) })
    expect((await run(['deploy', 'docs', '--branch', 'quiet'])).code).toBe(0)
    expect(github.asked).toEqual([])
  })

  inDepth('is checked without a deploy, and with --strict for warnings, too', async () => {
    await writeFiles(directory, { 'odd/index.md': '# Odd\n\n[nowhere](/nowhere)\n' })
    const lenient = await run(['check', 'odd'])
    expect([lenient.code, lenient.stdout]).toEqual([0, expect.stringContaining('odd can go live: 1 page')])
    expect(lenient.stderr).toContain('::warning file=odd/index.md,line=3')
    expect((await run(['check', 'odd', '--strict'])).code).toBe(3)
    const json = await run(['check', 'odd', '--strict', '--json'])
    expect([json.code, JSON.parse(json.stdout)]).toEqual([
      3,
      {
        error: expect.objectContaining({
          code: 'build_failed',
          check: expect.objectContaining({ pages: expect.anything() }),
        }),
      },
    ])
    const empty = await createProject(service.url, 'proposed-empty')
    expect((await run(['check', 'odd'], { SERVICE_API_KEY: empty.key })).code).toBe(0)
    expect((await getSite(service.port, 'proposed.localhost', '/')).text).toContain('Live')
  })

  it('shows afterwards how a deploy went', async () => {
    await writeFiles(directory, { 'bad/index.mdx': '# Bad\n\n<Card\n' })
    expect((await run(['deploy', 'bad'])).code).toBe(3)
    const last = await run(['logs'])
    expect(last.code, last.stderr).toBe(0)
    expect(last.stdout).toMatch(/^deploy 2 {2}failed[^]*building pages +\d+\.\d ms[^]*error {2}index\.mdx:/)
    if (!isDeep) return
    const first = await run(['logs', '1'])
    expect(first.stdout).toMatch(/^deploy 1 {2}live[^]*going live/)
    expect((await run(['logs', '--follow'])).code).toBe(3)
    expect((await run(['logs', '99'])).code).toBe(1)
  })
})
