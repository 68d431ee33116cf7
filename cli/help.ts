import type { Command } from 'commander'

/** A command as it is typed, without `quire`, and what it is for. */
export type Example = readonly [words: string, about?: string]

const examples = new WeakMap<Command, readonly Example[]>()
const remarks = new WeakMap<Command, string>()

/** Examples, which a command's help begins with. */
export function addExamples(command: Command, rows: readonly Example[]): Command {
  examples.set(command, rows)
  const width = Math.max(...rows.map(([words, about]) => (about === undefined ? 0 : words.length)))
  const lines = rows.map(([words, about = '']) => `  $ quire ${words.padEnd(width)}  ${about}`.trimEnd())
  return command.addHelpText('before', ['Examples:', ...lines, ''].join('\n'))
}

/** What else is to be said of a command, a paragraph. */
export function addRemarks(command: Command, text: string): Command {
  remarks.set(command, text)
  return command.addHelpText('after', `\n${folded(text)}`)
}

/** A text in lines of at most 80 columns. */
function folded(text: string): string {
  return text.replaceAll(/(.{1,80})(?: |$)/g, '$1\n').trimEnd()
}

export const examplesOf = (command: Command): readonly Example[] => examples.get(command) ?? []
export const remarksOf = (command: Command): string | undefined => remarks.get(command)

/** What a name means, for the help and the manual. */
type Meaning = readonly [name: string, meaning: string]

/** Variables that commands read. */
export const variables: readonly Meaning[] = [
  ['SERVICE_API_KEY', 'API key of a project; goes before quire login'],
  ['QUIRE_PROJECT', 'slug of the project, where a session has several'],
  ['QUIRE_URL', 'base URL of the service; goes before that of .quire.json'],
  ['QUIRE_ALLOW_REMOVAL', '1: a deploy may take most pages away unasked'],
  ['NO_UPDATE_NOTIFIER', '1: no word of newer versions'],
]

export const exitMeanings: readonly Meaning[] = [
  ['0', 'ok'],
  ['1', 'failed'],
  ['2', 'usage'],
  ['3', 'errors in the content'],
  ['4', 'key or sign-in'],
  ['5', 'conflict'],
  ['75', 'try again later'],
  ['130', 'interrupted'],
]

/** What the help of the whole ends with. */
export function closingHelp(): string {
  const width = Math.max(...variables.map(([name]) => name.length))
  const codes = exitMeanings.map(([code, meaning]) => `${code} ${meaning}`)
  return [
    '',
    'Environment:',
    ...variables.map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`),
    '',
    'Exit codes:',
    `  ${codes.slice(0, 5).join(', ')},`,
    `  ${codes.slice(5).join(', ')}`,
  ].join('\n')
}
