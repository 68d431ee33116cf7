import { isUtf8 } from 'node:buffer'
import { limits } from '../../contract/limits.ts'
import { PageProblem } from '../mdx/problem.ts'
import { readSource } from '../mdx/source.ts'
import type { RenderJob, RenderOutcome } from '../page.ts'

/** What needs no child to be refused: sent on, it could not even be written as text. */
export function refuse(job: RenderJob): RenderOutcome | undefined {
  if (job.source.length <= limits.pageBytes && isUtf8(job.source)) return undefined
  try {
    readSource(job.path, job.source)
    return undefined
  } catch (error) {
    if (error instanceof PageProblem) return { ok: false, errors: error.details }
    throw error
  }
}
