import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { root } from '#lib/paths.ts'
import { startSilentRegistry } from '#test/support/registry.ts'
import { createProject, startService } from '#test/support/service-process.ts'
import { getSite } from '#test/support/site.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

interface Job {
  readonly resource_group?: string
  readonly variables?: Readonly<Record<string, string>>
  readonly before_script?: readonly string[]
  readonly script?: readonly string[]
}

/** The jobs of the template, with inputs as GitLab fills them in. */
async function jobsWith(inputs: Readonly<Record<string, string>>): Promise<Readonly<Record<string, Job>>> {
  const documents = parseAllDocuments(await readFile(join(root, 'docs/ci/gitlab.yml'), 'utf8'))
  const [header, jobs] = documents.map((document): unknown => document.toJS())
  const { spec } = header as { readonly spec: { readonly inputs: Record<string, { readonly default?: string }> } }
  const text = JSON.stringify(jobs)
  return JSON.parse(
    text.replaceAll(/\$\[\[ inputs\.(\w+) \]\]/g, (_all, name: string) => {
      const value = inputs[name] ?? spec.inputs[name]?.default
      if (value === undefined) throw new Error(`the template has no input ${name}, or needs it`)
      return JSON.stringify(value).slice(1, -1)
    }),
  ) as Record<string, Job>
}

async function open() {
  const service = await startService(await temporaryDirectory())
  onTestFinished(() => service.stop())
  const { key, client } = await createProject(service.url, 'manual')
  const workspace = await temporaryDirectory()
  await mkdir(join(workspace, 'docs'))
  await writeFile(join(workspace, 'docs', 'index.md'), '# From GitLab')
  const registry = await startSilentRegistry()
  const run = async (
    name: string,
    inputs: Record<string, string>,
    environment: Record<string, string>,
    hasKey = true,
  ) => {
    const jobs = await jobsWith({ url: service.url, directory: 'docs', ...inputs })
    const [base, job] = [jobs['.quire'], jobs[name]]
    const script = [...(base?.before_script ?? []), ...(job?.script ?? [])].join('\n')
    const predefined = { CI: 'true', CI_PROJECT_DIR: workspace, CI_COMMIT_TITLE: 'A title', ...environment }
    const variables = Object.entries({ ...base?.variables, ...job?.variables }).map(([variable, text]) => [
      variable,
      text.replaceAll(/\$(CI_\w+)/g, (_all, one: string) => predefined[one as keyof typeof predefined] ?? ''),
    ])
    const child = spawn('sh', ['-ec', script], {
      cwd: workspace,
      env: {
        PATH: process.env['PATH'],
        HOME: workspace,
        ...(hasKey ? { SERVICE_API_KEY: key } : {}),
        npm_config_registry: registry.url,
        ...predefined,
        ...(Object.fromEntries(variables) as Record<string, string>),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let log = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (log += piece.toString()))
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, log }
  }
  return { service, workspace, client, registry, run }
}

it('a pipeline of the default branch goes live, and its environment has the address', async () => {
  const { service, workspace, registry, run } = await open()
  expect(await run('quire', {}, {})).toMatchObject({ code: 0 })
  expect(registry.asked).toEqual([])
  expect(await readFile(join(workspace, 'quire.env'), 'utf8')).toBe(
    `QUIRE_SITE=http://manual.localhost:${service.port}\n`,
  )
  expect((await getSite(service.port, 'manual.localhost', '/')).text).toContain('From GitLab')
})

it('a merge request has an environment with its preview, which goes with it', async () => {
  const { service, workspace, run } = await open()
  const request = { CI_MERGE_REQUEST_IID: '12' }
  await run('quire', {}, {})
  await writeFile(join(workspace, 'docs', 'index.md'), '# Proposed')
  expect(await run('quire-preview', {}, request)).toMatchObject({ code: 0 })
  const host = 'manual--mr-12.localhost'
  expect(await readFile(join(workspace, 'quire.env'), 'utf8')).toBe(`QUIRE_SITE=http://${host}:${service.port}\n`)
  expect((await getSite(service.port, host, '/')).text).toContain('Proposed')
  expect((await getSite(service.port, 'manual.localhost', '/')).text).toContain('From GitLab')
  expect(await run('quire-preview-close', {}, request)).toMatchObject({ code: 0 })
  expect((await getSite(service.port, host, '/')).text).not.toContain('Proposed')
})

it('a merge request of a fork, which is given no key, is passed by; a default branch without one is not', async () => {
  const { run } = await open()
  const request = { CI_MERGE_REQUEST_IID: '12' }
  expect(await run('quire-preview', {}, request, false)).toMatchObject({
    code: 0,
    log: expect.stringContaining('SERVICE_API_KEY is not given to merge requests of forks') as string,
  })
  expect(await run('quire-preview-close', {}, request, false)).toMatchObject({ code: 0 })
  expect(await run('quire', {}, {}, false)).toMatchObject({ code: 4 })
})

it('the end of a merge request waits for its preview, and no deploy waits for either', async () => {
  const jobs = await jobsWith({ url: 'https://docs.example.com' })
  const groupOf = (name: string): string | undefined => jobs[name]?.resource_group
  expect(groupOf('quire-preview')).toMatch(/\$CI_MERGE_REQUEST_IID$/)
  expect(groupOf('quire-preview-close')).toBe(groupOf('quire-preview'))
  expect(groupOf('quire')).not.toBe(groupOf('quire-preview'))
})

it('what inputs and titles say is never run', async () => {
  const { workspace, run } = await open()
  const evil = `$(touch ${workspace}/trap)"; touch ${workspace}/trap; \``
  await run('quire', { directory: evil }, { CI_COMMIT_TITLE: evil })
  await expect(readFile(join(workspace, 'trap'))).rejects.toThrow(/ENOENT/)
})
