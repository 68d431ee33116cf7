import { Type, type Static } from 'typebox'
import { Encoding, Oid, SlugParams } from './common.ts'
import { endpoint } from './endpoint.ts'
import { limits } from './limits.ts'
import { SearchQuery, SearchResult } from './searches.ts'

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

/** Main's files. The command line compares their ids with its own before it uploads anything. */
export const files = {
  list: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/files',
    summary: 'List main’s files',
    description: 'Their status is `unchanged`.',
    access: 'read',
    forDeploys: true,
    params: SlugParams,
    reply: Type.Object({
      head: Type.Optional({ ...Oid, description: 'Main’s commit; absent before the first deploy' }),
      items: Type.Array(ProjectFile),
    }),
    status: 200,
  }),
  read: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/files/:path*',
    summary: 'Read a file of main',
    description: 'The `ETag` is the id of its blob.',
    access: 'read',
    params: Type.Object({ ...SlugParams.properties, path: FilePath }),
    query: AsOf,
    reply: FileContent,
    status: 200,
  }),
  search: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/search',
    summary: 'Search main’s text files',
    access: 'read',
    limit: 'searches',
    params: SlugParams,
    query: SearchQuery,
    reply: SearchResult,
    status: 200,
  }),
}
