import { Type, type Static } from 'typebox'
import { Oid, Timestamp } from './common.ts'

export const HistoryCommit = Type.Object({
  oid: Oid,
  parents: Type.Array(Oid),
  author: Type.Object({ name: Type.String(), email: Type.String() }),
  message: Type.String(),
  committedAt: Timestamp,
  path: Type.Optional(Type.String({ description: 'What the file was called then' })),
})
export type HistoryCommit = Static<typeof HistoryCommit>

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
