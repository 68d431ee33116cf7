import { Type } from 'typebox'
import { Oid, SlugParams } from './common.ts'
import { endpoint } from './endpoint.ts'

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
}
