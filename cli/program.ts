import { Command, Help } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { exitCodes } from '../src/contract/failure.ts'
import { readEnvironment, type EnvironmentOptions } from './environment.ts'
import { addExamples, closingHelp } from './help.ts'
import { Output } from './output.ts'
import { plain } from './lasting.ts'
import { tellNewerVersion, withVersions } from './service/version.ts'
import { findTarget, withTarget } from './service/target.ts'

interface GlobalOptions extends EnvironmentOptions {
  readonly json?: boolean
}

const plainHelp = new Help()
export const program = new Command('quire')
// Before it has commands: they take it over.
program.configureHelp({
  showGlobalOptions: true,
  styleTitle: (title) => title.replace('Global Options', 'Global options'),
  // In the list of all, a name is enough.
  subcommandTerm: (command) => (command.parent === program ? command.name() : plainHelp.subcommandTerm(command)),
  visibleCommands: (command) =>
    plainHelp.visibleCommands(command).filter((each) => command === program || each.name() !== 'help'),
})
addExamples(program, [
  ['login', 'sign in with a browser'],
  ['deploy', 'deploy this folder'],
  ['deploy docs --dry-run', 'show what would be sent'],
  ['rollback', 'serve the version before again'],
  ['branch create new-api', 'a copy of main to work on'],
  ['preview new-api', 'where the branch can be seen'],
  ['publish new-api', 'merge it into main and make it live'],
])
program
  .description('Deploy documentation from a folder of Markdown and MDX to a live site.')
  .version(manifest.version, '-v, --version', 'print the version')
  .option('--url <url>', 'base URL of the service (QUIRE_URL)')
  .option('--project <slug>', 'which project, of several (QUIRE_PROJECT)')
  .option('--json', 'print one JSON document on standard output')
  .option('--no-color', 'plain text')
  .option('--no-input', 'never ask')
  .helpOption('-h, --help', 'show this')
  .showSuggestionAfterError()
  // `main` tells them.
  .configureOutput({
    outputError: () => undefined,
    writeErr: (text) => void (process.argv.includes('--json') || process.stderr.write(text)),
  })
  .exitOverride()
  .addHelpText('after', () => closingHelp())

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

/** Where this run writes, as its options say; those may stand where a wrong word kept them from being read. */
export function outputOf(): Output {
  const options = program.opts<GlobalOptions>()
  return new Output(readEnvironment(options), options.json === true || process.argv.includes('--json'))
}

/** Runs the body of a command that asks no service; whatever it throws becomes a message and an exit code. */
export async function runHere(work: (output: Output) => Promise<number>): Promise<void> {
  const output = outputOf()
  try {
    process.exitCode = await work(output)
  } catch (error) {
    process.exitCode = output.fail(withVersions(plain(error)))
  }
  await tellNewerVersion(output)
}

/**
 * Runs the body of a command with the address of the service that it means.
 * @param folder that the command works on: what it is linked to counts before what the working directory is.
 */
export async function run(work: (output: Output, url: string) => Promise<number>, folder?: string): Promise<void> {
  return runHere(async (output) => {
    const { environment, json } = output
    const target = await findTarget(environment, folder === undefined ? ['.'] : [folder, '.'])
    return work(new Output({ ...environment, ...target }, json), target.url).catch((error: unknown) => {
      throw withTarget(plain(error), target)
    })
  })
}
