import { Type } from 'typebox'
import { isSearched, pathsIn } from '../../branching/search.ts'
import { linesWith } from '../../lib/line-search.ts'
import { inSlices, isTurnOver, nextTurn } from '../../lib/slices.ts'
import { bounds } from '../bounds.ts'
import { Refusal } from '../draft.ts'
import { count, lineOf } from '../words.ts'
import { closed, Path, tool } from './tool.ts'

/** Lines of one answer, and characters of one line. */
const mostLines = 600
const mostLine = 2000
const mostPaths = 400
const mostMatches = 60
/** Characters of a line that are told with a match. */
const mostShown = 200

const Folder = Type.String({ maxLength: 1100, description: 'Such as guides; absent: everywhere' })

export const listFiles = tool({
  name: 'list_files',
  description: `Lists paths of the branch in order, at most ${mostPaths} a call.`,
  parameters: Type.Object(
    {
      folder: Type.Optional(Folder),
      after: Type.Optional(Type.String({ maxLength: 1100, description: 'The last path of the call before' })),
    },
    closed,
  ),
  about: ({ folder = '' }) => (folder === '' ? 'all files' : folder),
  run: async ({ folder = '', after = '' }, { draft, frame, signal }) => {
    const all = await inSlices(pathsIn(draft.paths(), folder), signal)
    const rest = all.filter((path) => path > after)
    const shown = rest.slice(0, mostPaths)
    const more = rest.length - shown.length
    const marked = shown.map((path) => (draft.isChanged(path) ? `${path} (changed in this turn)` : path))
    const note = more === 0 ? '' : `\n${count(more, 'more path')}: call again with after.`
    return {
      text: frame.around('paths', marked.join('\n'), bounds.result * 2) + note,
      detail: more === 0 ? count(all.length, 'file') : `${shown.length} of ${count(all.length, 'file')}`,
    }
  },
})

export const readFile = tool({
  name: 'read_file',
  description: `Reads a text file of the branch, at most ${mostLines} lines a call.`,
  parameters: Type.Object(
    {
      path: Path,
      from: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000_000, description: 'First line; default 1' })),
      lines: Type.Optional(Type.Integer({ minimum: 1, maximum: mostLines })),
    },
    closed,
  ),
  about: ({ path, from }) => (from === undefined ? path : `${path} from line ${from}`),
  run: async ({ path, from = 1, lines = mostLines }, { draft, frame, signal }) => {
    const text = await draft.read(path)
    const { part, first, last, total } = await inSlices(linesOf(text, from, lines), signal)
    if (part === '' && from > total)
      throw new Refusal(`${JSON.stringify(lineOf(path))} has only ${count(total, 'line')}.`)
    const what = `lines ${first} to ${last} of ${total}`
    return { text: frame.around(`${path}, ${what}`, part, bounds.result), detail: what }
  },
})

export const searchFiles = tool({
  name: 'search_files',
  description: `Finds lines that contain a text, in any case, in the text files of the branch; at most ${mostMatches} matches. No patterns.`,
  parameters: Type.Object(
    { text: Type.String({ minLength: 1, maxLength: 200 }), folder: Type.Optional(Folder) },
    closed,
  ),
  about: ({ text, folder }) => (folder === undefined ? `“${text}”` : `“${text}” in ${folder}`),
  run: async ({ text, folder = '' }, { draft, frame, signal }) => {
    const paths = await inSlices(pathsIn(draft.paths(), folder, isSearched), signal)
    const found: string[] = []
    let looked = 0
    for (const path of paths) {
      if (found.length >= mostMatches || !draft.maySearch) break
      signal.throwIfAborted()
      if (isTurnOver()) await nextTurn()
      const content = await draft.textOf(path)
      looked += 1
      if (content === null) continue
      const search = { wanted: text, exact: false, most: mostMatches - found.length, shown: mostShown }
      for (const match of await inSlices(linesWith(content, search), signal))
        found.push(`${path}:${match.line}: ${lineOf(match.text.trim(), mostShown)}`)
    }
    const told = found.length === 0 ? 'Nothing was found.' : frame.around('matches', found.join('\n'), bounds.result)
    return {
      text: looked === paths.length ? told : `${told}\n${unfinished(looked, paths.length, draft.maySearch)}`,
      detail: `${count(found.length, 'match', 'matches')} in ${count(looked, 'file')}`,
    }
  },
})

function unfinished(looked: number, all: number, mayGoOn: boolean): string {
  const so = `${looked} of ${count(all, 'file')} were looked through`
  return mayGoOn
    ? `${so}; there may be more: name a folder, or a longer text.`
    : `${so}: searches of this turn end here.`
}

/** Some lines of a text, not further than one answer goes. */
function* linesOf(text: string, from: number, most: number) {
  const shown: string[] = []
  let total = 0
  let size = 0
  let full = false
  for (let start = 0; start <= text.length; total++) {
    if (total % 200 === 0) yield
    const end = text.indexOf('\n', start)
    const stop = end === -1 ? text.length : end
    if (end === -1 && stop === start && total > 0) break
    if (total + 1 >= from && shown.length < most && !full) {
      const line = text.slice(start, Math.min(stop, start + mostLine)) + (stop - start > mostLine ? ' […]' : '')
      size += line.length + 1
      full = size > bounds.result && shown.length > 0
      if (!full) shown.push(line)
    }
    start = stop + 1
  }
  return { part: shown.join('\n'), first: from, last: from + shown.length - 1, total }
}
