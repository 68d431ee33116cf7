import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
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
  readonly warnings: readonly string[]
  readonly error?: { code: string; message: string }
}

interface DryRun {
  readonly pages: readonly { path: string; why: string; inputTokens: number }[]
  readonly planning: boolean
  readonly inputTokens: number
  readonly outputTokens: number
  readonly costUsd: number
  readonly prices: string
}

describe('generated pages that people work on', () => {
  let directory: string
  let service: ServiceProcess
  let project: ProjectAccess
  let models: ModelServer
  const writer = writerModel()
  let script: (call: ModelCall) => ModelReply | Promise<ModelReply> = writer

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'quire-generate-'))
    models = await startModelServer((call) => script(call))
    service = await startService(join(directory, 'data'), { ...unlimited, ...models.settings })
    project = await createProject(service.url, 'docs')
  })
  afterAll(async () => {
    await service.stop()
    await models.close()
    await removeDirectory(directory)
  })
  afterEach(() => {
    script = writer
  })

  async function generate<T = Report>(...words: string[]): Promise<T> {
    const environment = { SERVICE_API_KEY: project.key, QUIRE_URL: service.url }
    const { stdout, stderr } = await quire(['--json', 'generate', ...words], environment, directory)
    if (stdout === '') throw new Error(stderr)
    return JSON.parse(stdout) as T
  }
  const statuses = ({ pages }: Report): Record<string, string> =>
    Object.fromEntries(pages.map(({ path, status }) => [path, status]))

  /** A small package, and a folder for its pages. */
  async function folders(): Promise<{ source: string; output: string }> {
    const source = await temporaryDirectory()
    await writeFiles(source, {
      'README.md': '# Kettle\n\nBoils water.\n',
      'src/kettle.ts': '/** Boils water. */\nexport function boil(litres: number): void {\n  heat(litres)\n}\n',
      'tools/steep.py': 'def steep(minutes):\n    """Waits."""\n    return minutes\n',
    })
    return { source, output: await temporaryDirectory() }
  }

  it('keeps a page that somebody changed while the model wrote another, and offers that', async () => {
    const { source, output } = await folders()
    await generate(source, '-o', output)
    await writeFiles(source, { 'src/kettle.ts': 'export function simmer(): void {}\n' })
    script = async (call) => {
      await writeFile(join(output, 'reference/src.mdx'), 'My own words.\n')
      return writer(call)
    }
    expect(statuses(await generate(source, '-o', output))).toMatchObject({ 'reference/src': 'offered' })
    expect(await readFile(join(output, 'reference/src.mdx'), 'utf8')).toBe('My own words.\n')
  })

  it('keeps a page that somebody began while the model wrote one of the same name', async () => {
    const { source, output } = await folders()
    script = async (call) => {
      const isPage = call.body.messages.some(({ content }) => content?.includes('"page":{"path":"reference/tools"'))
      if (isPage) await writeFiles(output, { 'reference/tools.mdx': 'My own words.\n' })
      return writer(call)
    }
    expect(statuses(await generate(source, '-o', output))).toMatchObject({ 'reference/tools': 'foreign' })
    expect(await readFile(join(output, 'reference/tools.mdx'), 'utf8')).toBe('My own words.\n')
  })

  it('keeps what somebody changed on the branch that it is sent to, until it is told to replace it', async () => {
    const { source, output } = await folders()
    await generate(source, '-o', output, '--branch', 'read-me')
    const { items } = await project.client.call(contract.branches.list, {
      params: { slug: 'docs' },
      query: { name: 'read-me' },
    })
    const params = { slug: 'docs', id: items[0]?.id ?? '' }
    const changes = [
      { path: 'reference/src.mdx', content: 'A colleague’s words.\n' },
      { path: 'reference/tools.mdx', content: null },
    ]
    await project.client.call(contract.branches.commit, { params, body: { changes } })
    await writeFiles(source, {
      'README.md': '# Kettle\n\nBoils tea.\n',
      'src/kettle.ts': 'export function simmer(): void {}\n',
      'tools/steep.py': 'def infuse():\n    return 1\n',
    })
    const onBranch = async (path: string): Promise<string | undefined> => {
      const { items: files } = await project.client.call(contract.branches.files, { params })
      const file = files.find((one) => one.path === path && one.status !== 'deleted')
      if (file === undefined) return undefined
      return (await project.client.call(contract.branches.readFile, { params: { ...params, path } })).content
    }
    await generate(source, '-o', output, '--branch', 'read-me')
    expect(await onBranch('reference/src.mdx')).toBe('A colleague’s words.\n')
    expect(await onBranch('reference/tools.mdx')).toBeUndefined()
    expect(await onBranch('index.mdx')).toContain('README.md')

    await generate(source, '-o', output, '--branch', 'read-me', '--take', 'reference/*')
    expect(await onBranch('reference/src.mdx')).toContain('simmer')
    expect(await onBranch('reference/tools.mdx')).toContain('infuse')
  })

  it('refuses a branch that cannot be made before it asks the model', async () => {
    const { source, output } = await folders()
    const calls = models.calls.length
    const { error } = await generate(source, '-o', output, '--branch', 'no..name')
    expect(error).toMatchObject({ code: 'invalid_branch_name' })
    expect(models.calls.length).toBe(calls)
  })

  it('puts a page into navigation again that was deleted and is taken back', async () => {
    const { source, output } = await folders()
    await generate(source, '-o', output)
    await rm(join(output, 'reference/tools.mdx'))
    await generate(source, '-o', output)
    const navigation = (): Promise<string> => readFile(join(output, 'docs.json'), 'utf8')
    expect(await navigation()).not.toContain('reference/tools')
    await generate(source, '-o', output, '--take', 'reference/tools')
    expect(await navigation()).toContain('reference/tools')
  })

  it('lets one run at a time write to a folder', async () => {
    const { source, output } = await folders()
    let second: Report | undefined
    script = async (call) => {
      second ??= await generate(source, '-o', output)
      return writer(call)
    }
    const first = await generate(source, '-o', output)
    expect(new Set(Object.values(statuses(first)))).toEqual(new Set(['written']))
    expect(second?.error?.message).toContain('Another quire generate is writing')
    expect((await generate(source, '-o', output)).error).toBeUndefined()
  })

  it('says of a pattern that it matches no page', async () => {
    const { source, output } = await folders()
    const { warnings } = await generate(source, '-o', output, '--only', 'guidse/*')
    expect(warnings).toContainEqual(expect.stringContaining('--only guidse/* matches no page. There are index, '))
  })

  it('takes no source that is in the folder of the pages: it would be deployed with them', async () => {
    const { source } = await folders()
    const { error } = await generate(join(source, 'src'), '-o', source)
    expect(error?.message).toContain('a folder of their own')
  })

  it('says before what a run will ask for and cost, and writes nothing for that', async () => {
    const { source, output } = await folders()
    const unplanned = await generate<DryRun>(source, '-o', output, '--dry-run')
    expect(unplanned).toMatchObject({ planning: true, pages: [], prices: 'service' })
    await generate(source, '-o', output)
    await writeFiles(source, { 'src/kettle.ts': 'export function simmer(): void {}\n' })
    const calls = models.calls.length
    const dry = await generate<DryRun>(source, '-o', output, '--dry-run')
    expect(models.calls.length).toBe(calls)
    await generate(source, '-o', output)
    const asked = models.calls.slice(calls)
    const tokens = asked.map(({ body }) =>
      body.messages.reduce((sum, { content }) => sum + Math.ceil(Buffer.byteLength(content ?? '') / 3.6) + 4, 0),
    )
    const why = 'sources changed'
    expect(dry).toMatchObject({ planning: false, prices: 'service' })
    expect(dry.pages).toEqual(
      ['index', 'reference/src'].map((path, index) => ({ path, why, inputTokens: tokens[index] })),
    )
    expect(asked.length).toBe(2)
    expect(dry.inputTokens).toBe(dry.pages.reduce((sum, { inputTokens }) => sum + inputTokens, 0))
    // Those of the default model: 3 and 15 dollars for a million.
    expect(dry.costUsd).toBeCloseTo((dry.inputTokens * 3 + dry.outputTokens * 15) / 1e6, 6)
  })
})
