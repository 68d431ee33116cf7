import { exitMeanings, variables, type Example } from '../help.ts'
import { describeProgram, withCommandsBelow, type DescribedCommand, type DescribedWord } from './command-tree.ts'

/** A page of documentation about one command and those below it, without its front matter. */
export interface CommandPage {
  /** Of the command: `branch`; of the page about all of them `quire`. */
  readonly name: string
  readonly title: string
  readonly description: string
  /** Lines of MDX. */
  readonly body: readonly string[]
}

/** A page about all commands, then one for each, in the order of the help. @param base path of their folder on the site */
export async function commandPages(base: string): Promise<readonly CommandPage[]> {
  const program = await describeProgram()
  const pages = program.commands.map((command) => ({
    name: nameOf(command),
    title: command.path,
    description: sentence(command.about),
    body: withCommandsBelow(command).flatMap((each) => section(each, each === command)),
  }))
  return [overview(program, base), ...pages]
}

/** The last of its words. */
function nameOf({ path }: DescribedCommand): string {
  return path.slice(path.lastIndexOf(' ') + 1)
}

function overview(program: DescribedCommand, base: string): CommandPage {
  const titles = [...new Set(program.commands.map(({ group }) => group))]
  return {
    name: 'quire',
    title: 'quire',
    description: program.about,
    body: [
      ...examplesOf(program.examples),
      ...titles.flatMap((title) => [
        `## ${title}`,
        '',
        ...table(
          ['Command', ''],
          program.commands
            .filter(({ group }) => group === title)
            .map((command) => [`[\`${command.path}\`](${base}/${nameOf(command)})`, prose(command.about)]),
        ),
      ]),
      '## What all commands take',
      '',
      ...words('Option', program.options),
      '## Environment',
      '',
      ...words(
        'Variable',
        variables.map(([term, about]) => ({ term, about })),
      ),
      '## Exit codes',
      '',
      ...words(
        'Code',
        exitMeanings.map(([term, about]) => ({ term, about })),
      ),
    ],
  }
}

function section(command: DescribedCommand, isWhole: boolean): string[] {
  return [
    ...(isWhole ? [] : [`## ${command.path}`, '', sentence(prose(command.about)), '']),
    '```text',
    `${command.path} ${command.usage}`.trimEnd(),
    '```',
    '',
    ...(command.remarks === undefined ? [] : [prose(command.remarks), '']),
    ...words('Argument', command.arguments),
    ...words('Option', command.options),
    ...examplesOf(command.examples),
  ]
}

function examplesOf(rows: readonly Example[]): string[] {
  if (rows.length === 0) return []
  const width = Math.max(...rows.map(([typed]) => typed.length))
  return [
    '```bash',
    ...rows.map(([typed, about]) => `quire ${about === undefined ? typed : `${typed.padEnd(width)}  # ${about}`}`),
    '```',
    '',
  ]
}

function words(head: string, rows: readonly DescribedWord[]): string[] {
  return table(
    [head, ''],
    rows.map(({ term, about }) => [`\`${term}\``, prose(about)]),
  )
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return []
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line), '']
}

/** A text as MDX shows it as it is. */
function prose(text: string): string {
  return text.replaceAll(/[\\{}<>*_`[\]]/g, String.raw`\$&`)
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? '' : '.'}`
}
