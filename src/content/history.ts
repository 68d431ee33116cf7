import { isUtf8 } from 'node:buffer'
import { diffWordsWithSpace } from 'diff'
import { inSlices, isTurnOver, nextTurn, type Steps } from '../lib/slices.ts'
import { GitError } from './git/git.ts'
import type { GitObjectStore } from './objects/object-store.ts'
import type { DiffHunk, DiffLine, FileDiff, Oid, TreeFile, DiffWord, LogEntry } from './repository.ts'

/** Of line changes, all files together; what is beyond is named without its lines. */
const maxPatchBytes = 4 * 1024 * 1024
const maxPatchLines = 50_000
/** Files whose lines are shown: with each of them comes much beside its lines. */
const maxPatches = 1000
/** More files on either side are not compared with each other for renames; identical ones are found all the same. */
const renameLimit = 1000
const zeroOid = '0'.repeat(40)
const kinds = { ' ': 'context', '+': 'added', '-': 'deleted' } as const
/** A block of changed lines longer than this, on either side, is shown as lines only. */
const maxBlockLength = 20_000
/** Word changes after which two texts are too different for their words to tell anything. */
const maxEdits = 400
/** Below this share of common text the lines are not forms of each other. */
const leastCommon = 0.3

interface ListedCommit {
  readonly oid: Oid
  readonly path?: string
}

/** See `Repository.log`. */
export async function log(
  store: GitObjectStore,
  request: {
    readonly from: Oid
    readonly path?: string | undefined
    readonly limit: number
    readonly after?: Oid | undefined
  },
): Promise<readonly LogEntry[]> {
  const { from, path, limit, after } = request
  // Saves of one second have one date: without an order git might show a commit above one that was built on it.
  const args = ['--literal-pathspecs', 'log', '-z', '--date-order', '--format=format:%H']
  // A later page is cut out of the whole list: a walk that begins at `after` would miss what lies beside it.
  if (after === undefined) args.push(`--max-count=${limit}`)
  if (path !== undefined) args.push('--follow', '--name-status', '--diff-merges=off')
  args.push('--end-of-options', from, '--', ...(path === undefined ? [] : [path]))
  const output = await store.git.check(args, { directory: store.directory })
  const page = { limit, after }
  const found = path === undefined ? oidsOf(output, page) : await inSlices(touching(output, { path, ...page }))
  return Promise.all(found.map(async (entry) => ({ ...(await store.commits.read(entry.oid)), ...entry })))
}

interface LogPage {
  readonly limit: number
  readonly after: Oid | undefined
}

/** Of ids with a NUL between them; of very many, only those of the page are looked at one by one. */
function oidsOf(output: Buffer, { limit, after }: LogPage): ListedCommit[] {
  const before = after === undefined ? 0 : output.indexOf(after, 0, 'latin1')
  if (before === -1) return []
  const start = after === undefined ? 0 : before + after.length + 1
  const ids = output.toString('latin1', start, start + limit * (zeroOid.length + 1)).split('\0')
  return ids.filter((oid) => oid !== '').map((oid) => ({ oid }))
}

/** Commits between two pauses. */
const readAtOnce = 10

/**
 * `<oid>` LF `<status>` NUL, one path (two for a rename) each with NUL, and another NUL between commits. A merge shows
 * no change: its line is the id alone, and the path stays what it was.
 */
function* touching(output: Buffer, { path, limit, after }: LogPage & { readonly path: string }): Steps<ListedCommit[]> {
  const found: ListedCommit[] = []
  let current = path
  let isBehind = after === undefined
  let at = 0
  const field = (): string => {
    const end = output.indexOf(0, at)
    const stop = end === -1 ? output.length : end
    const text = output.toString('utf8', at, stop)
    at = stop + 1
    return text
  }
  for (let read = 1; at < output.length && found.length < limit; read++) {
    if (read % readAtOnce === 0) yield
    const match = /^([0-9a-f]{40})(?:\n([A-Z])\d*)?$/.exec(field())
    if (!match) continue
    const [, oid = '', status] = match
    const before = status === undefined ? undefined : field()
    const name = status === 'R' || status === 'C' ? field() : before
    if (isBehind) found.push({ oid, path: name ?? current })
    else isBehind = oid === after
    current = before ?? current
  }
  return found
}

interface FilePatch {
  readonly binary: boolean
  readonly hunks: readonly DiffHunk[]
}

