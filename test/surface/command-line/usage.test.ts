import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { contract } from '#contract/index.ts'
import { quire } from '#test/support/command-line.ts'
import { isDeep } from '#test/support/depth.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { createProject } from '#test/support/service-process.ts'
import { startTestService } from '#test/support/service.ts'
import { temporaryDirectory, writeFiles } from '#test/support/temporary.ts'

describe('quire usage', () => {
  it('draws the meters, or prints the reply of the API, with a key and with a session', async () => {
    const service = await startTestService({ DEFAULT_PLAN: 'free' }, { builder: new FakeBuilder() })
    onTestFinished(() => service.close())
    const url = `http://localhost:${service.port}`
    const project = await createProject(url, 'leaves')
    await project.client.call(contract.deploys.create, { body: { files: [{ path: 'index.md', content: 'x' }] } })
    const home = await temporaryDirectory()
    const session = { token: project.session, email: 'leaves@example.com' }
    await writeFiles(home, { 'quire/credentials.json': JSON.stringify({ [url]: session }) })
    await chmod(join(home, 'quire/credentials.json'), 0o600)

    const usage = await project.client.call(contract.usage.read, { params: { slug: 'leaves' } })
    for (const environment of [{ SERVICE_API_KEY: project.key }, { XDG_CONFIG_HOME: home }]) {
      const run = (...words: string[]) => quire(['--url', url, ...words], environment)
      const told = await run('usage')
      expect(told).toMatchObject({ code: 0, stderr: '' })
      expect(told.stdout).toContain('leaves  Free plan, ')
      expect(told.stdout).toMatch(/Deploys today {2}█{7}░{13} {2}1 of 3 used, 2 left\n.*starts anew at 00:00 UTC, in /)
      if (isDeep) expect(JSON.parse((await run('--json', 'usage')).stdout)).toEqual(usage)
    }
    if (!isDeep) return
    const nobody = await quire(['--url', url, '--json', 'usage'], { XDG_CONFIG_HOME: join(home, 'none') })
    expect(nobody.code).toBe(4)
    expect(JSON.parse(nobody.stdout)).toMatchObject({ error: { code: 'unauthenticated' } })
  })
})
