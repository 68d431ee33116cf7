import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { quire } from '#test/support/command-line.ts'
import { git } from '#test/support/git-service.ts'
import { startSilentRegistry } from '#test/support/registry.ts'
import { createProject, startService, type ServiceProcess } from '#test/support/service-process.ts'
import { getSite } from '#test/support/site.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

type Texts = Readonly<Record<string, string>>

interface Workshop {
  readonly service: ServiceProcess
  readonly key: string
  /** A clone, in which `quire init` was called. */
  readonly workspace: string
  /** Runs scripts as one job, on a machine that has Node and npm and nothing of Quire. */
  run(shell: readonly string[], scripts: readonly string[], environment: Texts): Promise<{ code: number; log: string }>
}

/** A repository whose remote is known, with what `quire init` has written into it, and the service that it is for. */
async function open(remote: string, directory: string): Promise<Workshop> {
  const service = await startService(await temporaryDirectory())
  onTestFinished(() => service.stop())
  const { key } = await createProject(service.url, 'manual')
  const [workspace, registry] = [await temporaryDirectory(), (await startSilentRegistry()).url]
  await git(workspace, 'init', '--quiet', '--initial-branch=main')
  await git(workspace, 'remote', 'add', 'origin', remote)
  const begun = await quire(['init', directory, '--title', 'Kettle', '--yes'], {}, workspace)
  expect(begun).toMatchObject({ code: 0 })
  return {
    service,
    key,
    workspace,
    run: async ([shell = 'sh', ...flags], scripts, environment) => {
      const machine = await temporaryDirectory()
      const path = `${join(machine, 'npm', 'bin')}:${process.env['PATH']}`
      const own = { PATH: path, HOME: machine, npm_config_prefix: join(machine, 'npm'), npm_config_registry: registry }
      const child = spawn(shell, [...flags, scripts.join('\n')], {
        cwd: workspace,
        env: { ...own, CI: 'true', ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let log = ''
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (log += piece.toString()))
      const [code] = (await once(child, 'close')) as [number | null]
      return { code: code ?? -1, log }
    },
  }
}

const site = async ({ service }: Workshop, host: string): Promise<string> =>
  (await getSite(service.port, `${host}.localhost`, '/')).text
const change = ({ workspace }: Workshop, directory: string): Promise<void> =>
  writeFile(join(workspace, directory, 'index.mdx'), '# Proposed\n')

describe.each(['docs', "our docs, Ada's"])('what `quire init` writes for the folder %s', (directory) => {
  it('runs in GitLab as it stands: main goes live, a merge request has a preview until it ends', async () => {
    const workshop = await open('git@gitlab.com:acme/kettle.git', directory)
    interface Job {
      readonly extends?: string
      readonly variables?: Texts
      readonly before_script?: readonly string[]
      readonly script?: readonly string[]
      readonly rules?: readonly { readonly if: string; readonly changes?: readonly string[] }[]
      readonly environment?: { readonly on_stop?: string }
    }
    const jobs = parse(await readFile(join(workshop.workspace, '.gitlab-ci.yml'), 'utf8')) as Record<string, Job>
    const request = { CI_MERGE_REQUEST_IID: '12' }
    const run = (name: string, environment: Texts) => {
      const job = jobs[name]
      const base = jobs[job?.extends ?? '']
      const scripts = [...(base?.before_script ?? []), ...(job?.script ?? [])]
      // Of the project: the template names no service that only this machine reaches.
      const project = { SERVICE_API_KEY: workshop.key, QUIRE_URL: workshop.service.url }
      const variables = { ...base?.variables, ...job?.variables }
      return workshop.run(['bash', '-eo', 'pipefail', '-c'], scripts, { ...project, ...variables, ...environment })
    }
    expect(jobs['docs']?.rules).toEqual([{ if: '$CI_COMMIT_BRANCH == "main"', changes: [`${directory}/**/*`] }])
    expect(await run('docs', {})).toMatchObject({ code: 0 })
    expect(await site(workshop, 'manual')).toContain('Kettle')

    await change(workshop, directory)
    expect(await run('docs preview', request)).toMatchObject({ code: 0 })
    expect(await site(workshop, 'manual--mr-12')).toContain('Proposed')
    expect(await site(workshop, 'manual')).not.toContain('Proposed')
    // Also when the branch is merged and gone: there is nothing to check out.
    const end = jobs['docs preview']?.environment?.on_stop ?? ''
    expect(jobs[end]?.variables).toMatchObject({ GIT_STRATEGY: 'none' })
    expect(await run(end, request)).toMatchObject({ code: 0 })
    expect(await site(workshop, 'manual--mr-12')).not.toContain('Proposed')
  })
})
