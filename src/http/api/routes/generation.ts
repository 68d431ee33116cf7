import { generation, type ModelList } from '../../../contract/generation.ts'
import type { Router } from '../route.ts'

export interface GenerationServices {
  readonly models: { readonly list: ModelList }
}

export function generationRoutes(router: Router, { models }: GenerationServices): void {
  router.route(generation.models, async () => models.list)
}
