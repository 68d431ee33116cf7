import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deploy } from '#contract/deploys.ts'
import { contract } from '#contract/index.ts'
import type { ProjectAccess } from '#test/support/service-process.ts'
import { getSite } from '#test/support/site.ts'
import { git, gitSays } from './git.ts'
import type { Ledger } from './ledger.ts'
import { linesOf, saveOf } from './texts.ts'

const previewPatience = 180_000
const lockPatience = 60_000

/** What was promised and is not there: one sentence each, by what it is about. */
export interface Findings {
  readonly lost: string[]
  readonly duplicates: string[]
  readonly locks: string[]
  readonly damage: string[]
  readonly apart: string[]
}

interface Subject {
  /** The bare repository. */
  readonly repository: string
  readonly ledger: Ledger
  readonly project: ProjectAccess
  readonly port: number
}

export const noFindings = (): Findings => ({ lost: [], duplicates: [], locks: [], damage: [], apart: [] })

const list = (text: string): string[] => text.split('\n').filter((line) => line !== '')
const commitsOf = async (repository: string, ...revisions: string[]): Promise<Set<string>> =>
  new Set(list(await git(repository, 'rev-list', ...revisions)))

/** Every commit that a writer was told of is on its branch or on main. */
export async function findLostCommits({ repository, ledger }: Subject, findings: Findings): Promise<void> {
  const main = await commitsOf(repository, 'refs/heads/main')
  const heads = list(await git(repository, 'for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads'))
  const branches = new Map<string, Set<string>>()
  for (const name of heads) branches.set(name, await commitsOf(repository, `refs/heads/${name}`, '^refs/heads/main'))
  for (const { commit, branch, by } of ledger.acknowledged)
    if (!main.has(commit) && branches.get(branch)?.has(commit) !== true)
      findings.lost.push(`commit ${commit} by ${by} is neither on ${branch} nor on main`)
}

/** When everything is published: main has every commit, every writer's last save and every line, each line once. */
export async function findLostContent({ repository, ledger }: Subject, findings: Findings): Promise<void> {
  const main = await commitsOf(repository, 'refs/heads/main')
  for (const { commit, by } of ledger.acknowledged)
    if (!main.has(commit)) findings.lost.push(`commit ${commit} by ${by} is not on main`)
  const read = async (path: string): Promise<string> =>
    (await gitSays(repository, 'soak', ['show', `main:${path}`])).out
  for (const { path, kept, tried } of ledger.ownFiles) {
    const save = saveOf(await read(path))
    if (save < kept || save > tried) findings.lost.push(`${path} is at save ${save}; ${kept} was acknowledged`)
  }
  for (const [path, kept] of ledger.lines) {
    const lines = linesOf(await read(path))
    const there = new Set(lines)
    for (const line of kept) if (!there.has(line)) findings.lost.push(`${path} lacks ${line}`)
    if (there.size < lines.length) findings.duplicates.push(`${path} has lines twice`)
  }
}

/**
 * One publish, one merge commit; and whoever was told that the branch is gone had not published it. Returns how many
 * happened, whoever was told.
 */
export async function findDuplicatePublishes({ repository, ledger }: Subject, findings: Findings): Promise<number> {
  const merges = new Map<string, string[]>()
  for (const line of list(await git(repository, 'log', '--format=%H %s', '--first-parent', 'refs/heads/main'))) {
    const [commit, message] = [line.slice(0, 40), line.slice(41)]
    merges.set(message, [...(merges.get(message) ?? []), commit])
  }
  for (const { message, state, mergeCommit } of ledger.orders) {
    const found = merges.get(message) ?? []
    if (found.length > 1) findings.duplicates.push(`${message}: ${found.length} merge commits`)
    if (state === 'live' && found[0] !== mergeCommit)
      findings.lost.push(`${message} was answered with ${mergeCommit}; main has ${found[0] ?? 'none'}`)
    if ((state === 'gone' || state === 'refused') && found.length > 0)
      findings.apart.push(`${message} was refused and yet happened`)
  }
  return ledger.orders.filter(({ message }) => merges.has(message)).length
}

