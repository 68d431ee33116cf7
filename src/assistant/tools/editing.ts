import { Type } from 'typebox'
import { inSlices } from '../../lib/slices.ts'
import { placesOf } from '../../lib/text-search.ts'
import { bounds } from '../bounds.ts'
import { Refusal } from '../draft.ts'
import { count, quoted } from '../words.ts'
import { closed, Path, tool } from './tool.ts'

export const writeFile = tool({
  name: 'write_file',
  description: 'Writes a whole text file: a new one, or in the place of the one that is there.',
  parameters: Type.Object({ path: Path, content: Type.String({ maxLength: bounds.arguments }) }, closed),
  about: ({ path }) => path,
  run: async ({ path, content }, { draft }) => {
    const written = await draft.write(path, content)
    return {
      text: `${written.isNew ? 'Added' : 'Replaced'} ${JSON.stringify(written.path)}.`,
      detail: `${written.isNew ? 'added' : 'replaced'}, ${count(content.length, 'character')}`,
    }
  },
})

export const editFile = tool({
  name: 'edit_file',
  description: 'Replaces a text that stands in a file exactly once. Read the file before.',
  parameters: Type.Object(
    {
      path: Path,
      find: Type.String({
        minLength: 1,
        maxLength: bounds.arguments,
        description: 'As it stands there, with all spaces and line ends',
      }),
      replace: Type.String({ maxLength: bounds.arguments }),
    },
    closed,
  ),
  about: ({ path }) => path,
  run: async ({ path, find, replace }, { draft, signal }) => {
    const text = await draft.read(path)
    const [at, another] = await inSlices(placesOf(text, find, 2), signal)
    if (at === undefined) throw new Refusal(notFound(path, text, find))
    if (another !== undefined)
      throw new Refusal(`${quoted(path)} has this text more than once: take more of the lines around it.`)
    await draft.write(path, text.slice(0, at) + replace + text.slice(at + find.length))
    return { text: `Changed ${quoted(path)}.`, detail: 'changed' }
  },
})

export const deleteFile = tool({
  name: 'delete_file',
  description: 'Deletes a file of the branch.',
  parameters: Type.Object({ path: Path }, closed),
  about: ({ path }) => path,
  run: async ({ path }, { draft }) => ({ text: `Deleted ${quoted(draft.remove(path))}.`, detail: 'deleted' }),
})

export const moveFile = tool({
  name: 'move_file',
  description: 'Gives a file of the branch another path. Links to it are not changed by that.',
  parameters: Type.Object({ from: Path, to: Path }, closed),
  about: ({ from, to }) => `${from} → ${to}`,
  run: async ({ from, to }, { draft }) => {
    const [before, after] = await draft.move(from, to)
    return { text: `Moved ${quoted(before)} to ${quoted(after)}.`, detail: 'moved' }
  },
})

/** What may be wrong, where the text stands there but for its spaces. */
function notFound(path: string, text: string, find: string): string {
  const [first = ''] = find.trim().split('\n', 1)
  const line = first.trim().slice(0, 100)
  const near = line === '' ? -1 : text.indexOf(line)
  if (near === -1) return `${quoted(path)} does not have this text. Read it again: it may have changed.`
  let number = 1
  for (let end = text.indexOf('\n'); end !== -1 && end < near; end = text.indexOf('\n', end + 1)) number += 1
  return `${quoted(path)} does not have this text, but its beginning stands in line ${number}: spaces or line ends differ.`
}
