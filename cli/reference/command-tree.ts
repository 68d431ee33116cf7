import type { Argument, Command, Option } from 'commander'
import { addCommands } from '../command-table.ts'
import { examplesOf, remarksOf, type Example } from '../help.ts'
import { loadCommand } from '../lazy-command.ts'
import { program } from '../program.ts'

/** What may follow a command, and what it means. */
export interface DescribedWord {
  /** `-m, --message <text>`, `[dir]`. */
  readonly term: string
  readonly about: string
}

/** A command with all that its help says. */
export interface DescribedCommand {
  /** As it is typed: `quire branch create`. */
  readonly path: string
  /** What follows it: `[options] <name>`. */
  readonly usage: string
  readonly about: string
  /** Heading in the help of the whole. */
  readonly group: string
  readonly arguments: readonly DescribedWord[]
  readonly options: readonly DescribedWord[]
  readonly examples: readonly Example[]
  readonly remarks?: string
  readonly commands: readonly DescribedCommand[]
}

/** `quire` with everything that people call, in the order of the help. */
export async function describeProgram(): Promise<DescribedCommand> {
  if (program.commands.length === 0) addCommands(program)
  return describe(program, '')
}

async function describe(command: Command, above: string): Promise<DescribedCommand> {
  await loadCommand(command)
  const help = command.createHelp()
  const path = `${above}${command.name()}`
  const shown = help.visibleCommands(command).filter((each) => each.name() !== 'help')
  const commands: DescribedCommand[] = []
  for (const each of shown) commands.push(await describe(each, `${path} `))
  const remarks = remarksOf(command)
  return {
    path,
    usage: command.usage(),
    about: command.description(),
    group: command.helpGroup().replace(/:$/, ''),
    arguments: command.registeredArguments.map((argument) => ({
      term: termOf(argument),
      about: help.argumentDescription(argument),
    })),
    options: help
      .visibleOptions(command)
      .filter(isOwn)
      .map((option) => ({
        term: option.flags,
        about: help.optionDescription(option),
      })),
    examples: examplesOf(command),
    ...(remarks === undefined ? {} : { remarks }),
    commands,
  }
}

function termOf(argument: Argument): string {
  return argument.required ? `<${argument.name()}>` : `[${argument.name()}]`
}

/** Every command has that of the help. */
function isOwn(option: Option): boolean {
  return option.long !== '--help'
}

/** The command, and all below it that do something themselves. */
export function withCommandsBelow(command: DescribedCommand): DescribedCommand[] {
  return [command, ...command.commands.flatMap(withCommandsBelow)]
}
