import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { commandLinePackage } from '../../contract/service.ts'
import { dist } from '../../lib/paths.ts'

const file = join(dist, 'package', 'quire.tgz')

/** The command line of this service’s version, for `npm install`. */
export function commandLineRoutes(app: FastifyInstance): void {
  app.get(commandLinePackage, async (_request, reply) => {
    const { size } = await stat(file)
    return reply
      .header('cache-control', 'public, max-age=300')
      .header('content-length', size)
      .type('application/gzip')
      .send(createReadStream(file))
  })
}
