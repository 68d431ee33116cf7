import type { Branch } from '#contract/branches.ts'
import { contract } from '#contract/index.ts'
import type { Project } from '#contract/projects.ts'
import { count } from '#cli/output.ts'
import { shown } from '../../canvas/width.ts'
import { branchNameOf, branchNameTrouble } from '#authoring/branch-name.ts'
import { openAddress } from '../shared/address.ts'
import type { Context } from '../shared/context.ts'
import { isGone } from '../shared/gone.ts'
import { changesWords } from '../shared/states.ts'
import { findUnsaved } from '../shared/unsaved.ts'

/** Asks for a name and makes the branch; the form stays while the service refuses. @returns undefined: it was left. */
export async function createBranch(
  { app, workspace }: Context,
  { slug }: Pick<Project, 'slug'>,
  branches: readonly Branch[],
): Promise<Branch | undefined> {
  const names = branches.map(({ name }) => name)
  let created: Branch | undefined
  await app.dialogs.ask({
    title: 'New branch',
    body: ['A copy to write on, with a preview of its own. Readers see nothing of it until you publish it.'],
    fields: [
      {
        name: 'name',
        label: 'Name',
        placeholder: 'new-api',
        help: (typed) => {
          const name = branchNameOf(typed)
          const isSaid = name !== '' && name !== typed && branchNameTrouble(name, names) === undefined
          return isSaid ? `It will be called ${name}.` : 'A few words on what it is for.'
        },
        check: (typed) => branchNameTrouble(branchNameOf(typed), names),
      },
      {
        name: 'from',
        label: 'A copy of',
        value: 'main',
        choices: ['main', ...names],
      },
    ],
    act: 'Create',
    submit: async ({ name = '', from: source = 'main' }) => {
      const body = { name: branchNameOf(name), ...(source === 'main' ? {} : { from: source }) }
      created = await workspace.client.call(contract.branches.create, { params: { slug }, body })
    },
  })
  if (created !== undefined) app.notify(`Created ${shown(created.name)}`, 'success')
  return created
}

/** Deletes a branch when its name was typed. @returns whether it is gone */
export async function deleteBranch(
  { app, workspace, pendingMerges }: Context,
  { slug }: Pick<Project, 'slug'>,
  branch: Branch,
): Promise<boolean> {
  const { id, name } = branch
  const unsaved = await findUnsaved(app, workspace)
  if (unsaved === undefined) return false
  const drafts = unsaved.filter((draft) => draft.slug === slug && draft.branch === name)
  const { added, modified, deleted } = branch.changes
  const isSure = await app.dialogs.confirm({
    title: `Delete ${name}?`,
    body: [
      added + modified + deleted === 0
        ? 'It has no changes that main lacks. Its preview goes, too.'
        : `Its changes (${changesWords(branch)}) were not published. They go with it, and so does its preview.`,
      ...(drafts.length === 0
        ? []
        : [`Not saved on it: ${count(drafts.length, 'draft')} of this machine. What you typed stays here.`]),
      'Nothing brings a branch back.',
    ],
    act: `Delete ${name}`,
    danger: true,
    typed: name,
  })
  if (!isSure) return false
  const words = await app.task(`Deleting ${name}`, async () => {
    try {
      await workspace.client.call(contract.branches.remove, { params: { slug }, query: { id } })
      return `Deleted ${shown(name)}`
    } catch (error) {
      if (!isGone(error)) throw error
      return `${shown(name)} was gone already: somebody published or deleted it.`
    }
  })
  if (words === undefined) return false
  void pendingMerges.forget({ slug, branchId: id })
  app.notify(words, 'success')
  return true
}

/** Shows a preview where there is a browser, else its address. */
export async function openPreview({ app }: Context, { name, previewUrl, preview }: Branch): Promise<void> {
  if (preview.served === undefined && preview.status === 'failed') {
    app.notify(`${shown(name)} has never been built, so there is nothing to see yet: mend its errors first.`, 'warning')
    return
  }
  await openAddress(app, { title: `Preview of ${name}`, address: previewUrl })
}
