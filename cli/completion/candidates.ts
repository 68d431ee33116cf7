import type { Argument, Command, Option } from 'commander'
import { loadCommand } from '../lazy-command.ts'

/** A word that may stand where the cursor is. */
export interface Candidate {
  readonly word: string
  /** In a few words; empty: it says enough by itself. */
  readonly about: string
}

/** What a service is asked for. */
export type RemoteNames = 'branches' | 'projects'

/** Values that only a service knows; none where it does not answer soon. */
export type AskNames = (names: RemoteNames) => Promise<readonly string[]>

/** Which arguments and options take names of what the service has. */
const remoteArguments: Readonly<Record<string, RemoteNames>> = { branch: 'branches', slug: 'projects' }
const remoteOptions: Readonly<Record<string, RemoteNames>> = { '--project': 'projects', '--branch': 'branches' }

/** Names that mean the same in every shell: what a stranger called a branch is not to be run when it is completed. */
const plainName = /^[\w.@+/][\w.@+/-]*$/

/**
 * The words that may stand at the end of a command line.
 * @param words what is typed after `quire`; the last one is begun, or empty
 */
export async function candidatesFor(
  program: Command,
  words: readonly string[],
  askNames: AskNames,
): Promise<readonly Candidate[]> {
  const typed = words.at(-1) ?? ''
  const { command, operands, pending } = await read(program, words.slice(0, -1))
  const all = await candidatesAt(command, { typed, operands, pending }, askNames)
  return all.filter(({ word }) => word.startsWith(typed) && word !== '')
}

interface Position {
  readonly command: Command
  /** Words before that are neither commands nor options. */
  readonly operands: number
  /** The option whose value comes now. */
  readonly pending: Option | undefined
}

async function read(program: Command, words: readonly string[]): Promise<Position> {
  let command = program
  let operands = 0
  let pending: Option | undefined
  for (const word of words) {
    if (pending !== undefined) {
      pending = undefined
      continue
    }
    if (word.startsWith('-')) {
      const option = word.includes('=')
        ? undefined
        : optionsOf(command).find(({ long, short }) => long === word || short === word)
      if (option?.required === true || option?.optional === true) pending = option
      continue
    }
    const below: Command | undefined = operands > 0 ? undefined : command.commands.find((each) => each.name() === word)
    if (below === undefined) operands += 1
    else {
      await loadCommand(below)
      command = below
    }
  }
  return { command, operands, pending }
}

async function candidatesAt(
  command: Command,
  { typed, operands, pending }: Omit<Position, 'command'> & { readonly typed: string },
  askNames: AskNames,
): Promise<readonly Candidate[]> {
  if (pending !== undefined) return valuesOf(pending, remoteOptions[pending.long ?? ''], askNames)
  if (typed.startsWith('-'))
    return optionsOf(command).map(({ long, short, description }) => ({ word: long ?? short ?? '', about: description }))
  const help = command.createHelp()
  const below = operands > 0 ? [] : help.visibleCommands(command)
  const argument = command.registeredArguments[operands] ?? lastOf(command)
  const commands = below.map((each) => ({ word: each.name(), about: each.description() }))
  const values = argument === undefined ? [] : await valuesOf(argument, remoteArguments[argument.name()], askNames)
  return [...commands, ...values]
}

/** Of the command and all above it. */
function optionsOf(command: Command): readonly Option[] {
  const help = command.createHelp()
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)]
}

/** An argument that may be repeated takes all that follow. */
function lastOf({ registeredArguments }: Command): Argument | undefined {
  const last = registeredArguments.at(-1)
  return last?.variadic === true ? last : undefined
}

async function valuesOf(
  { argChoices }: Argument | Option,
  names: RemoteNames | undefined,
  askNames: AskNames,
): Promise<readonly Candidate[]> {
  const values =
    argChoices ?? (names === undefined ? [] : (await askNames(names)).filter((name) => plainName.test(name)))
  return values.map((word) => ({ word, about: '' }))
}
