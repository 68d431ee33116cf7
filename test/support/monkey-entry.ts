import { entryDocument } from '#cli/tui/data/entry-text.ts'
import { contract } from '#contract/index.ts'
import { expectRepaintedTheSame, keptDrafts, until } from './monkey-checks.ts'
import type { Hands } from './monkey-hands.ts'
import { letters } from './monkey-keys.ts'
import type { Writer } from './writer.ts'

/** Keys that leave the field of the text alone. */
const within = ['enter', 'backspace', 'delete', 'left', 'right', 'up', 'home', 'end', 'ctrl+z', 'ctrl+y', 'ctrl+home']

/** The changelog of a project at a terminal. */
export interface AtChangelog {
  readonly writer: Writer
  readonly hands: Hands
  /** To a row of the list that is seen. */
  readonly choose: (name: string) => Promise<void>
  /** kill -9 of the UI, and another start. */
  readonly restart: () => Promise<void>
}

/**
 * From the projects to a new entry of the changelog, which is written, now and then killed, and saved: what the draft has
 * is there again, and on the service in the end.
 */
export async function writesEntry({ writer, hands, choose, restart }: AtChangelog, title: string): Promise<void> {
  await choose(writer.slug)
  await hands.terminal.shows('what readers see')
  hands.press('c')
  await hands.terminal.shows(/› +Changelog/)
  await hands.terminal.settled(200)
  hands.press('n')
  await hands.terminal.shows('What is new, in a line')
  hands.type(title)
  hands.press('enter')
  for (let left = 20 + hands.below(60); left > 0; left--) {
    if (hands.chance(0.03)) hands.resize()
    else if (hands.chance(0.05)) hands.paste()
    else hands.press(hands.one([letters, letters, letters, within]))
    await hands.rests()
  }
  await hands.makesRoom()
  hands.press('ctrl+end')
  hands.type('end')
  hands.press('left', 'end')
  const kept = async (): Promise<string | undefined> => {
    for (const { text } of await keptDrafts(writer.state)) {
      if (!text.includes(title)) continue
      const { content } = entryDocument(text)
      if (content.endsWith('end')) return content
    }
    return undefined
  }
  await until(
    async () => (await kept()) !== undefined,
    () => `a draft of ${title}:\n${hands.terminal.screen()}`,
  )
  const content = await kept()
  if (hands.chance(0.5)) {
    await restart()
    await choose(title)
    await hands.terminal.shows(new RegExp(`draft +${title}.* not saved`))
    hands.press('enter')
    await hands.terminal.shows(/not saved, kept here/)
  }
  await hands.terminal.settled(200)
  await expectRepaintedTheSame(hands.terminal)
  hands.press('ctrl+s')
  // With components it must be valid MDX.
  const isRefused = (): boolean => hands.terminal.screen().includes('That did not work')
  await until(
    async () => {
      if (isRefused()) return (await kept()) === content
      const { items } = await writer.client.call(contract.changelog.list, { params: { slug: writer.slug }, query: {} })
      return items.some((one) => one.title === title && one.content === content) && (await kept()) === undefined
    },
    () => `the service to have of ${title}: ${JSON.stringify(content)}\n${hands.terminal.screen()}`,
  )
}
