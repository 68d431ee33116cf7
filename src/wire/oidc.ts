import type { FastifyInstance } from 'fastify'
import type { Identities } from '../access/identities.ts'
import { Oidc } from '../access/oidc.ts'
import type { Config } from '../config.ts'
import { callbackPath, oidcRoutes } from '../http/auth/oidc.ts'
import type { RateLimiter } from '../http/api/rate-limiter.ts'

/** Sign-in through an identity provider, where the settings name one. */
export function openOidc(
  app: FastifyInstance,
  { oidc: settings, publicUrl }: Config,
  parts: { readonly identities: Identities; readonly limiter: RateLimiter; readonly now: () => Date },
): void {
  if (settings === undefined) return
  oidcRoutes(app, { ...parts, publicUrl, oidc: new Oidc(settings, publicUrl + callbackPath) })
}
