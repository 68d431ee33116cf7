import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Branch } from '#contract/branches.ts'
import { contract } from '#contract/index.ts'
import { quire as run, type Finished } from '#test/support/command-line.ts'
import { createProject, startService, type ProjectAccess, type ServiceProcess } from '#test/support/service-process.ts'
import { getSite } from '#test/support/site.ts'
import { removeDirectory } from '#test/support/temporary.ts'

describe('branches on the command line', () => {
  let directory: string
  let service: ServiceProcess
  let project: ProjectAccess
  const quire = (...words: string[]): Promise<Finished> =>
    run(['--url', service.url, ...words], { SERVICE_API_KEY: project.key }, directory)
  const branchOf = async (name: string): Promise<Branch> => {
    const { items } = await project.client.call(contract.branches.list, { params: project, query: { name } })
    const [branch] = items
    if (branch === undefined) throw new Error(`no branch ${name}`)
    return branch
  }
  const save = async (name: string, path: string, content: string): Promise<void> => {
    const { id } = await branchOf(name)
    const params = { slug: project.slug, id }
    await project.client.call(contract.branches.commit, { params, body: { changes: [{ path, content }] } })
  }
  const deploy = (files: Record<string, string>): Promise<unknown> =>
    project.client.call(contract.deploys.create, {
      body: { files: Object.entries(files).map(([path, content]) => ({ path, content })) },
    })

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'quire-branch-commands-'))
    service = await startService(join(directory, 'data'))
    project = await createProject(service.url, 'docs')
    await deploy({ 'index.mdx': '# Home\n\nfirst line\n', 'other.mdx': '# Other\n' })
  })
  afterAll(async () => {
    await service.stop()
    await removeDirectory(directory)
  })

  it('creates a branch, shows what it changes and where its preview is, and publishes it', async () => {
    const created = await quire('branch', 'create', 'New API')
    expect(created.code).toBe(2)
    expect((await quire('branch', 'create', 'new api')).stdout).toBe(`http://docs--new-api.localhost:${service.port}\n`)
    await save('new-api', 'index.mdx', '# Home\n\nsecond line\n')
    await save('new-api', 'added.mdx', '# Added\n')

    const list = await quire('branches')
    expect(list.stdout).toMatch(/new-api\s+\+1 ~1 -0/)
    const files = await quire('branch', 'files', 'new-api')
    expect(files.stdout).toMatch(/^A .*added\.mdx\nM .*index\.mdx\n$/)
    const diff = await quire('branch', 'diff', 'new-api', 'index.mdx')
    expect(diff.stdout).toContain('--- a/index.mdx\n+++ b/index.mdx\n@@')
    expect(diff.stdout).toContain('\n-first line\n+second line\n')

    const preview = await quire('preview', 'new-api')
    expect([preview.code, preview.stdout]).toEqual([0, `http://docs--new-api.localhost:${service.port}\n`])
    const published = await quire('publish', 'new-api', '-m', 'New API')
    expect(published.code, published.stderr).toBe(0)
    expect((await getSite(service.port, 'docs.localhost', '/')).text).toContain('second line')
    expect((await quire('branches')).stdout).toBe('docs has no branches beside main.\n')
  })

  it('shows conflicts with both sides and exit code 5, and publishes when they are settled', async () => {
    await quire('branch', 'create', 'clash')
    await save('clash', 'index.mdx', '# Home\n\nfrom the branch\n')
    await deploy({ 'index.mdx': '# Home\n\nfrom main\n', 'other.mdx': '# Other\n' })

    const refused = await quire('publish', 'clash')
    expect(refused.code).toBe(5)
    expect(refused.stderr).toContain('index.mdx')
    expect(refused.stderr).toContain('from main')
    expect(refused.stderr).toContain('from the branch')
    const document: { error: { code: string; conflicts: { path: string }[] } } = JSON.parse(
      (await quire('publish', 'clash', '--json')).stdout,
    )
    expect(document.error).toMatchObject({ code: 'merge_conflict', conflicts: [{ path: 'index.mdx' }] })
    expect((await quire('branches')).stdout).toContain('clash')

    await writeFile(join(directory, 'merged.mdx'), '# Home\n\nfrom both\n')
    const published = await quire('publish', 'clash', '--content', 'index.mdx=merged.mdx')
    expect(published.code, published.stderr).toBe(0)
    expect((await getSite(service.port, 'docs.localhost', '/')).text).toContain('from both')
  })

  it('says where a page does not compile, keeps branch and site', async () => {
    await quire('branch', 'create', 'broken')
    await save('broken', 'bad.mdx', '# Bad\n\n<Card>\n')
    const refused = await quire('publish', 'broken')
    expect(refused.code).toBe(3)
    expect(refused.stderr).toMatch(/bad\.mdx:\d+:\d+/)
    expect((await quire('branches')).stdout).toContain('broken')
    expect((await getSite(service.port, 'docs.localhost', '/')).status).toBe(200)
  })

  it('deletes a branch only when that is meant', async () => {
    const asked = await quire('branch', 'delete', 'broken')
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('--yes')])
    expect((await quire('branch', 'delete', 'broken', '--yes')).code).toBe(0)
    const gone = await quire('branch', 'files', 'broken')
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('no branch broken')])
  })

  it('clones with the key in the environment only, and fetches and pushes from the clone', async () => {
    const cloned = await quire('clone', 'clone')
    expect(cloned.code, cloned.stderr).toBe(0)
    const config = await readFile(join(directory, 'clone', '.git', 'config'), 'utf8')
    expect(config).not.toContain(project.key)
    const git = (...words: string[]): string =>
      execFileSync(
        'git',
        ['-C', join(directory, 'clone'), '-c', 'user.name=A', '-c', 'user.email=a@example.com', ...words],
        {
          env: { PATH: process.env['PATH'], HOME: directory, SERVICE_API_KEY: project.key, GIT_TERMINAL_PROMPT: '0' },
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      )
    git('switch', '-c', 'from-clone')
    await writeFile(join(directory, 'clone', 'other.mdx'), '# Other\n\npushed\n')
    git('commit', '-am', 'Say more')
    git('push', 'origin', 'from-clone')
    expect((await quire('branch', 'diff', 'from-clone')).stdout).toContain('+pushed')
  })
})
