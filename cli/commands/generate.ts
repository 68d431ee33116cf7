import type { Command } from 'commander'
import type { Branch } from '../../src/contract/branches.ts'
import { exitCodes, Failure } from '../../src/contract/failure.ts'
import { prepareBranch } from '../generate/branch.ts'
import { dryRun } from '../generate/dry-run.ts'
import { emptyLock } from '../generate/lock.ts'
import { RunStopped } from '../generate/model.ts'
import { openSource } from '../generate/open-source.ts'
import { OutputFolder } from '../generate/output-folder.ts'
import { promptVersion } from '../generate/prompt.ts'
import { summaryOf, tellRun, type RunReport } from '../generate/report.ts'
import { claim } from '../generate/run-lock.ts'
import { Run } from '../generate/run.ts'
import { sendToBranch } from '../generate/send-to-branch.ts'
import { State } from '../generate/state.ts'
import type { Project } from '../generate/project.ts'
import { addExamples, addRemarks } from '../help.ts'
import { count, type Output } from '../output.ts'
import { collect, run } from '../program.ts'
import { openProject, type OpenProject } from '../service/project.ts'
import { explainRefusal } from '../service/service.ts'
import { sendFolder } from './deploy.ts'
import { keptAsIs } from '../deploying/removal.ts'

export function defineGenerate(command: Command): void {
  addRemarks(
    command,
    'Needs a key with the scope generate, or quire login. What .gitignore and .quireignore name, what looks like a secret, binaries and lock files are not sent. What is known of the pages is kept in .quire-generate.json: commit it with them.',
  )
  addExamples(command, [
    ['generate src -o docs --dry-run', 'what it would cost'],
    ['generate src -o docs', 'again: what changed'],
    ['generate src -o docs --max-cost 2', 'stop at two dollars'],
    ["generate src -o docs --only 'guides/*'"],
    ['generate src -o docs --take guides/install', 'give up your changes'],
    ['generate src -o docs --branch new-docs', 'a branch with its preview'],
  ])
    .argument('<source_dir>', 'folder with the source to document')
    .requiredOption('-o, --output <dir>', 'folder for the pages and docs.json')
    .option('--dry-run', 'show what would be read and written, and what it may cost, and stop')
    .option('--model <model>', 'ask this model instead of the service’s default')
    .option('--max-cost <usd>', 'stop before a request that could make the run cost more', Number)
    .option('--only <glob>', 'make only these pages, as guides/* (repeatable)', collect)
    .option('--take <glob>', 'replace these pages though you changed or deleted them (repeatable)', collect)
    .option('--force', 'make all pages anew; those that you changed stay')
    .option('--deploy', 'deploy the output when all pages are written')
    .option('--yes', 'with --deploy: do not ask, also where most live pages go away')
    .option('--branch <name>', 'put the output on a branch, to be read before it is published')
    .action((source: string, options: Omit<GenerateOptions, 'url'>) =>
      run((output, url) => generate(source, { ...options, url }, output), options.output),
    )
}

interface GenerateOptions {
  readonly url: string
  readonly output: string
  readonly dryRun?: boolean
  readonly model?: string
  readonly maxCost?: number
  readonly only?: readonly string[]
  readonly take?: readonly string[]
  readonly force?: boolean
  readonly deploy?: boolean
  readonly yes?: boolean
  readonly branch?: string
}

/** `quire generate <source_dir> -o <dir>`: exit code 3 when a page could not be written or the output has errors. */
async function generate(source: string, options: GenerateOptions, output: Output): Promise<number> {
  assertSensible(options)
  const folder = new OutputFolder(options.output)
  const project = await openSource(source, folder)
  const empty = emptyLock(promptVersion, options.model)
  if (options.dryRun === true)
    return dryRun({ project, state: await State.look(folder, empty), folder, options, output })
  const giveBack = await claim(folder)
  try {
    const state = await State.open(folder, empty)
    tellSource(project, output)
    return await makePages({ source, project, folder, state, options }, output)
  } finally {
    await giveBack()
  }
}

interface Opened {
  readonly source: string
  readonly project: Project
  readonly folder: OutputFolder
  readonly state: State
  readonly options: GenerateOptions
}

async function makePages({ source, project, folder, state, options }: Opened, output: Output): Promise<number> {
  let opened: Promise<OpenProject> | undefined
  const service = (): Promise<OpenProject> => (opened ??= openProject(options.url, output))
  const command = ['quire generate', quoted(source), '-o', quoted(options.output)]
  const leave = (): void => output.note('Stopped. What is written stays; the same command goes on.')
  // Before the listener that ends the process, and with it the request.
  process.prependListener('SIGINT', leave)
  const { branch } = options
  const beforeModel = async (): Promise<void> => {
    if (branch !== undefined) await prepareBranch(await service(), branch)
  }
  const made = new Run({ project, folder, state, output, service, beforeModel }, options)
  try {
    await made.go()
  } catch (error) {
    return await tellStop(made.report, await refusalOf(error, opened), output)
  } finally {
    process.off('SIGINT', leave)
  }
  const { report } = made
  if (!output.json) tellRun(report, output, (path) => [...command, '--take', path].join(' '))
  if (hasErrors(report)) return tellErrors(report, output)
  return finish(report, { folder, state, service, options }, output)
}

