import { Type, type Static } from 'typebox'
import { Encoding, Oid, SlugParams } from './common.ts'
import { endpoint } from './endpoint.ts'
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

/** The path of a file, as the last part of an address. */
export const FilePath = Type.String({
  minLength: 1,
  maxLength: limits.pathBytes,
  description: 'Path from the root of the repository, with slashes',
  examples: ['guides/start.mdx'],
})

/** Main's files. The command line compares their ids with its own before it uploads anything. */
export const files = {
  list: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/files',
    summary: 'List main’s files',
    access: 'read',
    params: SlugParams,
    reply: Type.Object({
      items: Type.Array(Type.Object({ path: Type.String(), oid: Oid, size: Type.Optional(Type.Integer()) })),
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
    reply: FileContent,
    status: 200,
  }),
}
