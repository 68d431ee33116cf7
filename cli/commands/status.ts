import type { Command } from 'commander'
import type { Client } from '../../src/client/client.ts'
import type { Branch } from '../../src/contract/branches.ts'
import type { Deploy } from '../../src/contract/deploys.ts'
import { exitCodes, Failure } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import type { Project } from '../../src/contract/projects.ts'
import type { ProjectUsage } from '../../src/contract/usage.ts'
import { count, type Output } from '../output.ts'
import { run } from '../program.ts'
import { firstItems, openProject } from '../service/project.ts'
import { explainRefusal, openService } from '../service/service.ts'
import { planText, usageRows } from '../usage-words.ts'
import { prefixOf } from './account.ts'
import { changesOf } from './branches.ts'

export function defineStatus(command: Command): void {
  command.action(() => run((output, url) => status({ url }, output)))
}

/** What there is to tell of a project; absent is what the credential may not see. */
interface ProjectStatus {
  readonly project: Project
  readonly branches?: readonly Branch[]
  readonly usage?: ProjectUsage
}

/** `quire status`: one round of requests, where the project is named. */
async function status({ url }: { readonly url: string }, output: Output): Promise<number> {
  const { client, credential } = await openService(url, output)
  try {
    const [service, account, found] = await Promise.all([
      client.call(contract.service.read),
      credential.kind === 'key' ? undefined : client.call(contract.accounts.me).then((me) => me.account),
      projectStatus(url, client, output),
    ])
    const who = account === undefined ? { key: prefixOf(credential.token) } : { account }
    const shown = account === undefined ? `key ${prefixOf(credential.token)}… from SERVICE_API_KEY` : account.email
    output.result(
      { url, version: service.version, ...who, ...found },
      [`service   ${url} (${service.version})`, `account   ${shown}`, ...projectLines(found, output)].join('\n'),
    )
    return exitCodes.ok
  } catch (error) {
    throw explainRefusal(error, credential)
  }
}

/** Undefined: the account has none yet. */
async function projectStatus(url: string, client: Client, output: Output): Promise<ProjectStatus | undefined> {
  const opened = openProject(url, output)
  // Where it is named, nothing waits for the project itself.
  const named = output.environment.project
  const slug = named === undefined ? opened.then((project) => project.slug) : Promise.resolve(named)
  const params = slug.then((value) => ({ slug: value }))
  try {
    const [{ project }, branches, usage] = await Promise.all([
      opened,
      params
        .then((of) => firstItems((query) => client.call(contract.branches.list, { params: of, query })))
        .catch(unseen),
      params.then((of) => client.call(contract.usage.read, { params: of })).catch(unseen),
    ])
    return { project, ...(branches && { branches }), ...(usage && { usage }) }
  } catch (error) {
    // What is wrong with the project itself says more than what became of questions about it.
    await opened.catch((reason: unknown) => {
      if (!(reason instanceof Failure && reason.code === 'not_found' && named === undefined)) throw reason
    })
    if (named === undefined) return undefined
    throw error
  }
}

/** A key may be one for deploys alone. */
function unseen(error: unknown): undefined {
  if (!(error instanceof Failure) || error.code !== 'forbidden') throw error
}

function projectLines(found: ProjectStatus | undefined, output: Output): string[] {
  if (found === undefined) return ['project   none yet: quire projects create <slug> makes one']
  const { project, branches, usage } = found
  const { live, latest } = project
  const failed = latest !== undefined && latest.status === 'failed' ? [`failed    ${deployText(latest)}`] : []
  return [
    `project   ${project.slug}${project.role === 'writer' ? ' (writer)' : ''}  ${project.url}`,
    `live      ${live === undefined ? 'nothing yet' : deployText(live)}`,
    ...failed.map((line) => output.paint('red', line)),
    ...(branches === undefined ? [] : branchLines(branches, output)),
    ...(usage === undefined ? [] : usageLines(usage)),
  ]
}

function deployText({ number, pages, message, finishedAt, createdAt }: Deploy): string {
  const when = (finishedAt ?? createdAt).slice(0, 16).replace('T', ' ')
  const about = message === undefined ? '' : `, ${message.split('\n')[0] ?? ''}`
  return `deploy ${number}, ${count(pages.total, 'page')}, ${when} UTC${about}`
}

function branchLines(branches: readonly Branch[], output: Output): string[] {
  if (branches.length === 0) return ['branches  none']
  const width = Math.max(...branches.map(({ name }) => name.length))
  return branches.map((branch, index) => {
    const broken = branch.preview.status === 'failed' ? `  ${output.paint('red', 'does not build')}` : ''
    return `${index === 0 ? 'branches' : '        '}  ${branch.name.padEnd(width)}  ${changesOf(branch, output)}${broken}`
  })
}

function usageLines(usage: ProjectUsage): string[] {
  const rows = usageRows(usage, new Date()).map(({ title, counts }) => `          ${title}: ${counts}`)
  return [`plan      ${planText(usage)}`, ...rows]
}
