import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { Option, type Command } from 'commander'
import {
  githubPath,
  githubWorkflow,
  gitlabJobs,
  keyScopes,
  keySecret,
  type WorkflowWish,
} from '../../src/authoring/workflows.ts'
import { isLoopback } from '../../src/client/client.ts'
import { exitCodes } from '../../src/contract/failure.ts'
import { addExamples, addRemarks } from '../help.ts'
import { starterFiles, writeNew, type NewFile } from '../init/files.ts'
import { findRepository, pathInRepository, titleOf, type Repository } from '../init/repository.ts'
import type { Output } from '../output.ts'
import { run } from '../program.ts'
import { findCredential } from '../service/service.ts'
import { ask } from '../terminal.ts'

type Host = 'github' | 'gitlab' | 'none'

interface InitOptions {
  readonly title?: string
  readonly ci?: Host
  readonly yes?: boolean
}

export function defineInit(command: Command): void {
  addRemarks(
    command,
    'Nothing is overwritten: what is there stays, and a folder that has pages gets no others. Without a directory it is this one where it is empty or has a docs.json, else docs.',
  )
  addExamples(command, [
    ['init', 'asks what it has to know'],
    ['init docs --title Kettle --ci github', 'asks nothing'],
  ])
    .argument('[dir]', 'folder of the docs')
    .option('--title <text>', 'name of the site (default: that of the repository)')
    .addOption(
      new Option('--ci <host>', 'a workflow that deploys (default: for the host of the remote)').choices([
        'github',
        'gitlab',
        'none',
      ]),
    )
    .option('--yes', 'do not ask')
    .action((directory: string | undefined, options: InitOptions) =>
      run((output, url) => init(directory, { ...options, url }, output)),
    )
}

/** `quire init [dir]`. */
async function init(
  named: string | undefined,
  options: InitOptions & { readonly url: string },
  output: Output,
): Promise<number> {
  const repository = await findRepository()
  const asks = output.environment.interactive && !output.json && options.yes !== true
  const directory = named ?? (await answer(asks, 'Folder of the docs', await usualFolder()))
  const title = options.title ?? (await answer(asks, 'Name of the site', titleOf(repository)))
  const ci = options.ci ?? (await chosenHost(asks, repository))

  const created: string[] = []
  const kept: string[] = []
  const write = async (file: NewFile): Promise<void> => {
    const isNew = await writeNew(file)
    ;(isNew ? created : kept).push(file.path)
    output.note(`${isNew ? output.paint('green', 'created') : output.paint('dim', 'kept   ')}  ${file.path}`)
  }
  for (const file of await starterFiles(directory, title)) await write(file)
  const service = serviceOf(options.url, output)
  const wish = { directory: await pathInRepository(repository, directory), main: repository.main, ...service }
  const workflow = ci === 'none' ? undefined : workflowFile(ci, repository, wish)
  if (workflow !== undefined) await write(workflow)
  const next = [
    ...(await firstSteps(directory, options.url, output)),
    ...(workflow === undefined ? [] : workflowSteps(ci, { workflow, isKept: kept.includes(workflow.path) }, service)),
  ]
  output.result({ directory, title, created, kept, next }, next.map((step) => `next  ${step}`).join('\n'))
  return exitCodes.ok
}

/** What somebody at the terminal says; Enter takes what is proposed. */
async function answer(asks: boolean, question: string, proposal: string): Promise<string> {
  return asks ? (await ask(`${question} (${proposal}): `)) || proposal : proposal
}

async function usualFolder(): Promise<string> {
  const names = await readdir('.')
  return names.includes('docs.json') || names.every((name) => name.startsWith('.')) ? '.' : 'docs'
}

const hostNames = { github: 'GitHub Actions', gitlab: 'GitLab CI' } as const

/** The host of the remote, where the person wants that. */
async function chosenHost(asks: boolean, { host }: Repository): Promise<Host> {
  if (host === undefined) return 'none'
  if (!asks) return host
  const wanted = await ask(`Deploy from ${hostNames[host]}? (yes/no) `)
  return /^y(?:es)?$/i.test(wanted) ? host : 'none'
}

/** CI reaches no service of this machine: there a variable tells which one. */
function serviceOf(url: string, output: Output): Pick<WorkflowWish, 'service'> {
  return output.environment.urlBy?.kind === 'default' || isLoopback(url) ? {} : { service: url }
}

function workflowFile(host: 'github' | 'gitlab', { root }: Repository, wish: WorkflowWish): NewFile {
  const path = host === 'github' ? githubPath : '.gitlab-ci.yml'
  const content = host === 'github' ? githubWorkflow(wish) : gitlabJobs(wish)
  return { path: relative('.', join(root, path)), content }
}

async function firstSteps(directory: string, url: string, output: Output): Promise<string[]> {
  const isSignedIn = (await findCredential(url, output)) !== undefined
  const login =
    output.environment.urlBy?.kind === 'default' ? 'quire login --url <service>' : `quire login --url ${url}`
  return [
    ...(isSignedIn ? [] : [login]),
    'quire projects create <slug>, if there is none yet',
    `quire deploy${directory === '.' ? '' : ` ${directory}`}`,
  ]
}

function workflowSteps(
  host: Host,
  { workflow, isKept }: { readonly workflow: NewFile; readonly isKept: boolean },
  { service }: Pick<WorkflowWish, 'service'>,
): string[] {
  const key = `quire keys create ci --scopes ${keyScopes.join(',')}`
  const ours = isKept ? [`${workflow.path} was there: look whether it deploys the docs`] : []
  const values =
    service === undefined ? [`set the variable QUIRE_URL of the repository: the address of the service`] : []
  return host === 'github'
    ? [...ours, ...values, `${key} | gh secret set ${keySecret}`]
    : [...ours, ...values, `${key}: keep it as the masked variable ${keySecret} of the project`]
}
