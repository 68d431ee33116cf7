import type { App } from '../../app/app.ts'
import type { UnsavedFile, Workspace } from '../../data/workspace.ts'

/**
 * What is not saved, before it is asked what is to become of it. Reading it can take its time: Esc breaks it off, so that
 * no question comes up over whatever the person went on to.
 * @returns undefined: it was broken off, or failed, which was told
 */
export function findUnsaved(app: App, workspace: Workspace): Promise<readonly UnsavedFile[] | undefined> {
  return app.task('Looking for what is not saved', async (signal) => {
    const unsaved = await workspace.unsaved()
    signal.throwIfAborted()
    return unsaved
  })
}
