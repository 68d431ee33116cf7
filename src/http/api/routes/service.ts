import type { FastifyInstance } from 'fastify'
import { identityProviderPath } from '../../../contract/accounts.ts'
import { contract } from '../../../contract/index.ts'
import { docsPage, docsPolicy } from '../docs-page.tsx'
import type { Metrics } from '../metrics.ts'
import { openApiDocument } from '../openapi.ts'
import type { Router } from '../route.ts'
import type { Services } from '../../services.ts'

export function serviceRoutes(
  app: FastifyInstance,
  router: Router,
  services: Services,
  options: { readonly url: string; readonly cookie: string; readonly metrics: Metrics },
): void {
  const { version, isolation, signup, identityProvider } = services
  const document = openApiDocument({ url: options.url, version, cookie: options.cookie })
  const page = docsPage(version)
  router.route(contract.service.health, async () => ({ status: 'ok' as const, version, isolation: [...isolation] }))
  const url = options.url + identityProviderPath
  const provider = identityProvider === undefined ? {} : { identityProvider: { name: identityProvider.name, url } }
  router.route(contract.service.read, async () => ({ version, signup, ...provider }))
  router.route(contract.service.openapi, async () => document)
  app.get('/api/docs', (_request, reply) =>
    reply.header('content-security-policy', docsPolicy).type('text/html; charset=utf-8').send(page),
  )
  app.get('/metrics', (_request, reply) =>
    reply.type('text/plain; version=0.0.4; charset=utf-8').send(options.metrics.text()),
  )
}