/** A word for a shell. */
const quoted = (word: string): string =>
  /^[\w./@+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`

function tellSource({ files, skipped }: Project, output: Output): void {
  const secrets = skipped.filter(({ reason }) => reason === 'secret')
  const others = skipped.length === 0 ? '' : `; ${skipped.length} left out, which --dry-run lists`
  output.note(output.paint('dim', `${count(files.size, 'file')} of source${others}`))
  for (const { path, line, detail } of secrets.slice(0, 10))
    output.note(`${output.paint('yellow', 'skipped')}  ${path}${line === undefined ? '' : `:${line}`}  ${detail}`)
}

function assertSensible({ maxCost, deploy, branch }: GenerateOptions): void {
  if (maxCost !== undefined && !(maxCost > 0))
    throw new Failure('invalid_request', '--max-cost takes a number of US dollars above 0, such as 2 or 0.50.')
  if (deploy === true && branch !== undefined)
    throw new Failure('invalid_request', '--deploy and --branch exclude each other.', {
      hint: 'With --branch the pages can be read first; quire publish makes the branch live.',
    })
}

async function refusalOf(error: unknown, opened: Promise<OpenProject> | undefined): Promise<unknown> {
  try {
    const project = await opened
    return project === undefined ? error : explainRefusal(error, project.credential)
  } catch {
    // There is no project to speak of: the error says why.
    return error
  }
}

/** A run that did not come to its end: what it did, and why it stopped. */
async function tellStop(report: RunReport, error: unknown, output: Output): Promise<number> {
  if (!(error instanceof RunStopped) && !(error instanceof Failure)) throw error
  const { message, hint, exitCode } = error
  const code = error instanceof Failure ? error.code : 'max_cost'
  if (output.json) {
    const errors = error instanceof Failure && error.errors.length > 0 ? { errors: error.errors } : {}
    output.result({ ...report, error: { code, message, next: hint === undefined ? [] : [hint], ...errors } }, '')
    return exitCode
  }
  if (report.pages.length > 0) output.note(summaryOf(report))
  if (error instanceof Failure) return output.fail(error)
  output.note(`${output.paint('yellow', 'stopped')}  ${message}`)
  output.note(`${output.paint('cyan', 'next')}   ${hint ?? ''}`)
  return exitCode
}

function hasErrors(report: RunReport): boolean {
  return report.pages.some(({ status }) => status === 'failed') || (report.check?.errors.length ?? 0) > 0
}

function tellErrors(report: RunReport, output: Output): number {
  const failed = report.pages.filter(({ status }) => status === 'failed')
  const errors = [...failed.flatMap((page) => page.errors ?? []), ...(report.check?.errors ?? [])]
  const names = failed.map(({ path }) => path).join(', ')
  const message =
    failed.length === 0
      ? 'The output has errors and could not be deployed.'
      : `${failed.length === 1 ? 'A page' : `${failed.length} pages`} could not be written: ${names}.`
  const failure = new Failure('invalid_content', message, {
    errors,
    hint: failed.length === 0 ? 'Mend these places.' : 'Run the same command again: it makes only what is missing.',
    extra: output.json ? { report } : {},
  })
  if (!output.json) output.note(summaryOf(report))
  return output.fail(failure)
}

interface Finished {
  readonly folder: OutputFolder
  readonly state: State
  readonly service: () => Promise<OpenProject>
  readonly options: GenerateOptions
}

async function finish(
  report: RunReport,
  { folder, state, service, options }: Finished,
  output: Output,
): Promise<number> {
  output.note(summaryOf(report))
  if (options.deploy === true) {
    const wish = { directory: folder.root, message: 'Generate the documentation', yes: options.yes }
    const deploy = await sendFolder(options.url, wish, output)
    if (deploy === undefined) return keptAsIs(output)
    output.result({ ...report, deploy }, deploy.url)
    return deploy.status === 'failed' ? exitCodes.content : exitCodes.ok
  }
  if (options.branch !== undefined) {
    const branch: Branch = await sendToBranch(
      await service(),
      { folder, state, name: options.branch, take: options.take ?? [] },
      output,
    )
    output.result({ ...report, branch }, branch.previewUrl)
    return branch.preview.status === 'failed' ? exitCodes.content : exitCodes.ok
  }
  output.result(report, folder.root)
  return exitCodes.ok
}
