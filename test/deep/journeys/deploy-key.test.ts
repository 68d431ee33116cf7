import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '#client/client.ts'
import type { Scope } from '#contract/endpoint.ts'
import { contract } from '#contract/index.ts'
import { limits } from '#contract/limits.ts'
import { quire } from '#test/support/command-line.ts'
import { createProject, startService, type ProjectAccess, type ServiceProcess } from '#test/support/service-process.ts'
import { getSite } from '#test/support/site.ts'
import { removeDirectory, writeFiles } from '#test/support/temporary.ts'

describe('a key that may deploy and nothing else', () => {
  let directory: string
  let service: ServiceProcess
  let project: ProjectAccess
  const keyOf = async (scopes: Scope[]): Promise<string> => {
    const owner = createClient({ baseUrl: service.url, token: project.session })
    const params = { slug: project.slug }
    return (await owner.call(contract.keys.create, { params, body: { name: scopes.join(), scopes } })).key
  }
  const run = (key: string, ...words: string[]) =>
    quire(['--url', service.url, ...words], { SERVICE_API_KEY: key }, directory)

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'quire-deploy-key-'))
    service = await startService(join(directory, 'data'))
    project = await createProject(service.url, 'docs')
  })
  afterAll(async () => {
    await service.stop()
    await removeDirectory(directory)
  })

  it('deploys a folder, what is large ahead, and follows it to its end', async () => {
    const key = await keyOf(['deploy'])
    const large = Object.fromEntries(
      [1, 2, 3].map((part) => [`part-${part}.txt`, `${part}`.repeat(limits.fileBytes - 1024)]),
    )
    await writeFiles(join(directory, 'site'), { 'index.md': '# One', ...large })
    const first = await run(key, 'deploy', 'site')
    expect([first.code, first.stdout], first.stderr).toEqual([0, `http://docs.localhost:${service.port}\n`])
    await writeFiles(join(directory, 'site'), { 'index.md': '# Two' })
    const second = await run(key, 'deploy', 'site')
    expect(second.code, second.stderr).toBe(0)
    // It knows what the service has.
    expect(second.stderr).toContain('4 files, 1 of them new to docs')
    expect((await getSite(service.port, 'docs.localhost', '/')).text).toContain('Two')
    expect((await run(key, 'deploys')).code).toBe(0)
    const back = await run(key, 'rollback')
    expect(back.code, back.stderr).toBe(0)
  })

  it('reads no file and changes no branch', async () => {
    const client = createClient({ baseUrl: service.url, token: await keyOf(['deploy']) })
    const params = { slug: project.slug }
    const refused = { code: 'forbidden' }
    await expect(client.call(contract.files.read, { params: { ...params, path: 'index.md' } })).rejects.toMatchObject(
      refused,
    )
    await expect(client.call(contract.branches.create, { params, body: { name: 'x' } })).rejects.toMatchObject(refused)
    await expect(client.call(contract.members.list, { params })).rejects.toMatchObject(refused)
  })

  it('is needed: one that may only write does not deploy', async () => {
    const refused = await run(await keyOf(['write']), 'deploy', 'site')
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('lacks the scope')])
  })
})
