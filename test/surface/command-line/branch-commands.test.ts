import { execFile } from 'node:child_process'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Branch } from '#contract/branches.ts'
import { contract } from '#contract/index.ts'
import { quire as run, type Finished } from '#test/support/command-line.ts'
import { isDeep } from '#test/support/depth.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import type { TestService } from '#test/support/service.ts'
import { sharedService } from '#test/support/shared-service.ts'
import { getSite } from '#test/support/site.ts'
import { removeDirectory } from '#test/support/temporary.ts'

describe('branches on the command line', () => {
  let directory: string
  let service: TestService
  let project: ProjectAccess
  const quire = (...words: string[]): Promise<Finished> =>
    run(['--url', service.url, ...words], { SERVICE_API_KEY: project.key }, directory)
  const branchOf = async (name: string): Promise<Branch> => {
    const { items } = await project.client.call(contract.branches.list, { params: project, query: { name } })
    const [branch] = items
    if (branch === undefined) throw new Error(`no branch ${name}`)
    return branch
  }
  const names = async (): Promise<string[]> => {
    const { items } = await project.client.call(contract.branches.list, { params: project, query: {} })
    return items.map(({ name }) => name)
  }
  const create = (name: string): Promise<Branch> =>
    project.client.call(contract.branches.create, { params: project, body: { name } })
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
    service = await sharedService()
    project = await createProject(service.url, 'branched')
    await deploy({ 'index.mdx': '# Home\n\nfirst line\n', 'other.mdx': '# Other\n' })
  })
  afterAll(() => removeDirectory(directory))

  it('creates a branch, shows what it changes and where its preview is, and publishes it', async () => {
    if (isDeep) expect((await quire('branch', 'create', 'New API')).code).toBe(2)
    expect((await quire('branch', 'create', 'new api')).stdout).toBe(
      `http://branched--new-api.localhost:${service.port}\n`,
    )
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
    expect([preview.code, preview.stdout]).toEqual([0, `http://branched--new-api.localhost:${service.port}\n`])
    const published = await quire('publish', 'new-api', '-m', 'New API')
    expect(published.code, published.stderr).toBe(0)
    expect((await getSite(service.port, 'branched.localhost', '/')).text).toContain('second line')
    expect((await quire('branches')).stdout).toBe('branched has no branches beside main.\n')
  })

  it('shows conflicts with both sides and exit code 5, and publishes when they are settled', async () => {
    await create('clash')
    await save('clash', 'index.mdx', '# Home\n\nfrom the branch\n')
    await deploy({ 'index.mdx': '# Home\n\nfrom main\n', 'other.mdx': '# Other\n' })

    const refused = await quire('publish', 'clash')
    expect(refused.code).toBe(5)
    expect(refused.stderr).toContain('index.mdx')
    expect(refused.stderr).toContain('from main')
    expect(refused.stderr).toContain('from the branch')
    if (isDeep) {
      const document: unknown = JSON.parse((await quire('publish', 'clash', '--json')).stdout)
      expect(document).toMatchObject({ error: { code: 'merge_conflict', conflicts: [{ path: 'index.mdx' }] } })
    }
    expect(await names()).toContain('clash')

    await writeFile(join(directory, 'merged.mdx'), '# Home\n\nfrom both\n')
    const published = await quire('publish', 'clash', '--content', 'index.mdx=merged.mdx')
    expect(published.code, published.stderr).toBe(0)
    expect((await getSite(service.port, 'branched.localhost', '/')).text).toContain('from both')
  })

  it('says where a page does not compile, keeps branch and site', async () => {
    await create('broken')
    await save('broken', 'bad.mdx', '# Bad\n\n<Card>\n')
    const refused = await quire('publish', 'broken')
    expect(refused.code).toBe(3)
    expect(refused.stderr).toMatch(/bad\.mdx:\d+:\d+/)
    expect(await names()).toContain('broken')
    expect((await getSite(service.port, 'branched.localhost', '/')).status).toBe(200)
  })

  it('deletes a branch only when that is meant', async () => {
    const asked = await quire('branch', 'delete', 'broken')
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('--yes')])
    expect((await quire('branch', 'delete', 'broken', '--yes')).code).toBe(0)
    expect(await names()).toEqual([])
    if (!isDeep) return
    const gone = await quire('branch', 'files', 'broken')
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('no branch broken')])
  })

  it('clones with the key in the environment only, and fetches and pushes from the clone', async () => {
    const cloned = await quire('clone', 'clone')
    expect(cloned.code, cloned.stderr).toBe(0)
    const config = await readFile(join(directory, 'clone', '.git', 'config'), 'utf8')
    expect(config).not.toContain(project.key)
    const env = { PATH: process.env['PATH'], HOME: directory, SERVICE_API_KEY: project.key, GIT_TERMINAL_PROMPT: '0' }
    const git = (...words: string[]) =>
      promisify(execFile)(
        'git',
        ['-C', join(directory, 'clone'), '-c', 'user.name=A', '-c', 'user.email=a@example.com', ...words],
        { env },
      )
    await git('switch', '-c', 'from-clone')
    await writeFile(join(directory, 'clone', 'other.mdx'), '# Other\n\npushed\n')
    await git('commit', '-am', 'Say more')
    await git('push', 'origin', 'from-clone')
    expect((await quire('branch', 'diff', 'from-clone')).stdout).toContain('+pushed')
  })
})
