import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Check } from '#contract/checks.ts'
import type { ErrorDetail } from '#contract/common.ts'
import type { Pty, PtyCell } from './pty.ts'

/** What was painted piece by piece is what a whole paint gives, in every cell. */
export async function expectRepaintedTheSame(terminal: Pty): Promise<void> {
  const { before, after } = await terminal.repainted()
  const screens = `Before:\n${before.text}\nafter:\n${after.text}`
  for (const [row, cells] of before.cells.entries())
    for (const [column, cell] of cells.entries()) {
      const other = after.cells[row]?.[column]
      if (other !== undefined && isDeepStrictEqual(seen(cell), seen(other))) continue
      const both = JSON.stringify([cell, other])
      throw new Error(`Painted anew, the screen is another at ${row},${column}: ${both}. ${screens}`)
    }
  if (!isDeepStrictEqual(before.cursor, after.cursor))
    throw new Error(
      `Painted anew, the cursor is elsewhere: ${JSON.stringify([before.cursor, after.cursor])}. ${screens}`,
    )
}

/**
 * What stands in the rows of the editor, whose text is seen from its first line on, is how the text begins. A message that
 * is too long for the line of the state takes rows from it until it was read: then a key lets it go.
 */
export async function expectShownFromTheTop(terminal: Pty, text: string, pressKey: () => void): Promise<void> {
  for (let left = 4; ; left--) {
    try {
      return expectRowsOf(terminal, text)
    } catch (error) {
      if (left === 0) throw error
      await sleep(1600)
      pressKey()
      await terminal.settled(150)
    }
  }
}

function expectRowsOf(terminal: Pty, text: string): void {
  const rows = editorRows(terminal)
  const whole = bare(text)
  let at = 0
  for (const row of rows) {
    const own = bare(row.slice(1).replace(/^[●▲]/, ''))
    if (!whole.startsWith(own, at))
      throw new Error(`The text goes on with ${whole.slice(at, at + 60)}, not with ${own}:\n${terminal.screen()}`)
    at += own.length
  }
  if (at === 0 && whole !== '') throw new Error(`Nothing of the text is shown:\n${terminal.screen()}`)
}

/** What the editor says of problems under the text, with the cursor in the first line, is what the service says. */
export async function expectChecked(terminal: Pty, path: string, { errors, warnings }: Check): Promise<void> {
  const isHere = (problem: ErrorDetail): boolean => problem.path === path && problem.line !== undefined
  const here = [errors.filter(isHere), warnings.filter(isHere)] as const
  const other = [...errors, ...warnings].find((problem) => !isHere(problem))
  const first = here.flat().find(({ line }) => line === 1)
  const counts = here.map(({ length }, at) => `${length} ${at === 0 ? 'error' : 'warning'}${length === 1 ? '' : 's'}`)
  const counted = counts.filter((_, at) => here[at]?.length !== 0).join(', ')
  const elsewhere =
    other === undefined
      ? 'No problems found.'
      : `Elsewhere: ${other.path === undefined ? '' : `${other.path}: `}${other.message}`
  const wanted = bare(first === undefined ? counted || elsewhere : first.message)
  const isTold = (): boolean => {
    // What does not fit ends with a key that shows the rest.
    const said = bare(terminal.rows().at(-3) ?? '').replaceAll(/^[●▲]|…?(?:F2showsallofit)?$/g, '')
    return said !== '' && (said.startsWith(wanted) || wanted.startsWith(said))
  }
  await terminal.until(isTold, `the editor to say of ${path}: ${wanted}`)
}

/** No crash has left its log, and nothing went wrong that nobody was told of. */
export async function expectNothingLogged(stateDirectory: string): Promise<void> {
  const names = await readdir(stateDirectory)
  const crash = names.find((name) => name.startsWith('crash-'))
  const file = crash ?? names.find((name) => name === 'ui.log')
  if (file !== undefined) throw new Error(`${file}: ${await readFile(join(stateDirectory, file), 'utf8')}`)
}

/** Text of the draft of a page that is kept on this machine, where there is one. */
export async function keptDraft(stateDirectory: string, wanted: string): Promise<string | undefined> {
  return (await keptDrafts(stateDirectory)).find(({ path }) => path === wanted)?.text
}

/** All drafts that are kept on this machine. */
export async function keptDrafts(stateDirectory: string): Promise<{ readonly path: string; readonly text: string }[]> {
  const drafts: { readonly path: string; readonly text: string }[] = []
  for (const name of await readdir(stateDirectory, { recursive: true })) {
    if (!name.endsWith('.draft')) continue
    // It may go meanwhile.
    const text = await readFile(join(stateDirectory, name), 'utf8').catch(() => '')
    const end = text.indexOf('\n')
    if (end < 0) continue
    const { path } = JSON.parse(text.slice(0, end)) as { readonly path: string }
    drafts.push({ path, text: text.slice(end + 1) })
  }
  return drafts
}

/** Looks until it is so. @throws saying what was waited for, after 20 s */
export async function until(look: () => Promise<boolean>, what: () => string): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end; await sleep(50)) if (await look()) return
  throw new Error(`Waited for ${what()}`)
}

/** Between the header and what is said under the text. */
function editorRows(terminal: Pty): readonly string[] {
  return terminal.rows().slice(terminal.size.height >= 20 ? 2 : 1, -3)
}

/** What can be seen of a cell: a terminal tells spaces that were written from what was never written, and of what colour. */
function seen(cell: PtyCell): Partial<PtyCell> {
  const { background, underline, inverse, strikethrough } = cell
  const isBlank = cell.text.trim() === '' && cell.width === 1
  return isBlank && !underline && !inverse && !strikethrough ? { text: ' ', background } : cell
}

/** Without spaces, and what stands for characters that cannot be seen. */
function bare(some: string): string {
  return some.replaceAll(/[\s\p{Cc}\p{Cf}\p{Cs}␀-␡�◌]/gu, '')
}
