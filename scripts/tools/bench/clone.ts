import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { contract } from '#contract/index.ts'
import { createProject, type ProjectAccess, type ServiceProcess } from '#test/support/service-process.ts'
import { median } from './machine.ts'
import { timed, type Timing } from './timing.ts'

const run = promisify(execFile)
const fileCount = 10_000
const commitCount = 2_000
const changedEach = 5
const slug = 'history'
const branchName = 'history'
/** It is changed by every tenth commit. */
const watched = pathOf(0)

interface CloneBench {
  readonly service: ServiceProcess
  /** The service’s data, and room for clones. */
  readonly directory: string
  readonly repeat: number
  readonly onTiming: (timing: Timing) => void
}

/** A long history is pushed, cloned as developers do it and as `git clone file://` does it, and asked for a file’s past. */
export async function benchClone({ service, directory, repeat, onTiming }: CloneBench): Promise<void> {
  const project = await createProject(service.url, slug)
  await project.client.call(contract.deploys.create, {
    body: { files: [{ path: 'index.md', content: '# History\n' }] },
  })
  const remote = `${service.url.replace('http://', `http://anybody:${project.key}@`)}/git/${slug}.git`
  const source = join(directory, 'history')
  await git('init', '--quiet', source)
  await importHistory(source)
  const size = `${fileCount.toLocaleString('en')} files and ${commitCount.toLocaleString('en')} commits`
  const push = await timed(() => git('-C', source, 'push', '--quiet', remote, `HEAD:refs/heads/${branchName}`))
  onTiming({ name: `push of ${size}`, runs: [push] })
  await clones({ remote, local: `file://${join(directory, `${slug}.git`)}`, size, directory, repeat, onTiming })
  await history(project, { repeat, onTiming })
}

interface Clones extends Omit<CloneBench, 'service'> {
  readonly remote: string
  readonly local: string
  readonly size: string
}

/** In turns, so that what else the machine does meets both. */
async function clones({ remote, local, size, directory, repeat, onTiming }: Clones): Promise<void> {
  const ours: number[] = []
  const plain: number[] = []
  const target = join(directory, 'clone')
  // The first ones are not counted: they find the files on disk, not in memory.
  for (let turn = 0; turn <= repeat; turn++) {
    for (const [url, times] of [
      [remote, ours],
      [local, plain],
    ] as const) {
      const time = await timed(() => git('clone', '--quiet', '--branch', branchName, url, target))
      if (turn > 0) times.push(time)
      await rm(target, { recursive: true })
    }
  }
  const ratio = (median(ours) / median(plain)).toFixed(2)
  onTiming({ name: `clone of ${size}`, runs: ours, note: `${ratio}x of git clone file://` })
  onTiming({ name: `git clone file:// of the same`, runs: plain })
}

async function history(
  { client }: ProjectAccess,
  { repeat, onTiming }: Pick<CloneBench, 'repeat' | 'onTiming'>,
): Promise<void> {
  const { items } = await client.call(contract.branches.list, { params: { slug }, query: { name: branchName } })
  const id = items[0]?.id ?? ''
  for (const [name, query] of [
    [`history of a file in ${commitCount.toLocaleString('en')} commits, 50 newest`, { path: watched }],
    ['history of the branch, 50 newest', {}],
  ] as const) {
    const runs: number[] = []
    for (let turn = 0; turn < repeat * 4; turn++)
      runs.push(await timed(() => client.call(contract.branches.history, { params: { slug, id }, query })))
    onTiming({ name, runs })
  }
}

function pathOf(index: number): string {
  return `part-${index % 100}/data-${index}.txt`
}

function textOf(index: number, version: number): string {
  return `Record ${index}, version ${version}.\n${`Line of ${index * 31 + version}. `.repeat(60)}\n`
}

/** https://git-scm.com/docs/git-fast-import: minutes of commits in a second. */
async function importHistory(repository: string): Promise<void> {
  const imported = run('git', ['fast-import', '--quiet'], { cwd: repository, env })
  const { stdin } = imported.child
  if (stdin === null) throw new Error('git fast-import has no input')
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`
  const file = (path: string, text: string): string => `M 100644 inline ${path}\n${data(text)}`
  for (let commit = 0; commit < commitCount; commit++) {
    let text = `commit refs/heads/main\ncommitter Bench <bench@example.com> ${1_700_000_000 + commit * 60} +0000\n`
    text += data(`Commit ${commit}`)
    if (commit === 0) {
      text += file('index.md', '# History\n')
      for (let index = 0; index < fileCount; index++) text += file(pathOf(index), textOf(index, 0))
    } else {
      if (commit % 10 === 0) text += file(watched, textOf(0, commit))
      for (let n = 0; n < changedEach; n++) {
        const index = 1 + (((commit * changedEach + n) * 7919) % (fileCount - 1))
        text += file(pathOf(index), textOf(index, commit))
      }
    }
    if (!stdin.write(text)) await new Promise((resolve) => stdin.once('drain', resolve))
  }
  stdin.end()
  await imported
  await git('-C', repository, 'symbolic-ref', 'HEAD', 'refs/heads/main')
}

const env = {
  PATH: process.env['PATH'],
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
}

async function git(...args: string[]): Promise<void> {
  await run('git', args, { env })
}
