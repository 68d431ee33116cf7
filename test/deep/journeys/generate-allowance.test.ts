import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { quire } from '#test/support/command-line.ts'
import { startModelServer, type ModelCall, type ModelReply, type ModelServer } from '#test/support/model-server.ts'
import {
  createProject,
  startService,
  unlimited,
  type ProjectAccess,
  type ServiceProcess,
} from '#test/support/service-process.ts'
import { removeDirectory, temporaryDirectory, writeFiles } from '#test/support/temporary.ts'
import { writerModel } from '#test/support/writer-model.ts'

interface Report {
  readonly pages: readonly { path: string; status: string }[]
  readonly usage: { requests: number }
  readonly error?: { code: string; message: string; next: string[] }
}

describe('pages from source, on a plan with one generation a month', () => {
  let directory: string
  let service: ServiceProcess
  let models: ModelServer
  const writer = writerModel()
  let script: (call: ModelCall) => ModelReply = writer

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'quire-generate-'))
    models = await startModelServer((call) => script(call))
    service = await startService(join(directory, 'data'), {
      ...unlimited,
      ...models.settings,
      DEFAULT_PLAN: 'free',
      GENERATION_REQUESTS: '10',
    })
  })
  afterAll(async () => {
    await service.stop()
    await models.close()
    await removeDirectory(directory)
  })
  afterEach(() => {
    script = writer
  })

  const environment = ({ key }: ProjectAccess): Record<string, string> => ({
    SERVICE_API_KEY: key,
    QUIRE_URL: service.url,
  })
  const generate = (project: ProjectAccess, ...words: string[]) =>
    quire(['generate', ...words], environment(project), directory)
  async function reported(project: ProjectAccess, ...words: string[]): Promise<Report> {
    const { stdout, stderr } = await quire(['--json', 'generate', ...words], environment(project), directory)
    if (stdout === '') throw new Error(stderr)
    return JSON.parse(stdout) as Report
  }
  const usedBy = async ({ client, slug }: ProjectAccess): Promise<{ used: number; resetsAt: string }> =>
    (await client.call(contract.usage.read, { params: { slug } })).generations
  const statuses = ({ pages }: Report): Record<string, string> =>
    Object.fromEntries(pages.map(({ path, status }) => [path, status]))

  const withBrokenPage = (call: ModelCall): ModelReply =>
    call.body.messages.some(({ content }) => content?.includes('"page":{"path":"reference/src"'))
      ? { chunks: ['<Note>\n\nnever closed'] }
      : writer(call)

  async function folders(): Promise<{ source: string; output: string }> {
    const source = await temporaryDirectory()
    await writeFiles(source, {
      'README.md': '# Kettle\n\nBoils water.\n',
      'src/kettle.ts': '/** Boils water. */\nexport function boil(litres: number): void {\n  heat(litres)\n}\n',
      'tools/steep.py': 'def steep(minutes):\n    """Waits."""\n    return minutes\n',
    })
    return { source, output: await temporaryDirectory() }
  }

  it('makes a page that failed in the same generation, from a new answer', async () => {
    const [project, { source, output }] = [await createProject(service.url, 'failing'), await folders()]
    script = withBrokenPage
    expect((await generate(project, source, '-o', output)).stderr).toContain('A page could not be written')
    script = writer
    const again = await reported(project, source, '-o', output)
    expect(again.error).toBeUndefined()
    expect(statuses(again)).toMatchObject({ index: 'current', 'reference/src': 'written' })
    expect(again.usage.requests).toBe(1)
    expect(await usedBy(project)).toMatchObject({ used: 1 })
  })

  it('makes the pages that were not asked for at first in the same generation, and one of them anew', async () => {
    const [project, { source, output }] = [await createProject(service.url, 'waiting'), await folders()]
    const first = await reported(project, source, '-o', output, '--only', 'index')
    expect(statuses(first)).toMatchObject({ index: 'written', 'reference/src': 'waiting' })
    const calls = models.calls.length
    const anew = await reported(project, source, '-o', output, '--only', 'index', '--force')
    expect(statuses(anew)).toMatchObject({ index: 'written' })
    expect(models.calls.length).toBe(calls + 1)
    const rest = await reported(project, source, '-o', output)
    expect(statuses(rest)).toMatchObject({ index: 'current', 'reference/src': 'written' })
    expect(await usedBy(project)).toMatchObject({ used: 1 })
  })

  it('begins another generation when one is used up by a page that fails again and again', async () => {
    const [project, { source, output }] = [await createProject(service.url, 'stubborn'), await folders()]
    script = withBrokenPage
    const calls = models.calls.length
    // The plan, two pages, and the broken one with its repair; then that alone.
    for (const requests of [5, 7, 9]) {
      await generate(project, source, '-o', output)
      expect(models.calls.length - calls).toBe(requests)
    }
    const { stderr } = await generate(project, source, '-o', output)
    expect(stderr).toContain('has used the 10 requests that one may')
    expect(stderr).toContain('goes on, as another generation of the plan')
    expect((await generate(project, source, '-o', output)).stderr).toContain(
      'The Free plan allows 1 generation a month',
    )
    expect(models.calls.length - calls).toBe(10)
  })

  it('says when the plan’s count starts anew when it refuses a second folder', async () => {
    const project = await createProject(service.url, 'twice')
    const [one, other] = [await folders(), await folders()]
    expect((await generate(project, one.source, '-o', one.output)).code).toBe(0)
    const calls = models.calls.length
    const refused = await generate(project, other.source, '-o', other.output)
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('The Free plan allows 1 generation a month')
    expect(refused.stderr).toMatch(/The count starts anew on 1 [A-Z][a-z]+ at 00:00 UTC\./)
    expect(models.calls.length).toBe(calls)
  })

  it('refuses a new branch before anything is paid for, and the pages can be made without', async () => {
    const [project, { source, output }] = [await createProject(service.url, 'branching'), await folders()]
    const calls = models.calls.length
    const refused = await generate(project, source, '-o', output, '--branch', 'written')
    expect(refused.code).not.toBe(0)
    const { used, resetsAt } = await usedBy(project)
    expect(refused.stderr).toContain('The new branch written and the pages are two generations of the plan')
    expect(refused.stderr).toContain(resetsAt)
    expect(models.calls.length).toBe(calls)
    expect(used).toBe(0)
    expect((await generate(project, source, '-o', output)).code).toBe(0)
  })
})
