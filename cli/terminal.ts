import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { Failure } from '../src/contract/failure.ts'
import { Lasting } from './lasting.ts'
import type { Output } from './output.ts'

/** Programs that open an address; none of them a shell, which would read more into one. */
const openers: Partial<Record<NodeJS.Platform, readonly [command: string, ...words: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/**
 * A question on standard error, so that standard output stays the command's result. Ctrl-C, which the terminal hands to the
 * question, does what it does everywhere else; Ctrl-D, too: nobody answers any more.
 */
export async function ask(question: string): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return (await reader.question(question)).trim()
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'AbortError') throw error
    process.stderr.write('\n')
    process.emit('SIGINT')
    return ''
  } finally {
    reader.close()
  }
}

/**
 * Whether the user means it: asks on a terminal. Elsewhere nobody can answer, so `--yes` must have.
 * @param act what cannot be undone, such as `Deleting the branch new-api`. @param options with a `word` that is to be typed
 * in the place of yes, for what takes much along. @throws Failure invalid_request.
 */
export async function confirmed(
  act: string,
  options: { readonly yes?: boolean; readonly word?: string },
  output: Output,
): Promise<boolean> {
  if (options.yes === true) return true
  if (!output.environment.interactive)
    throw new Failure('invalid_request', `${act} cannot be undone.`, { hint: 'Add --yes to do it.' })
  const { word } = options
  if (word !== undefined) return (await ask(`${act} cannot be undone. Type ${word} to do it: `)) === word
  const answer = await ask(`${act} cannot be undone. Go on? (yes/no) `)
  return answer === 'yes' || answer === 'y'
}

/** How editors are told at which line of a file to open: words after those of the command, by its name. */
const placements: readonly (readonly [name: RegExp, words: (file: string, line: number) => readonly string[]])[] = [
  [/^(?:n?vim?|gvim|view|nano|pico|emacs|emacsclient|micro|kak|joe|ne)$/, (file, line) => [`+${line}`, file]],
  [/^(?:hx|helix|subl|zed)$/, (file, line) => [`${file}:${line}`]],
  [/^(?:code|code-insiders|codium|vscodium|cursor)$/, (file, line) => ['-g', `${file}:${line}`]],
]

/** @returns the words that open a file in an editor: at the line, where it is known how to tell it that */
export function editorWords(editor: string, file: string, line = 1): readonly string[] {
  const [command = ''] = editor.trim().split(/\s+/)
  const name = command.slice(command.lastIndexOf('/') + 1)
  const words = line > 1 ? placements.find(([known]) => known.test(name))?.[1] : undefined
  return words?.(file, line) ?? [file]
}

/**
 * Opens a file in the user's editor and waits until that is closed.
 * @param editor a shell command, such as `code --wait`. @param line from 1. @throws Failure unavailable when it cannot be
 * run or fails.
 */
export async function openEditor(file: string, editor: string, line?: number): Promise<void> {
  const child = spawn('sh', ['-c', `${editor} "$@"`, 'sh', ...editorWords(editor, file, line)], { stdio: 'inherit' })
  const [code]: (number | null)[] = await once(child, 'exit')
  if (code === 0) return
  throw new Lasting(`The editor ${editor} ended with ${code === null ? 'a signal' : `code ${code}`}.`, {
    hint: 'Set VISUAL or EDITOR to one that works here.',
  })
}

/** Opens an address in the person's browser, and does not wait for it. What is not of the web is not opened. */
export function openBrowser(address: string, output: Pick<Output, 'note'>): void {
  if (!/^https?:/i.test(address) || !URL.canParse(address)) return
  const [command, ...words] = openers[process.platform] ?? ['xdg-open']
  const child = spawn(command, [...words, new URL(address).href], { stdio: 'ignore', detached: true })
  const tell = (): void => output.note('No browser could be opened here: the address is above.')
  child.on('error', tell)
  // Of xdg-open: it has found no program for that.
  child.on('exit', (code) => code === 3 && tell())
  child.unref()
}
