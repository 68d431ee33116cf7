import { inDepth, isDeep } from '#test/support/depth.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { dist, root } from '#lib/paths.ts'
import { quire as run, type Finished } from '#test/support/command-line.ts'
import { startModelServer, type ModelCall, type ModelReply, type ModelServer } from '#test/support/model-server.ts'
import { createProject, unlimited, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { removeDirectory, temporaryDirectory, writeFiles } from '#test/support/temporary.ts'
import { writerModel, type Mistake } from '#test/support/writer-model.ts'

interface Report {
  readonly pages: readonly { path: string; status: string; diff?: string; warnings?: string[] }[]
  readonly planned: boolean
  readonly check?: { errors: unknown[]; warnings: { message: string }[] }
  readonly usage: { requests: number; costUsd?: number }
  readonly deploy?: { status: string; warnings: { message: string }[]; errors: unknown[] }
  readonly error?: { code: string; message: string; next: string[] }
}

describe('pages from source', () => {
  let directory: string
  let service: TestService
  let project: ProjectAccess
  let models: ModelServer
  let mistakes: (path: string) => Mistake | undefined = () => undefined
  let script: ((call: ModelCall, index: number) => ModelReply | Promise<ModelReply>) | undefined

  // All of them deploy to one project, each its own pages in the place of those of the one before.
  const environment = (): Record<string, string> => ({
    SERVICE_API_KEY: project.key,
    QUIRE_URL: service.url,
    QUIRE_ALLOW_REMOVAL: '1',
  })
  const generate = (...words: string[]): Promise<Finished> => run(['generate', ...words], environment(), directory)
  const reported = async (...words: string[]): Promise<Report & { code: number | null }> => {
    const finished = await run(['--json', 'generate', ...words], environment(), directory)
    if (finished.stdout === '') throw new Error(finished.stderr)
    return { ...(JSON.parse(finished.stdout) as Report), code: finished.code }
  }
  const prompts = (from: number): string =>
    models.calls
      .slice(from)
      .flatMap(({ body }) => body.messages.map(({ content }) => content ?? ''))
      .join('\n')

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'quire-generate-'))
    models = await startModelServer((call, index) => (script ?? writerModel((path) => mistakes(path)))(call, index))
    service = await startTestService({
      ...unlimited,
      ...models.settings,
      GENERATION_TOKENS: '10000000',
    })
    project = await createProject(service.url, 'docs')
  })
  afterAll(async () => {
    await service.close()
    await models.close()
    await removeDirectory(directory)
  })

  /** A small package, in several languages. */
  async function sourceFolder(): Promise<string> {
    const source = await temporaryDirectory()
    await writeFiles(source, {
      'package.json': '{"name": "kettle"}',
      'README.md': '# Kettle\n\nBoils water.\n',
      'src/kettle.ts': '/** Boils water. */\nexport function boil(litres: number): void {\n  heat(litres)\n}\n',
      'src/cup.ts': '/** A cup. */\nexport class Cup {\n  /** Fills it. */\n  fill(): void {}\n}\n',
      'tools/steep.py': 'def steep(minutes):\n    """Waits."""\n    return minutes\n',
      'pour/pour.go': 'package pour\n\n// Pour pours.\nfunc Pour(ml int) int { return ml }\n',
    })
    return source
  }
  const text = (output: string, path: string): Promise<string> => readFile(join(output, path), 'utf8')
  const statuses = ({ pages }: Report): Record<string, string> =>
    Object.fromEntries(pages.map(({ path, status }) => [path, status]))
  const pageOf = ({ body }: ModelCall): string =>
    /"page":\{"path":"([^"]+)"/.exec(body.messages.map(({ content }) => content ?? '').join('\n'))?.[1] ?? 'plan'

  afterEach(() => {
    mistakes = () => undefined
    script = undefined
  })

  /** Every section of every page has a comment, and every comment names lines that there are. */
  async function expectNotes(source: string, output: string): Promise<void> {
    const lock = JSON.parse(await text(output, '.quire-generate.json')) as { pages: Record<string, unknown> }
    for (const path of Object.keys(lock.pages)) {
      const page = await text(output, `${path}.mdx`)
      for (const section of page.split(/^## /m).slice(1)) expect(section, path).toContain('{/* source: ')
      for (const [, file = '', to = '0'] of page.matchAll(/\{\/\* source: (\S+):\d+-(\d+) \*\/\}/g)) {
        const lines = (await text(source, file)).split('\n').length
        expect(lines, `${path}: ${file}`).toBeGreaterThanOrEqual(Number(to))
      }
    }
  }

  inDepth(
    'documents this repository: deploys without errors and dead links, and a second run asks nothing',
    async () => {
      const output = await temporaryDirectory()
      const made: Mistake[] = ['mdx', 'link', 'note', 'bare', 'length']
      let next = 0
      mistakes = () => made[next++ % 9]
      const first = await reported(join(root, 'src'), '-o', output, '--deploy')
      expect(first.error).toBeUndefined()
      expect(first.code).toBe(0)
      expect(first.pages.length).toBeGreaterThan(40)
      expect(new Set(first.pages.map(({ status }) => status))).toEqual(new Set(['written']))
      expect(first.deploy).toMatchObject({ status: 'live', errors: [], warnings: [] })
      await expectNotes(join(root, 'src'), output)

      const calls = models.calls.length
      const second = await reported(join(root, 'src'), '-o', output)
      expect(second.code).toBe(0)
      expect(models.calls.length).toBe(calls)
      expect(new Set(second.pages.map(({ status }) => status))).toEqual(new Set(['current']))
      // Sixty pages, each built by the service before it is written.
    },
    240_000,
  )

  inDepth.each(['typebox', 'commander', 'entities'])(
    'documents the package %s, which is in another shape',
    async (name) => {
      const output = await temporaryDirectory()
      const source = join(root, 'node_modules', name)
      const first = await reported(source, '-o', output, '--deploy')
      expect(first.error).toBeUndefined()
      expect(first).toMatchObject({ code: 0, planned: true, deploy: { status: 'live', errors: [], warnings: [] } })
      const calls = models.calls.length
      expect(await reported(source, '-o', output)).toMatchObject({ code: 0, planned: false, usage: { requests: 0 } })
      expect(models.calls.length).toBe(calls)
      // The first has hundreds of files.
    },
    120_000,
  )

  it('writes only the pages whose sources changed, and plans anew when a file appears', async () => {
    const [source, output] = [await sourceFolder(), await temporaryDirectory()]
    expect((await reported(source, '-o', output)).code).toBe(0)
    await writeFiles(source, { 'src/cup.ts': 'export class Cup {\n  empty(): void {}\n}\n' })
    const changed = await reported(source, '-o', output)
    expect(changed).toMatchObject({ planned: false, usage: { requests: 1 } })
    expect(statuses(changed)).toMatchObject({ 'reference/src': 'written', 'reference/tools': 'current' })
    expect(await text(output, 'reference/src.mdx')).toContain('empty')

    await writeFiles(source, { 'lid/lid.rs': '/// Closes it.\npub fn close() {}\n' })
    await rm(join(source, 'pour'), { recursive: true })
    const grown = await reported(source, '-o', output)
    expect(statuses(grown)).toMatchObject({
      'reference/src': 'current',
      'reference/lid': 'written',
      'reference/pour': 'removed',
    })
    const docs = await text(output, 'docs.json')
    expect(docs).toContain('"reference/lid"')
    expect(docs).not.toContain('reference/pour')
    await expect(text(output, 'reference/pour.mdx')).rejects.toThrow('ENOENT')
  })

  inDepth('repeats no finished page when it was killed midway', async () => {
    const [source, output] = [await sourceFolder(), await temporaryDirectory()]
    const writer = writerModel()
    const asked: string[] = []
    script = (call) => {
      asked.push(pageOf(call))
      return { ...writer(call), ...(asked.length === 4 ? { delayMs: 60_000 } : {}) }
    }
    const child = spawn(process.execPath, [join(dist, 'quire.js'), 'generate', source, '-o', output], {
      env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...environment() },
      stdio: 'ignore',
    })
    await expect.poll(() => asked.length).toBe(4)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await expect.poll(() => models.calls.at(-1)?.aborted).toBe(true)
    const finished = new Set(asked.slice(1, 3))
    expect(finished.size).toBe(2)
    const { generation } = JSON.parse(await text(output, '.quire-generate.json')) as { generation: string }
    expect(generation).toMatch(/^[\w-]{36}$/)
    asked.length = 0
    const again = await reported(source, '-o', output)
    expect(again).toMatchObject({ code: 0, planned: false })
    expect(asked.length).toBe(again.pages.length - finished.size)
    expect(asked.filter((path) => finished.has(path))).toEqual([])
    expect(new Set(again.pages.map(({ status }) => status))).toEqual(new Set(['current', 'written']))
    expect(await text(output, '.quire-generate.json')).not.toContain(generation)
  })

  it('keeps a page that somebody edited, shows the new text as a diff, and replaces it when it is told to', async () => {
    const [source, output] = [await sourceFolder(), await temporaryDirectory()]
    await reported(source, '-o', output)
    const mine = (await text(output, 'reference/src.mdx')).replace('## ', 'My own words.\n\n## ')
    await writeFile(join(output, 'reference/src.mdx'), mine)
    if (isDeep) {
      await rm(join(output, 'reference/tools.mdx'))
      const calm = await reported(source, '-o', output)
      expect(statuses(calm)).toMatchObject({ 'reference/src': 'kept', 'reference/tools': 'deleted' })
      expect(calm.usage.requests).toBe(0)
    }

    await writeFiles(source, { 'src/cup.ts': 'export class Mug {}\n' })
    const offered = await reported(source, '-o', output)
    expect(offered.usage.requests).toBe(1)
    expect(await text(output, 'reference/src.mdx')).toBe(mine)
    expect(offered.pages.find(({ path }) => path === 'reference/src')?.diff).toMatch(/^-My own words\.$[^]*^\+.*Mug/m)
    if (isDeep) {
      const shown = await generate(source, '-o', output)
      expect(shown.stderr).toContain(`next  quire generate ${source} -o ${output} --take reference/src`)
    }

    const calls = models.calls.length
    const taken = await reported(source, '-o', output, '--take', 'reference/src')
    expect(statuses(taken)['reference/src']).toBe('written')
    expect(models.calls.length).toBe(calls)
    expect(await text(output, 'reference/src.mdx')).toContain('Mug')
  })

  inDepth('sends no secret to anybody, and says what it left out', async () => {
    const [source, output] = [await sourceFolder(), await temporaryDirectory()]
    const secret = ['AKIA', 'Q7RT2WXYZ4KLMNP7'].join('')
    await writeFiles(source, {
      'src/cloud.ts': `export const key = '${secret}'\n`,
      '.env': `TOKEN=${secret}\n`,
      'src/ignored.ts': "export const other = 'hush-hush'\n",
      '.gitignore': 'src/ignored.ts\n',
    })
    const from = models.calls.length
    const dry = await generate(source, '-o', output, '--dry-run')
    expect(dry.stdout).toMatch(/skipped {2}src\/cloud\.ts:1 {2}holds an? /)
    expect(models.calls.length).toBe(from)
    expect(await reported(source, '-o', output)).toMatchObject({ code: 0 })
    expect(prompts(from)).toContain('export function boil')
    expect(prompts(from)).not.toContain(secret)
    expect(prompts(from)).not.toContain('hush-hush')
  })

  inDepth(
    'goes on without a page that does not compile, names it with the builder’s words, and unlinks it',
    async () => {
      const [source, output] = [await sourceFolder(), await temporaryDirectory()]
      const writer = writerModel()
      script = (call) => (pageOf(call) === 'reference/src' ? { chunks: ['<Note>\n\nnever closed'] } : writer(call))
      const finished = await generate(source, '-o', output)
      expect(finished.code).toBe(3)
      expect(finished.stderr).toMatch(/A page could not be written: reference\/src\.\n[^]*reference\/src\.mdx:\d+/)
      await expect(text(output, 'reference/src.mdx')).rejects.toThrow('ENOENT')
      expect(await text(output, 'index.mdx')).not.toContain('](/reference/src)')
      if (!isDeep) return
      script = undefined
      const again = await reported(source, '-o', output, '--deploy')
      expect(again).toMatchObject({
        code: 0,
        usage: { requests: 1 },
        deploy: { status: 'live', errors: [], warnings: [] },
      })
    },
  )

  inDepth('stops before it costs too much, and goes on later', async () => {
    const [source, output] = [await sourceFolder(), await temporaryDirectory()]
    const writer = writerModel()
    script = (call) => ({ ...writer(call), usage: { prompt_tokens: 100, completion_tokens: 100, cost: 0.02 } })
    const stopped = await reported(source, '-o', output, '--max-cost', '0.08')
    expect(stopped.error).toMatchObject({ code: 'max_cost' })
    expect(stopped.code).toBe(1)
    expect(stopped.usage.costUsd).toBeCloseTo(0.06)
    expect(statuses(stopped)).toMatchObject({ index: 'written', 'reference/tools': 'waiting' })
    const rest = await reported(source, '-o', output)
    expect(rest).toMatchObject({ code: 0, planned: false })
    expect(statuses(rest)).toMatchObject({ index: 'current', 'reference/tools': 'written' })
  })

  inDepth('puts the pages on a branch with a preview, and takes pages away there that are gone', async () => {
    const [source, output] = [await sourceFolder(), await temporaryDirectory()]
    const first = await generate(source, '-o', output, '--branch', 'written')
    expect(first.stdout).toBe(`http://docs--written.localhost:${service.port}\n`)
    await rm(join(source, 'pour'), { recursive: true })
    expect((await generate(source, '-o', output, '--branch', 'written')).code).toBe(0)
    const { items } = await project.client.call(contract.branches.list, {
      params: { slug: 'docs' },
      query: { name: 'written' },
    })
    const params = { slug: 'docs', id: items[0]?.id ?? '' }
    const files = await project.client.call(contract.branches.files, { params })
    const paths = files.items.filter(({ status }) => status !== 'deleted').map(({ path }) => path)
    expect(paths).toEqual(expect.arrayContaining(['docs.json', 'index.mdx', 'reference/src.mdx']))
    expect(paths).not.toContain('reference/pour.mdx')
    expect(paths.filter((path) => path.includes('.quire-generate'))).toEqual([])
  })

  inDepth('writes nothing through a symbolic link out of the output folder', async () => {
    const [source, output, outside] = [await sourceFolder(), await temporaryDirectory(), await temporaryDirectory()]
    await symlink(outside, join(output, 'reference'))
    const finished = await generate(source, '-o', output)
    expect(finished.stderr).toContain('symbolic link')
    expect(await readdir(outside)).toEqual([])
  })
})
