import type { Branch } from '#contract/branches.ts'
import { contract } from '#contract/index.ts'
import type { Project } from '#contract/projects.ts'
import { shown } from '../../canvas/width.ts'
import type { Context } from '../shared/context.ts'
import { isGone, ofBranch } from '../shared/gone.ts'
import { mergeWith } from '#authoring/merge-attempt.ts'
import { resolveConflicts } from './conflicts.ts'

/** Takes main’s changes into a branch; conflicts are settled on the way. @returns whether it has them now */
export async function updateBranch(context: Context, project: Project, branch: Branch): Promise<boolean> {
  const { app, workspace, pendingMerges } = context
  const params = { slug: project.slug, id: branch.id }
  const place = { slug: project.slug, branchId: branch.id }
  const pendingMerge = await pendingMerges.open(place)
  for (;;) {
    const end = await app.task(`Taking main’s changes into ${shown(branch.name)}`, async (signal) => {
      const updated = await mergeWith(pendingMerge, (resolutions) =>
        workspace.client.call(contract.branches.update, { params, body: { resolutions: [...resolutions] }, signal }),
      ).catch((error: unknown) => {
        if (isGone(error)) void pendingMerges.giveUp(place)
        throw ofBranch(error, branch)
      })
      return updated ?? 'conflicts'
    })
    if (end === undefined) return false
    if (end !== 'conflicts') break
    if (!(await resolveConflicts(context, { branch, pendingMerge, goOn: 'Update the branch' }))) return false
  }
  void pendingMerges.forget(place)
  app.notify(`${shown(branch.name)} has all that main has.`, 'success')
  return true
}
