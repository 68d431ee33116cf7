import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Failure } from '../../../../src/contract/failure.ts'
import { openEditor } from '../../../terminal.ts'
import type { App } from '../../app/app.ts'
import type { EditorPane } from '../../panes/editor.ts'

/** The person’s own editor has the text; what it leaves is one step of undo. @param path what the text is of */
export async function handOff(path: string, pane: EditorPane, app: App): Promise<void> {
  const { editor } = app.environment
  const before = pane.buffer.text()
  const after = await editedElsewhere(path, before, (file) => app.suspend(() => openEditor(file, editor)))
  if (after === before) return app.notify('Nothing was changed there.')
  const place = pane.position
  pane.buffer.become(after)
  pane.reveal(place)
  app.notify('What you wrote there is here now. Ctrl-Z takes it back.', 'success')
}

/**
 * Has a text edited in the person’s own editor.
 *
 * @param edit opens a file and waits until it is closed
 * @returns the text that it left. @throws Failure when the editor fails: with what was written there, the file stays
 */
export async function editedElsewhere(
  path: string,
  text: string,
  edit: (file: string) => Promise<void>,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-'))
  // Its ending tells the editor of what it is; what others named it has no business in a shell.
  const name = basename(path).replaceAll(/[^\p{L}\p{N}._-]/gu, '_')
  const file = join(folder, name.startsWith('-') ? `_${name}` : name)
  let isSafe = true
  try {
    await writeFile(file, text, { mode: 0o600 })
    isSafe = false
    try {
      await edit(file)
    } catch (error) {
      const left = await readFile(file, 'utf8').catch(() => text)
      isSafe = left === text
      if (isSafe || !(error instanceof Error)) throw error
      throw new Failure('unavailable', error.message, { hint: `What you wrote there is in ${file}.` })
    }
    const bytes = await readFile(file)
    const edited = bytes.toString('utf8')
    if (!Buffer.from(edited, 'utf8').equals(bytes))
      throw new Failure('invalid_request', 'What the editor wrote is no UTF-8 text.', { hint: `It is in ${file}.` })
    isSafe = true
    return edited
  } finally {
    if (isSafe) await rm(folder, { recursive: true, force: true })
  }
}
