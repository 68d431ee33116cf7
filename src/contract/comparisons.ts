import { Type, type Static } from 'typebox'
import { ListQuery, Oid, Timestamp, Encoding } from './common.ts'
import { FilePath } from './files.ts'
import { limits } from './limits.ts'

export const HistoryCommit = Type.Object({
  oid: Oid,
  parents: Type.Array(Oid),
  author: Type.Object({ name: Type.String(), email: Type.String() }),
  message: Type.String(),
  committedAt: Timestamp,
  path: Type.Optional(Type.String({ description: 'What the file was called then' })),
})
export type HistoryCommit = Static<typeof HistoryCommit>

/** A page of commits; with a path, of those that touched the file. */
export const HistoryQuery = Type.Object({ ...ListQuery.properties, path: Type.Optional(FilePath) })
export type HistoryQuery = Static<typeof HistoryQuery>

const DiffLine = Type.Object({
  kind: Type.Union([Type.Literal('context'), Type.Literal('added'), Type.Literal('deleted')]),
  text: Type.String(),
  words: Type.Optional(
    Type.Array(Type.Object({ text: Type.String(), changed: Type.Boolean() }), {
      description: 'The line in pieces, where it is a changed form of lines on the other side',
    }),
  ),
  unterminated: Type.Optional(Type.Literal(true, { description: 'The file ends here without a line feed' })),
})

export const DiffHunk = Type.Object({
  oldStart: Type.Integer(),
  oldLines: Type.Integer(),
  newStart: Type.Integer(),
  newLines: Type.Integer(),
  lines: Type.Array(DiffLine),
})
export type DiffHunk = Static<typeof DiffHunk>

export const FileDiff = Type.Object({
  path: Type.String(),
  status: Type.Union([
    Type.Literal('added'),
    Type.Literal('modified'),
    Type.Literal('deleted'),
    Type.Literal('renamed'),
  ]),
  oldPath: Type.Optional(Type.String()),
  oldOid: Type.Optional(Oid),
  oid: Type.Optional(Oid),
  binary: Type.Boolean({ description: 'Has no hunks' }),
  truncated: Type.Boolean({ description: 'The hunks are left out: the whole diff would be too large' }),
  hunks: Type.Array(DiffHunk),
})
export type FileDiff = Static<typeof FileDiff>

/** Two commits, and the files that differ. */
export const CommitComparison = Type.Object({
  base: Type.Optional({ ...Oid, description: 'Absent where there is nothing before' }),
  head: Oid,
  files: Type.Array(FileDiff),
})
export type CommitComparison = Static<typeof CommitComparison>

const ConflictType = Type.Union([
  Type.Literal('content'),
  Type.Literal('add/add'),
  Type.Literal('modify/delete'),
  Type.Literal('rename/rename'),
  Type.Literal('rename/delete'),
  Type.Literal('directory/file'),
  Type.Literal('binary'),
  Type.Literal('mode'),
])

/** What happened, in a sentence for people. */
export const conflictReasons: Readonly<Record<Static<typeof ConflictType>, string>> = {
  content: 'Both changed the same lines.',
  'add/add': 'Both added the file, each with its own content.',
  'modify/delete': 'One changed the file, the other deleted it.',
  'rename/rename': 'Both renamed the file, each in its own way.',
  'rename/delete': 'One renamed the file, the other deleted it.',
  'directory/file': 'One has a file where the other has a folder.',
  binary: 'Both changed the file, which is not text.',
  mode: 'Both changed whether the file is executable.',
}

/**
 * A file that main and branch changed in ways that do not go together: an item of `conflicts` in the problem document
 * of `merge_conflict`. `base`, `main` and `branch` are the texts; absent where a side has no such file, and where
 * `omitted` says why. `oids` names the same files by their blobs.
 */
export const Conflict = Type.Object({
  path: Type.String(),
  type: ConflictType,
  oldPath: Type.Optional(Type.String()),
  base: Type.Optional(Type.String()),
  main: Type.Optional(Type.String()),
  branch: Type.Optional(Type.String()),
  omitted: Type.Optional(Type.Union([Type.Literal('binary'), Type.Literal('large')])),
  oids: Type.Object({ base: Type.Optional(Oid), main: Type.Optional(Oid), branch: Type.Optional(Oid) }),
})
export type Conflict = Static<typeof Conflict>

const Seen = Type.Optional(
  Type.Object(
    { main: Type.Optional(Type.Union([Oid, Type.Null()])), branch: Type.Optional(Type.Union([Oid, Type.Null()])) },
    { description: 'The conflict’s `oids` that the decision was made on: when a side has moved since, it comes back' },
  ),
)

/** How one conflict is settled: with what a side has (nothing: the file goes), or with given content (null: it goes). */
export const Resolution = Type.Union([
  Type.Object({ path: FilePath, use: Type.Union([Type.Literal('branch'), Type.Literal('main')]), seen: Seen }),
  Type.Object({
    path: FilePath,
    content: Type.Union([Type.String(), Type.Null()]),
    encoding: Type.Optional(Encoding),
    seen: Seen,
  }),
])
export type Resolution = Static<typeof Resolution>

export const Resolutions = Type.Optional(Type.Array(Resolution, { maxItems: limits.files }))
