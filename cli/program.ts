import { Command } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { exitCodes } from '../src/contract/failure.ts'
import { readEnvironment, type EnvironmentOptions } from './environment.ts'
import { Output } from './output.ts'
import { findTarget } from './target.ts'

interface GlobalOptions extends EnvironmentOptions {
  readonly json?: boolean
}

export const program = new Command('quire')
  .description('Deploy documentation from a folder of Markdown and MDX to a live site.')
  .version(manifest.version, '-V, --version', 'print the version')
  .option('--url <url>', 'base URL of the service (QUIRE_URL)')
  .option('--project <slug>', 'which project, where your account has several (QUIRE_PROJECT)')
  .option('--json', 'print one JSON document on standard output')
  .option('--no-color', 'plain text')
  .option('--no-input', 'never ask')
  .showSuggestionAfterError()
  .showHelpAfterError('Run quire --help to see all commands.')
  .exitOverride()
  .addHelpText(
    'before',
    `Examples
  $ quire login                  sign in with a browser, here or on another machine
  $ quire deploy                 deploy this folder
  $ quire deploy docs --dry-run  show what would be sent
  $ quire rollback               serve the version before again
  $ quire branch create new-api  a copy of main to work on
  $ quire preview new-api        where the branch can be seen
  $ quire publish new-api        merge it into main and make it live
  $ quire generate src -o docs   write pages from source code
`,
  )
  .addHelpText(
    'after',
    `
Environment
  SERVICE_API_KEY  API key of a project; without one, the session of quire login is used
  QUIRE_PROJECT    slug of the project, where a session has several
  QUIRE_URL        base URL of the service; without it that of .quire.json, of the clone, of the last login

Exit codes
  0 ok, 1 failed, 2 usage, 3 errors in the content, 4 key or sign-in, 5 conflict, 75 try again later, 130 interrupted`,
  )

/** What Ctrl-C breaks off in the place of the process. */
let breakOff: (() => void) | undefined

/** What Ctrl-C does. */
export function interrupt(): void {
  if (breakOff === undefined) process.exit(exitCodes.interrupted)
  breakOff()
}

/** Does work that Ctrl-C breaks off, and the process goes on; a second Ctrl-C ends that. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interruption = new AbortController()
  breakOff = () => {
    breakOff = undefined
    interruption.abort()
  }
  try {
    return await work(interruption.signal)
  } finally {
    breakOff = undefined
  }
}

/** For an option that may be given several times. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value]
}

/** Runs the body of a command that asks no service; whatever it throws becomes a message and an exit code. */
export async function runHere(work: (output: Output) => Promise<number>): Promise<void> {
  const options = program.opts<GlobalOptions>()
  const output = new Output(readEnvironment(options), options.json === true)
  try {
    process.exitCode = await work(output)
  } catch (error) {
    process.exitCode = output.fail(error)
  }
}

/**
 * Runs the body of a command with the address of the service that it means.
 * @param folder that the command works on: what it is linked to counts before what the working directory is.
 */
export async function run(work: (output: Output, url: string) => Promise<number>, folder?: string): Promise<void> {
  return runHere(async (output) => {
    const { environment, json } = output
    const target = await findTarget(environment, folder === undefined ? ['.'] : [folder, '.'])
    return work(new Output({ ...environment, ...target }, json), target.url)
  })
}
