import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { acceptedEncoding, type Encoding } from '../../hosting/serving/negotiate.ts'
import { siteAccessPath } from '../../contract/site-access.ts'
import { dist } from '../../lib/paths.ts'

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

/**
 * Nothing runs and nothing is loaded that is not the dashboard’s own, but sites and previews in frames, and their images.
 * Frames of private sites are led there by the service.
 */
function contentSecurityPolicy({ sites, publicUrl }: FramedSites): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob: ${sites}`,
    "connect-src 'self'",
    `frame-src ${sites} ${publicUrl}${siteAccessPath}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

interface FramedSites {
  /** What frames and images may be of, as a source of a Content-Security-Policy: `https://*.sites.example` */
  readonly sites: string
  /** Origin of the dashboard. */
  readonly publicUrl: string
}

/** A file that the page loads, as it was compressed when it was built. */
type Asset = Readonly<Record<Encoding, Buffer>>

const directory = join(dist, 'dashboard')

/** The files by name. */
function readAssets(): ReadonlyMap<string, Asset> {
  const folder = join(directory, '_assets')
  const names = readdirSync(folder).filter((name) => !/\.(?:br|gz)$/.test(name))
  const read = (name: string): Buffer => readFileSync(join(folder, name))
  return new Map(
    names.map((name) => [name, { identity: read(name), br: read(`${name}.br`), gzip: read(`${name}.gz`) }] as const),
  )
}

/** Read once in a process, however many services it starts. */
let sharedAssets: ReturnType<typeof readAssets> | undefined

/** The dashboard: one page for all its addresses, and the hashed files that it loads. Small, so kept in memory. */
export function dashboardRoutes(app: FastifyInstance, framed: FramedSites): void {
  const page = readFileSync(join(directory, 'index.html'))
  const assets = (sharedAssets ??= readAssets())
  const policy = contentSecurityPolicy(framed)

  const sendPage = (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    reply
      .header('content-security-policy', policy)
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(page)

  app.get('/dashboard', sendPage)
  app.get('/dashboard/*', sendPage)
  app.get<{ Params: { name: string } }>('/dashboard/_assets/:name', (request, reply) => {
    const { name } = request.params
    const asset = assets.get(name)
    if (asset === undefined) return reply.callNotFound()
    const encoding = acceptedEncoding(request.headers['accept-encoding'])
    if (encoding !== 'identity') reply.header('content-encoding', encoding)
    return reply
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('vary', 'accept-encoding')
      .type(types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream')
      .send(asset[encoding])
  })
}
