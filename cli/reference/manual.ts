import manifest from '../../package.json' with { type: 'json' }
import { exitMeanings, variables } from '../help.ts'
import { withCommandsBelow, type DescribedCommand, type DescribedWord } from './command-tree.ts'

/** The manual page `quire(1)`, for man(7) of groff and of mandoc. */
export function manualPage(program: DescribedCommand): string {
  return [
    `.TH QUIRE 1 "" "Quire ${manifest.version}" "User Commands"`,
    // Names are not broken at the end of a line.
    '.nh',
    '.SH NAME',
    String.raw`quire \- deploy documentation from a folder of Markdown and MDX`,
    '.SH SYNOPSIS',
    String.raw`.B quire`,
    text('[options] [command]'),
    '.SH DESCRIPTION',
    text(program.about),
    text('Without a command, at a terminal, it opens a program to write, preview and publish in.'),
    '.SH OPTIONS',
    text('All commands take them.'),
    ...program.options.flatMap(entry),
    '.SH COMMANDS',
    ...groupsOf(program),
    '.SH ENVIRONMENT',
    ...variables.flatMap(([term, about]) => entry({ term, about })),
    '.SH EXIT STATUS',
    ...exitMeanings.flatMap(([term, about]) => entry({ term, about })),
    '.SH EXAMPLES',
    ...withCommandsBelow(program).flatMap(examples),
    '',
  ].join('\n')
}

function groupsOf({ commands }: DescribedCommand): string[] {
  const titles = [...new Set(commands.map(({ group }) => group))]
  return titles.flatMap((title) => [
    `.SS ${text(title)}`,
    ...commands
      .filter(({ group }) => group === title)
      .flatMap((command) => withCommandsBelow(command).flatMap(section)),
  ])
}

function section({ path, usage, about, arguments: words, options, remarks }: DescribedCommand): string[] {
  return [
    '.TP',
    `\\fB${text(path)}\\fR ${text(usage)}`.trimEnd(),
    text(about),
    ...(remarks === undefined ? [] : ['.IP', text(remarks)]),
    ...(words.length + options.length === 0 ? [] : ['.RS', ...[...words, ...options].flatMap(entry), '.RE']),
  ]
}

function entry({ term, about }: DescribedWord): string[] {
  return ['.TP', `\\fB${text(term)}\\fR`, text(about)]
}

function examples({ examples: rows }: DescribedCommand): string[] {
  return rows.flatMap(([words, about]) => ['.TP', `\\fBquire ${text(words)}\\fR`, text(about ?? '')])
}

/** Characters that roff has names for; what else is beyond ASCII has a number. */
const named: Readonly<Record<string, string>> = {
  '\\': String.raw`\e`,
  '-': String.raw`\-`,
  "'": String.raw`\(aq`,
  '’': String.raw`\(cq`,
  '…': '...',
}

/** A text in a line that roff shows as it is. */
function text(words: string): string {
  const escaped = words.replaceAll(
    /[\\'’…-]|[^\0-\x7F]/gu,
    (character) => named[character] ?? `\\[u${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`,
  )
  return escaped.startsWith('.') ? `\\&${escaped}` : escaped
}