type ListedFile = Omit<FileDiff, 'hunks' | 'binary' | 'truncated'>

/** See `Repository.diff`. */
export async function diff(
  store: GitObjectStore,
  { before, after, path }: { readonly before: Oid; readonly after: Oid; readonly path?: string | undefined },
): Promise<readonly FileDiff[]> {
  const [old, now] = await Promise.all([store.commits.treeOf(before), store.commits.treeOf(after)])
  if (old === now) return []
  const list = await run(store, ['--raw', '--abbrev=40', '--end-of-options', old, now], Infinity)
  const all = await parseRaw(list.stdout.toString())
  const listed = path === undefined ? all : all.filter((file) => file.path === path || file.oldPath === path)
  if (listed.length === 0) return []
  // With both of its names a renamed file is one here, too.
  const paths = path === undefined ? [] : listed.flatMap((file) => [file.path, file.oldPath ?? file.path])
  const patch = await run(store, ['--patch', '--no-color', '--end-of-options', old, now, '--', ...paths], maxPatchBytes)
  const patches = await parsePatch(patch.stdout, patch.truncated)
  const files: FileDiff[] = []
  // Git prints the patches in the order of the list.
  for (const [index, file] of listed.entries()) {
    if (isTurnOver()) await nextTurn()
    const changes = patches[index]
    files.push(
      changes
        ? { ...file, binary: changes.binary, hunks: await markHunks(changes.hunks), truncated: false }
        : { ...file, binary: false, hunks: [], truncated: true },
    )
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

async function run(
  { git, directory }: GitObjectStore,
  args: readonly string[],
  maxOutput: number,
): Promise<{ readonly stdout: Buffer; readonly truncated: boolean }> {
  const options = ['-r', '-M', `-l${renameLimit}`, '-z', '--no-ext-diff', '--no-textconv']
  const command = ['--literal-pathspecs', 'diff-tree', ...options, ...args]
  const result = await git.run(command, { directory, maxOutput })
  if (result.code !== 0) throw new GitError(command, `exit code ${result.code}: ${result.stderr.trim()}`)
  return result
}

/** `:<mode> <mode> <oid> <oid> <status>` NUL `<path>` NUL, and for a rename the new path; see git-diff-tree(1), RAW. */
async function parseRaw(output: string): Promise<ListedFile[]> {
  const fields = output.split('\0')
  const files: ListedFile[] = []
  for (let at = 0; at < fields.length && fields[at] !== '';) {
    if (isTurnOver()) await nextTurn()
    const [oldMode = '', newMode = '', oldOid = '', newOid = '', status = ''] = (fields[at] ?? '').slice(1).split(' ')
    const sides = { before: fileOf(oldOid, oldMode), after: fileOf(newOid, newMode) }
    const path = fields[at + 1] ?? ''
    if (status.startsWith('R')) {
      files.push({ path: fields[at + 2] ?? '', status: 'renamed', oldPath: path, ...sides })
      at += 3
      continue
    }
    files.push({ path, status: status === 'A' ? 'added' : status === 'D' ? 'deleted' : 'modified', ...sides })
    at += 2
  }
  return files
}

function fileOf(oid: Oid, mode: string): TreeFile | null {
  return oid === zeroOid ? null : { oid, mode: mode === '100755' ? '100755' : '100644' }
}

/**
 * Parses what `git diff-tree --patch` prints: one entry for each file, in order; null for one that has more lines than
 * the files before it left room for. Of very many files those in front.
 *
 * @param cut the output ends somewhere: its last file is left out.
 */
async function parsePatch(output: Buffer, cut: boolean): Promise<(FilePatch | null)[]> {
  const files: (FilePatch | null)[] = []
  let room = maxPatchLines
  // In hunks every line begins with a space, + or -: what begins with `diff` is a header.
  let start = output.indexOf('diff --git ')
  while (start >= 0 && files.length < maxPatches) {
    if (isTurnOver()) await nextTurn()
    const next = output.indexOf('\ndiff --git ', start)
    if (next < 0 && cut) break
    const file = parseFile(output.subarray(start, next < 0 ? output.length : next + 1), room)
    room -= (file?.hunks ?? []).reduce((lines, hunk) => lines + hunk.lines.length, 0)
    files.push(file)
    start = next < 0 ? -1 : next + 1
  }
  return files
}

function parseFile(bytes: Buffer, maxLines: number): FilePatch | null {
  // Old pages may be in Latin-1, which git takes for text; nothing else in them would be readable as UTF-8.
  const text = isUtf8(bytes) ? bytes.toString() : bytes.toString('latin1')
  // Only a line feed ends a line: U+2028 and a lone carriage return are part of it.
  const lines = text.split('\n')
  const first = lines.findIndex((line) => line.startsWith('@@ '))
  if (first < 0) return { binary: lines.some((line) => /^Binary files .* differ$/.test(line)), hunks: [] }
  if (lines.length - first > maxLines) return null
  const hunks: DiffHunk[] = []
  for (let at = first; at < lines.length;) {
    const ranges = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(lines[at] ?? '')
    if (!ranges) break
    let end = at + 1
    while (/^[ +\-\\]/.test(lines[end] ?? '')) end++
    const [, oldStart, oldLines = '1', newStart, newLines = '1'] = ranges
    hunks.push({
      oldStart: Number(oldStart),
      oldLines: Number(oldLines),
      newStart: Number(newStart),
      newLines: Number(newLines),
      lines: parseLines(lines.slice(at + 1, end)),
    })
    at = end
  }
  return { binary: false, hunks }
}

function parseLines(lines: readonly string[]): DiffLine[] {
  const parsed: DiffLine[] = []
  for (const line of lines) {
    const kind = kinds[line[0] as keyof typeof kinds]
    const last = parsed.at(-1)
    if (kind) parsed.push({ kind, text: line.slice(1) })
    // `\ No newline at end of file` speaks of the line before it.
    else if (last) parsed[parsed.length - 1] = { ...last, unterminated: true }
  }
  return parsed
}

/** As `markWords`, for many hunks; gives the event loop a turn now and then. */
export async function markHunks(hunks: readonly DiffHunk[]): Promise<DiffHunk[]> {
  const marked: DiffHunk[] = []
  for (const hunk of hunks) {
    if (isTurnOver()) await nextTurn()
    marked.push({ ...hunk, lines: markWords(hunk.lines) })
  }
  return marked
}

/** Adds to each block of deleted lines that added ones follow which of their words changed. */
function markWords(lines: readonly DiffLine[]): DiffLine[] {
  const marked: DiffLine[] = []
  for (let at = 0; at < lines.length;) {
    const deleted = linesOfKind(lines, at, 'deleted')
    const added = linesOfKind(lines, at + deleted.length, 'added')
    if (deleted.length === 0 && added.length === 0) {
      marked.push(lines[at]!)
      at++
      continue
    }
    marked.push(...markBlock(deleted, added))
    at += deleted.length + added.length
  }
  return marked
}

function linesOfKind(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): DiffLine[] {
  let end = from
  while (lines[end]?.kind === kind) end++
  return lines.slice(from, end)
}

function markBlock(deleted: readonly DiffLine[], added: readonly DiffLine[]): DiffLine[] {
  const both = [...deleted, ...added]
  if (deleted.length === 0 || added.length === 0) return both
  const before = join(deleted)
  const after = join(added)
  if (before.length > maxBlockLength || after.length > maxBlockLength) return both
  const changes = diffWordsWithSpace(before, after, { maxEditLength: maxEdits })
  if (!changes) return both
  const common = changes.reduce((sum, part) => sum + (part.added || part.removed ? 0 : part.value.trim().length), 0)
  if (common < leastCommon * Math.max(before.length, after.length)) return both
  const words = (without: 'added' | 'removed'): DiffWord[] =>
    changes.filter((part) => !part[without]).map((part) => ({ text: part.value, changed: part.added || part.removed }))
  return [...spread(deleted, words('added')), ...spread(added, words('removed'))]
}

function join(lines: readonly DiffLine[]): string {
  return lines.map((line) => line.text).join('\n')
}

/** Gives each line its part of the words: a word that holds a line feed is cut there. */
function spread(lines: readonly DiffLine[], words: readonly DiffWord[]): DiffLine[] {
  const byLine: DiffWord[][] = [[]]
  for (const { text, changed } of words) {
    for (const [index, piece] of text.split('\n').entries()) {
      if (index > 0) byLine.push([])
      if (piece !== '') byLine.at(-1)?.push({ text: piece, changed })
    }
  }
  return lines.map((line, index) => ({ ...line, words: byLine[index] ?? [] }))
}
