import { Failure } from '../../src/contract/failure.ts'
import type { Model } from './model.ts'
import { repairPrompt } from './page-prompt.ts'
import { checkPlan, type CheckedPlan, type PlanBounds } from './plan-check.ts'
import { keepingPages, planPrompt, type PlanSurroundings } from './plan-prompt.ts'
import type { SitePlan } from './plan.ts'
import { exportingFiles, type Project } from './project.ts'

/** What a plan is made from: with other files, another plan. Contents do not matter. */
export function planInputs(project: Project): string[] {
  const exporting = new Set(exportingFiles(project))
  return [...project.files.values()]
    .filter(({ path, kind }) => exporting.has(path) || kind === 'doc' || kind === 'config')
    .map(({ path }) => path)
}

/** Pages that a project of this size is worth, at most. */
export function mostPages(project: Project, requests: number): number {
  const bySize = 6 + Math.ceil(exportingFiles(project).length / 3)
  // Two requests for each page and for the plan: with its repair.
  return Math.max(1, Math.min(60, bySize, Math.floor(requests / 2) - 1))
}

/**
 * Asks for a plan, once more when it is not as it should be.
 * @throws Failure generation_failed when it cannot be used then either.
 */
export async function makePlan(
  model: Model,
  project: Project,
  around: PlanSurroundings,
  onText: (tokens: number) => void,
): Promise<{ readonly plan: SitePlan; readonly warnings: readonly string[] }> {
  const bounds: PlanBounds = {
    files: new Set(project.files.keys()),
    exporting: exportingFiles(project),
    taken: new Set(around.existing),
    maxPages: around.maxPages,
  }
  const messages = await planPrompt(project, around)
  const first = await model.ask('plan', messages, onText)
  let checked = checkPlan(first.text, bounds)
  if (checked.problems.length > 0) {
    const second = await model.ask('plan', repairPrompt(messages, first.text, checked.problems), onText)
    checked = better(checkPlan(second.text, bounds), checked)
  }
  if (checked.plan === undefined)
    throw new Failure('generation_failed', 'The model has made no plan that can be used.', {
      hint: 'Run the command again, or with another --model. Nothing was written.',
      errors: checked.problems.slice(0, 10).map((message) => ({ message })),
    })
  return { plan: keepingPages(checked.plan, around.before?.plan, bounds.files), warnings: checked.problems }
}

/** A second answer can be worse than the first. */
function better(second: CheckedPlan, first: CheckedPlan): CheckedPlan {
  return second.plan === undefined && first.plan !== undefined ? first : second
}
