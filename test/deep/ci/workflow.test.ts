import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { githubWorkflow, gitlabJobs } from '#authoring/workflows.ts'
import { startGitHub } from '#test/support/fake-github.ts'
import { startSilentRegistry } from '#test/support/registry.ts'
import { createProject, startService } from '#test/support/service-process.ts'
import { getSite } from '#test/support/site.ts'
import { temporaryDirectory, writeFiles } from '#test/support/temporary.ts'
import { filled, runSteps, valueOf, type Step } from './runner.ts'

const run = promisify(execFile)

interface Workflow {
  readonly on: { readonly push: object; readonly pull_request: object }
  readonly concurrency: string
  readonly jobs: {
    readonly docs: { readonly if: string; readonly env: Readonly<Record<string, string>>; readonly steps: Step[] }
  }
}

const workflowOf = (service = 'https://docs.example.com', directory = 'docs'): Workflow =>
  parse(githubWorkflow({ service, directory, main: 'main' })) as Workflow

/** What GitHub tells of events: a request that is merged ends on main. */
const push = { event_name: 'push', ref: 'refs/heads/main', repository: 'acme/docs', event: {} }
const pull = (action: string, number = 7) => ({
  event_name: 'pull_request',
  ref: action === 'closed' ? 'refs/heads/main' : `refs/pull/${number}/merge`,
  repository: 'acme/docs',
  token: 'ghs_secret',
  event: { action, pull_request: { number, head: { repo: { full_name: 'acme/docs' } } } },
})

it('the end of a pull request waits for its preview, and keeps no push to main from going live', () => {
  const groupOf = (github: object): string => filled(workflowOf().concurrency, { github })
  const end = groupOf(pull('closed'))
  expect(groupOf(pull('synchronize'))).toBe(end)
  expect([groupOf(push), groupOf(pull('closed', 8))]).not.toContain(end)
})

it('the key and the token are told to the commands that need them, and not to what is installed', () => {
  const { env, steps } = workflowOf().jobs.docs
  expect(Object.keys(env)).toEqual(['QUIRE_URL'])
  for (const step of steps) {
    const isSecret = JSON.stringify(step.env ?? {}).includes('secrets.')
    expect({ run: step.run, isSecret }).toEqual({ run: step.run, isSecret: step.run?.includes('quire ') === true })
  }
})

it('a pull request has a preview while it changes the docs, and none when it does no more or has ended', async () => {
  const service = await startService(await temporaryDirectory())
  onTestFinished(() => service.stop())
  const { key } = await createProject(service.url, 'manual')
  const github = await startGitHub()
  onTestFinished(() => github.close())
  const registry = await startSilentRegistry()
  const home = await temporaryDirectory()
  const workspace = join(home, 'work')
  const git = (...words: string[]) =>
    run('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...words], { cwd: workspace })
  /** Has the files on top of main, as GitHub merges a request. */
  const proposed = async (files: Record<string, string>): Promise<void> => {
    await git('switch', '-qfC', 'proposal', 'main')
    await writeFiles(workspace, files)
    await git('add', '.')
    await git('commit', '-qm', 'Propose')
    await git('switch', '-q', '--detach', 'main')
    await git('merge', '-q', '--no-ff', '--no-edit', 'proposal')
  }
  let jobs = 0
  const job = async (event: object): Promise<{ code: number; log: string }> => {
    const { docs } = workflowOf(service.url).jobs
    const contexts = { github: event, secrets: { SERVICE_API_KEY: key } }
    expect(valueOf(docs.if, contexts)).toBe(true)
    const folder = join(home, `job-${(jobs += 1)}`)
    await writeFiles(folder, { 'event.json': JSON.stringify((event as typeof push).event) })
    return runSteps(docs.steps, {
      contexts,
      folder,
      workspace,
      environment: {
        ...docs.env,
        PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
        npm_config_prefix: folder,
        npm_config_registry: registry.url,
        GITHUB_API_URL: github.url,
        GITHUB_REPOSITORY: 'acme/docs',
        GITHUB_EVENT_PATH: join(folder, 'event.json'),
      },
    })
  }
  const preview = async () => (await getSite(service.port, 'manual--pr-7.localhost', '/')).text

  await mkdir(workspace)
  await git('init', '-qb', 'main')
  await writeFiles(workspace, { 'docs/index.md': '# Live\n', 'main.c': 'int main;' })
  await git('add', '.')
  await git('commit', '-qm', 'First')
  expect(await job(push)).toMatchObject({ code: 0 })
  expect((await getSite(service.port, 'manual.localhost', '/')).text).toContain('Live')
  expect(registry.asked).toEqual([])

  await proposed({ 'main.c': 'int main();' })
  expect(await job(pull('opened'))).toMatchObject({ code: 0 })
  expect(github.comments).toEqual([])

  for (const end of [() => proposed({ 'main.c': 'void main();' }), undefined]) {
    await proposed({ 'docs/index.md': '# Proposed\n' })
    expect(await job(pull('synchronize'))).toMatchObject({ code: 0 })
    expect(await preview()).toContain('Proposed')
    await end?.()
    expect(await job(pull(end === undefined ? 'closed' : 'synchronize'))).toMatchObject({ code: 0 })
    expect(await preview()).not.toContain('Proposed')
  }
}, 60_000)

it('jobs of GitLab end a preview after it is there, and pass by requests of forks, which have no key', async () => {
  const jobs = parse(gitlabJobs({ directory: 'docs', main: 'main' })) as Record<
    string,
    { resource_group: string; script: string[]; variables?: object }
  >
  const [live, preview, end] = [jobs['docs'], jobs['docs preview'], jobs['docs preview end']]
  expect(preview?.resource_group).toBe(end?.resource_group)
  expect(live?.resource_group).not.toBe(end?.resource_group)
  expect(end?.variables).toMatchObject({ GIT_STRATEGY: 'none' })
  const cwd = await temporaryDirectory()
  for (const one of [preview, end]) {
    const script = ['quire() { exit 4; }', ...(one?.script ?? [])].join('\n')
    const { stdout } = await run('sh', ['-ec', script], { cwd, env: { PATH: process.env['PATH'] } })
    expect(stdout).toBe(
      one === preview
        ? 'No preview; SERVICE_API_KEY is not given to merge requests of forks, nor to branches that are not protected where it is\n'
        : '',
    )
  }
})

it('the folder comes to the commands as it is named, whatever is in its name', async () => {
  const directory = "our docs, Ada's $HOME"
  const { steps } = workflowOf('https://docs.example.com', directory).jobs.docs
  const scripts = steps.flatMap(({ run: script }) => (script?.includes('quire deploy') === true ? [script] : []))
  expect(scripts).toHaveLength(2)
  for (const script of scripts) {
    const env = { PATH: process.env['PATH'], ACTION: 'opened', PREVIEW: 'pr-7' }
    const stubs = 'quire() { printf "<%s>" "$@"; }; git() { printf "<%s>" "$@" >&2; return 1; }'
    const { stdout, stderr } = await run('bash', ['--norc', '-ec', `${stubs}\n${script}`], { env })
    expect(stdout).toContain(`<deploy><${directory}>`)
    expect(['', `<diff><--quiet><HEAD^><--><${directory}><.github/workflows/docs.yml>`]).toContain(stderr)
  }
})
