import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { ModelList } from '../contract/generation.ts'
import { limits } from '../contract/limits.ts'
import { Router } from '../models/router.ts'
import type { Closers } from './closers.ts'

interface Parts {
  readonly logger: Logger
  readonly version: string
}

/** The router of language models that the settings name; null where they name none. */
export function openRouter({ models }: Config, { logger, version }: Parts, closers: Closers): Router | null {
  if (models.router === undefined) return null
  const router = new Router({
    ...models,
    ...models.router,
    timeoutMs: models.timeoutSeconds * 1000,
    silenceMs: models.silenceSeconds * 1000,
    userAgent: `Quire/${version}`,
    log: logger,
  })
  closers.add(() => router.close())
  return router
}

/** What callers may ask of models. */
export function modelListOf({ models }: Config): ModelList {
  const { router, isDemo, primary, allowed, prices, maxTokens, generation } = models
  return {
    configured: router !== undefined,
    ...(isDemo ? { demo: true } : {}),
    default: primary,
    models: allowed.map((id) => ({ id, ...prices.get(id) })),
    maxTokens,
    promptBytes: limits.promptBytes,
    generation,
  }
}
