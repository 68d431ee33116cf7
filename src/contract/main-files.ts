import { Type } from 'typebox'
import { listOf, Oid, SlugParams } from './common.ts'
import { CommitComparison, HistoryCommit, HistoryQuery } from './comparisons.ts'
import { endpoint } from './endpoint.ts'
import { AsOf, FileContent, FilePath, ProjectFile } from './files.ts'
import { SearchQuery, SearchResult } from './searches.ts'

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
  history: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/history',
    summary: 'Commits of main or of one of its files',
    description: 'With `path`, also from when the file had another name. Before the first deploy there are none.',
    access: 'read',
    params: SlugParams,
    query: HistoryQuery,
    reply: listOf(HistoryCommit),
    status: 200,
  }),
  diff: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/diff',
    summary: 'What a commit of main changed',
    access: 'read',
    params: SlugParams,
    query: Type.Object({
      commit: { ...Oid, description: 'Of main: its history lists them' },
      path: Type.Optional(FilePath),
    }),
    reply: CommitComparison,
    status: 200,
  }),
}
