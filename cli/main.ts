import { Command, CommanderError } from 'commander'
import { exitCodes } from '../src/contract/failure.ts'
import manifest from '../package.json' with { type: 'json' }
import { readEnvironment } from './environment.ts'
import { Output } from './output.ts'

interface GlobalOptions {
  readonly url?: string
  readonly json?: boolean
  readonly color?: boolean
  readonly input?: boolean
}

const program = new Command('quire')
  .description('Deploy documentation from a folder of Markdown and MDX to a live site.')
  .version(manifest.version, '-V, --version', 'print the version')
  .option('--url <url>', 'base URL of the service (QUIRE_URL)')
  .option('--json', 'print one JSON document on standard output')
  .option('--no-color', 'plain text')
  .option('--no-input', 'never ask')
  .showSuggestionAfterError()
  .showHelpAfterError('Run quire --help to see all commands.')
  .exitOverride()
  .addHelpText(
    'before',
    `Examples
  $ quire deploy                 deploy this folder
  $ quire deploy docs --dry-run  show what would be sent
  $ quire rollback               serve the version before again
`,
  )
  .addHelpText(
    'after',
    `
Environment
  SERVICE_API_KEY  API key of the project
  QUIRE_URL        base URL of the service (default http://localhost:4000)

Exit codes
  0 ok, 1 failed, 2 usage, 3 errors in the content, 4 key or sign-in, 5 conflict, 75 try again later, 130 interrupted`,
  )

/** Runs a command's body with its output; whatever it throws becomes a message and an exit code. */
function run(work: (output: Output, url: string) => Promise<number>): () => Promise<void> {
  return async () => {
    const options = program.opts<GlobalOptions>()
    const environment = readEnvironment(options)
    const output = new Output(environment, options.json === true)
    try {
      process.exitCode = await work(output, options.url ?? environment.url ?? 'http://localhost:4000')
    } catch (error) {
      process.exitCode = output.fail(error)
    }
  }
}

program
  .command('deploy')
  .description('send the files of a folder and make the site of them live')
  .argument('[dir]', 'folder with the docs', '.')
  .option('-m, --message <text>', 'what changed; becomes the commit message')
  .option('--dry-run', 'show what would be sent and stop')
  .action((directory: string, options: { message?: string; dryRun?: boolean }) =>
    run(async (output, url) => (await import('./commands/deploy.ts')).deploy(directory, { ...options, url }, output))(),
  )

program
  .command('deploys')
  .description('list the last deploys of the key’s project')
  .option('-n, --limit <number>', 'how many', '10')
  .action((options: { limit: string }) =>
    run(async (output, url) =>
      (await import('./commands/deploys.ts')).listDeploys({ url, limit: Number(options.limit) }, output),
    )(),
  )

program
  .command('rollback')
  .description('serve an earlier deploy again, without a build')
  .argument('[deploy]', 'id or number of the deploy (default: the live one before this)')
  .action((target: string | undefined) =>
    run(async (output, url) => (await import('./commands/deploys.ts')).rollback(target, { url }, output))(),
  )

process.once('SIGINT', () => process.exit(exitCodes.interrupted))

try {
  await program.parseAsync()
} catch (error) {
  // Commander has told the user already; help and version are no errors.
  if (!(error instanceof CommanderError)) throw error
  process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
}
