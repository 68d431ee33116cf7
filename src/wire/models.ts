import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { ModelList } from '../contract/generation.ts'
import { limits } from '../contract/limits.ts'
import type { ModelRouter } from '../models/model.ts'
import { MeteredModels } from '../models/models.ts'
import { Router } from '../models/router.ts'
import type { Projects } from '../projects/projects.ts'
import type { Records } from '../storage/records.ts'
import type { Usage } from '../usage/usage.ts'
import type { Closers } from './closers.ts'

interface ModelParts {
  /** In the place of the one that the settings name: tests. */
  readonly router: ModelRouter | undefined
  readonly usage: Usage
  readonly records: Records
  readonly projects: Projects
  readonly logger: Logger
  readonly version: string
  readonly now: () => Date
}

/** Language models, paid for by the owners of projects; they are closed before their router is. */
export function openModels(config: Config, parts: ModelParts, closers: Closers): MeteredModels {
  const { usage, records, projects, now } = parts
  const { maxTokens, prices, primary, generation } = config.models
  const models = new MeteredModels({
    router: parts.router ?? openRouter(config, parts, closers),
    usage,
    records,
    ownerOf: (projectId) => projects.ownerOf(projectId),
    bounds: generation,
    maxTokens,
    prices,
    primary,
    now,
  })
  closers.add(() => models.close())
  return models
}

/** The router that the settings name; null where they name none. */
function openRouter({ models }: Config, { logger, version }: ModelParts, closers: Closers): Router | null {
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
