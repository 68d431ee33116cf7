import { count } from '#cli/output.ts'
import type { App } from '../../app/app.ts'
import type { Command } from '../../app/view.ts'
import type { KeptVersion } from '../../data/drafts/draft.ts'
import { agoText } from '../shared/age.ts'
import type { Acting } from './acting.ts'
import type { Page } from './page.ts'

async function lookAt(version: KeptVersion, page: Page, app: App): Promise<void> {
  const text = await version.text()
  const act = await app.dialogs.choose({
    title: `The text written ${agoText(version.changedAt)}, ${count(text.split('\n').length, 'line')}`,
    choices: [
      { value: 'take' as const, label: 'Bring it here', detail: 'Ctrl-Z goes back to yours' },
      {
        value: 'forget' as const,
        label: 'Forget it',
        detail: 'nothing else has it',
        ...(version.elsewhere ? { unavailable: 'another window has it open' } : {}),
      },
    ],
  })
  if (act === 'take') {
    page.become(text)
    app.notify('This is the other text. Ctrl-Z goes back to yours.')
  } else if (act === 'forget') {
    await version.discard()
    app.notify('The other text is forgotten.', 'success')
  }
}

/** What is seldom done. */
export function draftCommands({ page, options }: Acting): readonly Command[] {
  const { app, pendingMerges } = options.context
  const { slug } = options.project
  const { draft, path } = page
  if (draft === undefined) return []
  const others = draft.others ?? []
  return [
    {
      id: 'page.discard',
      title: 'Give up what is not saved',
      ...(draft.state === 'saved' ? { unavailable: 'Everything is saved.' } : {}),
      run: async () => {
        const isSure = await app.dialogs.confirm({
          title: 'Give up what is not saved?',
          body: ['The text becomes what the branch has. Ctrl-Z brings yours back while the page is open.'],
          act: 'Give it up',
          danger: true,
        })
        if (!isSure) return
        await draft.discard()
        page.follow()
        // What was decided of a conflict was given up with it: the next one is another.
        if (options.branch !== 'main') void pendingMerges.forget({ slug, branchId: options.branch.id, path })
      },
    },
    {
      id: 'page.others',
      title: 'Look at other texts of this page that were kept here',
      keys: ['f4'],
      ...(others.length === 0 ? { unavailable: 'No other text of this page is kept here.' } : { hint: 'other text' }),
      run: async () => {
        const chosen = await app.dialogs.choose({
          title: 'Texts of this page that were kept here',
          choices: others.map((version) => ({
            value: version,
            label: `Written ${agoText(version.changedAt)}`,
            detail: version.elsewhere ? 'another window has it open' : 'not saved',
          })),
        })
        if (chosen !== undefined) await lookAt(chosen, page, app)
      },
    },
  ]
}
