import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '../../src/contract/index.ts'
import { dist, root } from '../../src/lib/paths.ts'
import { quire as run, type Finished } from '../support/command-line.ts'
import { startModelServer, type ModelCall, type ModelReply, type ModelServer } from '../support/model-server.ts'
import {
  createProject,
  startService,
  unlimited,
  type ProjectAccess,
  type ServiceProcess,
} from '../support/service-process.ts'
import { removeDirectory, temporaryDirectory, writeFiles } from '../support/temporary.ts'
import { writerModel, type Mistake } from '../support/writer-model.ts'

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
  let service: ServiceProcess
  let project: ProjectAccess
  let models: ModelServer
  let mistakes: (path: string) => Mistake | undefined = () => undefined
  let script: ((call: ModelCall, index: number) => ModelReply | Promise<ModelReply>) | undefined

  const environment = (): Record<string, string> => ({ SERVICE_API_KEY: project.key, QUIRE_URL: service.url })
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
    service = await startService(join(directory, 'data'), { ...unlimited, ...models.settings, GENERATION_TOKENS: '10000000' })
    project = await createProject(service.url, 'docs')
  })
  afterAll(async () => {
    await service.stop()
    await models.close()
    await removeDirectory(directory)
  })

  it('documents this repository: deploys without errors and dead links, and a second run asks nothing', async () => {
    const output = await temporaryDirectory()
    const mended: Mistake[] = ['mdx', 'link', 'note', 'bare', 'length']
    let next = 0
    mistakes = () => mended[next++ % 9]
    const first = await reported(join(root, 'src'), '-o', output, '--deploy')
    expect(first.error).toBeUndefined()
    expect(first.code).toBe(0)
    console.log(JSON.stringify({ pages: first.pages.length, usage: first.usage, w: first.deploy?.warnings, warnings: first.pages.flatMap((p) => p.warnings ?? []) }))
    const calls = models.calls.length
    const second = await reported(join(root, 'src'), '-o', output)
    expect(models.calls.length).toBe(calls)
    expect(second.code).toBe(0)
  })
})
