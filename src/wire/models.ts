import type { ModelRouter } from '../models/model.ts'
import { MeteredModels } from '../models/models.ts'
import type { Projects } from '../projects/projects.ts'
import type { Records } from '../storage/records.ts'
import type { Usage } from '../usage/usage.ts'

interface ModelParts {
  readonly router: ModelRouter | null
  readonly usage: Usage
  readonly records: Records
  readonly projects: Projects
  readonly now: () => Date
}

/** Language models, paid for by the owners of projects. */
export function openModels({ router, usage, records, projects, now }: ModelParts): MeteredModels {
  return new MeteredModels({
    router,
    usage,
    records,
    ownerOf: (projectId) => projects.ownerOf(projectId),
    bounds: { requests: 200, tokens: 1_000_000 },
    maxTokens: 16_384,
    now,
  })
}
