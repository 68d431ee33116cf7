import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { commandLine, commandLinePackage } from '../../contract/service.ts'
import { escapeHtml } from '../../lib/html.ts'
import { dist } from '../../lib/paths.ts'

const file = join(dist, 'package', 'quire.tgz')

/**
 * The command line of this service’s version: at `/cli` how to install it for whoever looks with a browser, and for npm
 * where the package is.
 *
 * @param publicUrl origin of the dashboard and the API
 */
export function commandLineRoutes(app: FastifyInstance, publicUrl: string): void {
  const page = pageOf(escapeHtml(publicUrl))
  app.get(commandLine, async (request, reply) => {
    reply.header('vary', 'accept').header('cache-control', 'no-cache')
    if (!/\btext\/html\b/.test(request.headers.accept ?? '')) return reply.redirect(commandLinePackage, 302)
    return reply.header('content-security-policy', contentSecurityPolicy).type('text/html; charset=utf-8').send(page)
  })
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

const contentSecurityPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Nothing of it runs or is loaded. */
function pageOf(origin: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The command line of Quire</title>
<style>
:root { color-scheme: light dark }
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem }
pre { padding: 1rem; overflow: auto; background: rgb(128 128 128 / 15%); border-radius: 0.5rem }
</style>
<h1>The command line of Quire</h1>
<p>With Node 20.19 or newer of 20, or 22.12 or newer:</p>
<pre>npm install --global ${origin}${commandLine}
quire login --url ${origin}
quire deploy docs</pre>
<p>Without installing it: <code>npx --yes ${origin}${commandLine} --help</code>.</p>
<p>It is of the version of this service. <a href="${commandLinePackage}">The package</a> is what npm gets; <a href="/dashboard">the dashboard</a> makes keys for CI.</p>
</html>
`
}
