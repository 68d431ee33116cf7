import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommanderError } from 'commander'
import { exitCodes, Failure } from '../src/contract/failure.ts'
import { addCommands } from './command-table.ts'
import { readEnvironment } from './environment.ts'
import { loadCommand } from './lazy-command.ts'
import { interrupt, outputOf, program } from './program.ts'

addCommands(program)
program.hook('preSubcommand', (_program, command) => loadCommand(command))

/** Without a command, a person at a terminal gets the UI; everybody else the help. */
function opensUi(words: readonly string[]): boolean {
  const { interactive, columns } = readEnvironment()
  if (!interactive || columns === undefined || /^-(?:h|-help|v|-version)$/m.test(words.join('\n'))) return false
  return program.parseOptions([...words]).operands.length === 0
}

/**
 * The output goes nowhere any more. Where whoever read it has had enough of it, such as `head`, nothing more is to be said,
 * and nothing is wrong; where it cannot be written, that is said in a sentence.
 */
function outputEnded(error: NodeJS.ErrnoException): void {
  // A command that looks after its output itself, such as a backup or the UI, says what became of it.
  if (process.stdout.listenerCount('error') > 1) return
  if (error.code === 'EPIPE') process.exit()
  const reason = error.code === 'ENOSPC' ? 'the disk is full' : error.message
  process.stderr.write(`error  The output could not be written: ${reason}. What is there of it is not whole.\n`)
  process.exit(exitCodes.temporary)
}

/** Nothing is left to say it on: the exit code says how it went. */
function notesEnded(): void {}

/** Does what the words of the command line say; the exit code says how that went. */
export async function main(): Promise<void> {
  const words = process.argv.slice(2)
  // `quire help deploy` shows a command without calling it.
  const helped = words[words.indexOf('help') + 1]
  const shown = program.commands.find((command) => command.name() === helped)
  if (shown !== undefined) await loadCommand(shown)
  process.on('SIGINT', interrupt)
  const said = opensUi(words) ? ['ui', ...words] : words
  process.stdout.on('error', outputEnded)
  process.stderr.on('error', notesEnded)
  try {
    await program.parseAsync(said, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    process.exitCode = error.exitCode === 0 ? exitCodes.ok : tellUsage(error, words)
  }
}

/** What is wrong with the words of the command line, as any other failure. */
function tellUsage({ code, message }: CommanderError, words: readonly string[]): number {
  const operand = program.parseOptions([...words]).operands[0]
  const named = program.commands.find((command) => command.name() === operand)?.name()
  const help = named === undefined ? 'quire --help lists all commands.' : `quire ${named} --help says what it takes.`
  const [fault = '', meant = ''] = message.replace(/^error: /, '').split('\n')
  // Help was asked for by saying too little; people have it before them.
  const isHelp = code === 'commander.help'
  if (isHelp && !words.includes('--json')) return exitCodes.usage
  const detail = isHelp
    ? 'No command is named.'
    : `${fault.charAt(0).toUpperCase()}${fault.slice(1).replace(/\.$/, '')}.`
  const hint = [meant.replace(/^\((.*)\)$/, '$1'), help].filter(Boolean).join(' ')
  return outputOf().fail(new Failure('invalid_request', detail, { hint }))
}

/** Runs a deploy to where nobody listens, so that its code is compiled. */
export async function compileAhead(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-compile-'))
  try {
    await writeFile(join(folder, 'index.md'), '# Compiled ahead\n')
    process.env['SERVICE_API_KEY'] = 'none'
    await program.parseAsync(['deploy', folder, '--url', 'http://127.0.0.1:1'], { from: 'user' })
  } finally {
    await rm(folder, { recursive: true })
  }
  process.exitCode = exitCodes.ok
}
