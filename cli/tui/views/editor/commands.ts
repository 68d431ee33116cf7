import type { Command } from '../../app/view.ts'
import { shown } from '../../canvas/width.ts'
import { createBranch, openPreview } from '../branches/branch-actions.ts'
import { readOnlyReason } from '../shared/refusals.ts'
import type { Acting } from './acting.ts'
import { draftCommands } from './draft-commands.ts'
import { findCommands } from './find-commands.ts'
import { goingCommands } from './going-commands.ts'
import { handOff } from './hand-off.ts'

export function editorCommands(acting: Acting): readonly Command[] {
  const isWritten = acting.page.draft !== undefined
  return [
    ...(isWritten ? savingCommands(acting) : readingCommands(acting)),
    ...findCommands(acting),
    ...goingCommands(acting),
    ...viewCommands(acting),
    ...branchCommands(acting),
    ...(isWritten ? draftCommands(acting) : []),
  ]
}

function savingCommands({ save, page, options }: Acting): readonly Command[] {
  const isConflict = page.draft?.state === 'conflict'
  return [
    {
      id: 'page.save',
      title: isConflict ? 'Merge with what the branch has, and save' : 'Save on the branch',
      keys: ['ctrl+s'],
      hint: isConflict ? 'merge' : 'save',
      run: save,
    },
    {
      id: 'page.handOff',
      title: `Open in ${shown(options.context.app.environment.editor)}`,
      keys: ['ctrl+e'],
      run: () => page.draft && handOff(page.path, page.pane, { app: options.context.app, draft: page.draft }),
    },
  ]
}

/** Main, and what somebody may only read. */
function readingCommands({ options }: Acting): readonly Command[] {
  const { context, project, place } = options
  const { app, workspace, routes } = context
  return [
    {
      id: 'page.branch',
      title: 'Create a branch to change this page',
      keys: ['e', 'ctrl+e'],
      hint: 'change it',
      ...readOnlyReason(workspace, { project, scope: 'write' }),
      run: async () => {
        const branches = await app.task('Looking at the branches', async () => {
          const { value } = await workspace.project(project.slug).branches()
          return value
        })
        if (branches === undefined) return
        const created = await createBranch(context, project, branches)
        if (created !== undefined) app.replace(routes.page(project, created, place))
      },
    },
  ]
}

function viewCommands({ page, isPreviewing, togglePreview }: Acting): readonly Command[] {
  const { pane } = page
  return [
    ...(page.isProse
      ? [
          {
            id: 'page.preview',
            title: isPreviewing ? 'Close the preview' : 'Show what the page looks like',
            keys: ['f7'],
            hint: isPreviewing ? 'close preview' : 'preview',
            run: togglePreview,
          },
        ]
      : []),
    {
      id: 'page.numbers',
      title: pane.lineNumbers ? 'Hide the numbers of lines' : 'Show the numbers of lines',
      keys: ['f6'],
      run: () => {
        pane.lineNumbers = !pane.lineNumbers
      },
    },
  ]
}

/** To what the branch makes of the page. */
function branchCommands({ options }: Acting): readonly Command[] {
  const { context, project, branch } = options
  const { app, routes } = context
  const history = {
    id: 'page.history',
    title: `History of ${branch === 'main' ? 'main' : 'the branch'}`,
    run: () => app.push(routes.history(project, branch)),
  }
  if (branch === 'main') return [history]
  return [
    {
      id: 'page.site',
      title: 'Open the preview of the branch in the browser',
      keys: ['f9'],
      run: () => openPreview(context, branch),
    },
    { id: 'page.diff', title: 'What the branch changed', run: () => app.push(routes.diff(project, branch)) },
    history,
  ]
}
