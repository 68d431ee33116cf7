import { Type, type Static } from 'typebox'
import { Encoding, Oid } from './common.ts'
import { limits } from './limits.ts'

/** A file with its content: text where it is UTF-8, else Base64. */
export const FileContent = Type.Object({
  path: Type.String(),
  oid: Oid,
  size: Type.Integer({ description: 'Bytes' }),
  content: Type.String(),
  encoding: Encoding,
})
export type FileContent = Static<typeof FileContent>

/** What a branch did to a file since it left main; main’s own are unchanged. */
export const FileStatus = Type.Union([
  Type.Literal('added'),
  Type.Literal('modified'),
  Type.Literal('deleted'),
  Type.Literal('unchanged'),
])
export type FileStatus = Static<typeof FileStatus>

export const ProjectFile = Type.Object({
  path: Type.String(),
  status: FileStatus,
  oid: { ...Oid, description: 'Of a deleted file: what it was on main when the branch left it' },
  size: Type.Integer({ description: 'Bytes' }),
})
export type ProjectFile = Static<typeof ProjectFile>

/** The path of a file, as the last part of an address. */
export const FilePath = Type.String({
  minLength: 1,
  maxLength: limits.pathBytes,
  description: 'Path from the root of the repository, with slashes',
  examples: ['guides/start.mdx'],
})

/** Of a file: when. */
export const AsOf = Type.Object({
  commit: Type.Optional({
    ...Oid,
    description: 'As it was at this commit, of the branch or of main: its history lists them. Absent: as it is',
  }),
})
