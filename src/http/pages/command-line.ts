import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { commandLinePackage } from '../../contract/service.ts'
import { dist } from '../../lib/paths.ts'

const file = join(dist, 'package', 'quire.tgz')

/** The command line of this service’s version, for `npm install`. */
export function commandLineRoutes(app: FastifyInstance): void {
  // Once for everybody: who reads slowly holds no file, and who asks for its head reads nothing.
  let bytes: Promise<Buffer> | undefined
  app.get(commandLinePackage, async (_request, reply) => {
    bytes ??= readFile(file).catch((error: unknown) => {
      // As many files as may be open were open: not for ever.
      bytes = undefined
      throw error
    })
    return reply
      .header('cache-control', 'public, max-age=300')
      .type('application/gzip')
      .send(await bytes)
  })
}