/** Main, the live pointer, the refs of the deploys and what readers get are of one mind. */
export async function findDisagreement(subject: Subject, findings: Findings): Promise<void> {
  const { repository, ledger, project, port } = subject
  const main = await git(repository, 'rev-parse', 'refs/heads/main')
  const deploys = await allDeploys(project)
  const [live, ...others] = deploys.filter(({ status }) => status === 'live')
  if (others.length > 0) findings.apart.push(`${others.length + 1} deploys are live`)
  if (live?.commit !== main) findings.apart.push(`main is ${main}, live is ${live?.commit}`)
  const refs = new Map(
    list(await git(repository, 'for-each-ref', '--format=%(refname:lstrip=2) %(objectname)', 'refs/deploys')).map(
      (line) => line.split(' ') as [string, string],
    ),
  )
  if (refs.get(String(live?.number)) !== main) findings.apart.push('main is not the ref of the live deploy')
  for (const { number, status, commit } of deploys) {
    const wanted = status === 'live' || status === 'superseded' ? commit : undefined
    if (refs.get(String(number)) !== wanted)
      findings.apart.push(`refs/deploys/${number} is ${refs.get(String(number))}; the deploy is ${status} ${commit}`)
  }
  const landed = await commitsOf(repository, 'refs/heads/main')
  for (const [number, commit] of refs)
    if (!landed.has(commit)) findings.apart.push(`refs/deploys/${number} is not on main`)
  const [own] = ledger.ownFiles
  if (own === undefined) return
  const page = await getSite(port, `${project.slug}.localhost`, `/${own.path.replace(/\.md$/, '')}`)
  const save = saveOf(await git(repository, 'show', `main:${own.path}`))
  if (!page.text.includes(`Save ${save} of `)) findings.apart.push(`readers do not get save ${save} of ${own.path}`)
}

/** When nobody saves any more, every preview comes to show its branch's head. */
export async function findStuckPreviews({ project: { client, slug } }: Subject, findings: Findings): Promise<void> {
  const until = performance.now() + previewPatience
  for (;;) {
    const { items } = await client.call(contract.branches.list, { params: { slug }, query: { limit: 100 } })
    const behind = items.filter(({ head, preview }) => preview.served !== head)
    if (behind.length === 0) return
    if (performance.now() > until) {
      for (const { name, head, preview } of behind)
        findings.apart.push(`the preview of ${name} shows ${preview.served}, not ${head}: ${JSON.stringify(preview)}`)
      return
    }
    await sleep(200)
  }
}

/** Nothing is locked: a branch can be made and saved to, main published, files deployed. */
export async function findStuckLocks({ repository, project }: Subject, findings: Findings): Promise<void> {
  const { client, slug } = project
  const works = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      findings.locks.push(`${what}: ${String(error)}`)
    }
  }
  await works('a save', async () => {
    const { id } = await client.call(contract.branches.create, { params: { slug }, body: { name: 'afterwards' } })
    await client.call(contract.branches.saveFile, {
      params: { slug, id, path: 'afterwards.md' },
      body: { content: '# Afterwards\n' },
    })
    await client.call(contract.branches.publish, { params: { slug }, body: { branchId: id } })
  })
  await works('a publish of main', () => client.call(contract.branches.publish, { params: { slug }, body: {} }))
  await works('a deploy', () =>
    client.call(contract.deploys.create, { body: { files: [{ path: 'index.md', content: '# Afterwards\n' }] } }),
  )
  // A collection of garbage may hold some at this moment: those that stay are left.
  const until = performance.now() + lockPatience
  let left = await locksIn(repository)
  for (; left.length > 0 && performance.now() < until; left = await locksIn(repository)) await sleep(200)
  for (const name of left) findings.locks.push(`${name} was left`)
}

/** Names of lock files. A folder that goes while it is read has none. */
async function locksIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const found = await Promise.all(
    entries.map(async (entry) => {
      if (entry.isDirectory()) return locksIn(join(directory, entry.name))
      return entry.name.endsWith('.lock') ? [join(directory, entry.name)] : []
    }),
  )
  return found.flat()
}

/** `git fsck`. */
export async function findDamage({ repository }: Pick<Subject, 'repository'>, findings: Findings): Promise<void> {
  const { ok, text } = await gitSays(repository, 'soak', ['fsck', '--full', '--strict', '--no-dangling'])
  const lines = list(text).filter((line) => !line.startsWith('notice: '))
  findings.damage.push(...lines)
  if (!ok && lines.length === 0) findings.damage.push('git fsck failed without a word')
}

async function allDeploys({ client, slug }: ProjectAccess): Promise<Deploy[]> {
  const deploys: Deploy[] = []
  let cursor: string | undefined
  do {
    const query = { limit: 100, ...(cursor === undefined ? {} : { cursor }) }
    const page = await client.call(contract.deploys.list, { params: { slug }, query })
    deploys.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return deploys
}
