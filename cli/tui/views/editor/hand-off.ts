import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { Failure } from '#contract/failure.ts'
import { openEditor } from '#cli/terminal.ts'
import type { App } from '../../app/app.ts'
import type { Draft } from '../../data/drafts/draft.ts'
import type { EditorPane } from '../../panes/editor.ts'

/** The person’s own editor has the text; what it leaves is one step of undo. @param path what the text is of */
export async function handOff(
  path: string,
  pane: EditorPane,
  { app, draft }: { app: App; draft: Draft },
): Promise<void> {
  const { editor } = app.environment
  const before = pane.buffer.text()
  const place = pane.position
  const lent = await draft.lend(fileName(path), before)
  const after = await editedElsewhere(lent.file, before, (file) =>
    app.suspend(() => openEditor(file, editor, place.line + 1)),
  )
  if (after !== before) {
    pane.buffer.become(after)
    pane.reveal(place)
  }
  await lent.end()
  if (after === before) app.notify('Nothing was changed there.')
  else app.notify('What you wrote there is here now. Ctrl-Z takes it back.', 'success')
}

/** Its ending tells the editor of what it is; what others named it has no business in a shell. */
export function fileName(path: string): string {
  const name = basename(path).replaceAll(/[^\p{L}\p{N}._-]/gu, '_')
  return name.startsWith('-') ? `_${name}` : name
}

/**
 * What the person’s own editor leaves of a text in a file.
 *
 * @param edit opens the file and waits until it is closed
 * @throws Failure when the editor fails, or leaves what is no text: it is told where that is
 */
export async function editedElsewhere(
  file: string,
  text: string,
  edit: (file: string) => Promise<void>,
): Promise<string> {
  try {
    await edit(file)
  } catch (error) {
    const left = await readFile(file, 'utf8').catch(() => text)
    if (left === text || !(error instanceof Error)) throw error
    throw new Failure('unavailable', error.message, { hint: `What you wrote there is in ${file}.` })
  }
  const bytes = await readFile(file)
  const edited = bytes.toString('utf8')
  if (!Buffer.from(edited, 'utf8').equals(bytes))
    throw new Failure('invalid_request', 'What the editor wrote is no UTF-8 text.', { hint: `It is in ${file}.` })
  return edited
}
