import { Failure } from '#contract/failure.ts'
import { shown } from '../../canvas/width.ts'
import type { UnsavedFile } from '../../data/workspace.ts'
import type { Context } from '../shared/context.ts'
import { copyForPages } from '../shared/copy.ts'
import { isGone } from '../shared/gone.ts'

/** UTF-16 units of a text that are shown; all of it is copied. */
const mostShown = 20_000

/** Goes on with a draft where it was left; where that is gone, its text is shown and can be copied. @throws Failure */
export async function openDraft(context: Context, draft: UnsavedFile): Promise<void> {
  try {
    await goTo(context, draft)
  } catch (error) {
    if (!(error instanceof Failure) || !isGone(error) || draft.text === undefined) throw error
    // Not a part of the work under way: it is read for as long as it takes.
    void showText(context, draft, error).catch((failure: unknown) => context.app.fail(failure))
  }
}

async function goTo({ app, workspace, routes }: Context, draft: UnsavedFile): Promise<void> {
  const { slug, branch, branchId, path, entry, message } = draft
  const space = workspace.project(slug)
  const [{ value: project }, { value: branches }] = await Promise.all([space.read(), space.branches()])
  if (entry === true) return app.push(routes.changelog(project))
  const found =
    branches.find(({ id }) => id === branchId || `${message}:${id}` === branchId) ??
    branches.find(({ name }) => name === branch)
  if (found === undefined) {
    const cannot = message === undefined ? 'saved on it' : 'sent'
    throw new Failure('not_found', `The branch ${branch} of ${slug} is gone, so ${path} cannot be ${cannot}.`, {
      hint: 'The draft stays on this machine: create a branch of that name to go on with it.',
    })
  }
  if (message === 'assistant') return app.push(routes.assistant(project, found))
  if (message === 'publish') {
    const publish = routes.publish?.(project, found)
    return publish === undefined ? undefined : app.push(publish)
  }
  app.push(routes.page(project, found, { path }))
}

async function showText({ app }: Context, draft: UnsavedFile, { message, hint }: Failure): Promise<void> {
  const { slug, path } = draft
  const typed = (await draft.text?.()) ?? ''
  const isMeant = await app.dialogs.confirm({
    title: `What you typed in ${shown(path)} of ${shown(slug)}`,
    body: [
      [message, hint ?? 'What you typed stays on this machine.'].join(' '),
      typed.length > mostShown ? `${typed.slice(0, mostShown)} …` : typed,
    ],
    act: 'Copy the text',
    leave: 'close',
  })
  if (!isMeant) return
  copyForPages(app, typed)
  app.notify('The text is copied: Ctrl-V in a page pastes it.', 'success')
}
