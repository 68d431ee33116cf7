import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { dist } from '../../lib/paths.ts'

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** The dashboard: one page for all its addresses, and the hashed files that it loads. Small, so kept in memory. */
export function dashboardRoutes(app: FastifyInstance): void {
  const directory = join(dist, 'dashboard')
  const page = readFileSync(join(directory, 'index.html'))
  const assets = new Map(
    readdirSync(join(directory, '_assets')).map((name) => [name, readFileSync(join(directory, '_assets', name))]),
  )

  const sendPage = (reply: FastifyReply): FastifyReply =>
    reply
      .header('content-security-policy', contentSecurityPolicy)
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(page)

  app.get('/', (_request, reply) => reply.redirect('/dashboard', 302))
  app.get('/dashboard', (_request, reply) => sendPage(reply))
  app.get('/dashboard/:slug', (_request, reply) => sendPage(reply))
  app.get<{ Params: { name: string } }>('/dashboard/_assets/:name', (request, reply) => {
    const { name } = request.params
    const bytes = assets.get(name)
    if (bytes === undefined) return reply.callNotFound()
    return reply
      .header('cache-control', 'public, max-age=31536000, immutable')
      .type(types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream')
      .send(bytes)
  })
}
