import type { Command } from '../../app/view.ts'
import { agoText } from '../shared/age.ts'
import type { Acting } from './acting.ts'

/** What is seldom done, in the palette only. */
export function draftCommands({ page, options }: Acting): readonly Command[] {
  const { app } = options.context
  const { draft } = page
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
      },
    },
    {
      id: 'page.others',
      title: 'Look at other texts of this page that were kept here',
      ...(others.length === 0 ? { unavailable: 'There are none.' } : {}),
      run: async () => {
        const chosen = await app.dialogs.choose({
          title: 'Texts of this page that were kept here',
          choices: others.map((version) => ({
            value: version,
            label: `Written ${agoText(version.changedAt)}`,
            detail: version.elsewhere ? 'another window has it open' : 'not saved',
          })),
        })
        if (chosen === undefined) return
        page.become(await chosen.text())
        app.notify('This is the other text. Ctrl-Z goes back to yours.')
      },
    },
  ]
}
