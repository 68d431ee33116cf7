import { afterEach, beforeAll, expect, test } from 'vitest'
import type { Application } from '#cli/tui/app/application.ts'
import type { Command, View } from '#cli/tui/app/view.ts'
import { span } from '#cli/tui/canvas/lines.ts'
import { lineText } from '#cli/tui/canvas/width.ts'
import { ListPane } from '#cli/tui/panes/list.ts'
import type { ScreenTerminal } from '#test/support/screen-terminal.ts'
import { startApplication } from '#test/support/tui-application.ts'

let app: Application
let terminal: ScreenTerminal

const command = (key: string, hint: string): Command => ({
  id: hint,
  title: hint,
  keys: [key],
  hint,
  run: () => undefined,
})

async function start(
  commands: readonly Command[],
  {
    title = 'Fruits',
    items = ['apple', 'banana'],
  }: { readonly title?: string; readonly items?: readonly string[] } = {},
): Promise<void> {
  const list = new ListPane<string>({ items, text: String, row: (item) => [span(item)], onOpen: () => undefined })
  const view: View = {
    title: 'fruits',
    about: 'Fruits that can be picked.',
    layout: ({ height }) => [{ pane: list, title, row: 1, column: 0, width: 20, height: height - 1 }],
    commands: () => commands,
  }
  ;({ app, terminal } = await startApplication(view))
  // With a way back.
  app.push({ ...view })
  terminal.press('home')
}

const keys = (): string => terminal.text.split('\n').at(-1) ?? ''

beforeAll(async () => {
  await import('#cli/tui/app/chrome/chrome.tsx')
})
afterEach(() => app.stop())

test('Enter stands among the keys where it opens something', async () => {
  await start([command('n', 'pick')])
  expect(keys()).toMatch(/^ Enter open {2}n pick {2}F1 help/)
})

test('a dialog has its keys in its own line', async () => {
  await start([command('n', 'pick')])
  terminal.press('ctrl+p')
  expect(terminal.text).toContain('Enter choose')
  expect(keys()).toBe('')
})

test('while a filter is typed no letter is promised, and Esc is said to show all', async () => {
  await start([command('n', 'pick'), command('ctrl+s', 'save')])
  terminal.press('/')
  terminal.types('ban')
  expect(keys()).toMatch(/^ Enter open {2}Esc show all {2}Ctrl-S save {2}F1 help/)
  expect(keys()).not.toContain('pick')
  expect(keys()).not.toContain('back')
  terminal.press('escape')
  expect(keys()).toContain('n pick')
  expect(keys()).toContain('Esc back')
})

test('the help says what letters do only where they do it', async () => {
  await start([{ ...command('n', 'pick'), keys: ['n', 'f2'] }])
  terminal.press('f1')
  expect(terminal.text).toMatch(/n, F2 +pick/)
  expect(terminal.text).toContain('Filter a list')
  terminal.press('escape', '/', 'f1')
  expect(terminal.text).toMatch(/\s F2 +pick/)
  expect(terminal.text).not.toMatch(/n, F2/)
  expect(terminal.text).not.toContain('Filter a list')
})

test('in a narrow window the ways out and to all commands stay', async () => {
  await start(['a', 'b', 'c', 'd', 'e', 'g'].map((key) => command(key, `does ${key} and more`)))
  for (const kept of ['F1 help', 'Esc back', 'Ctrl-P more']) expect(keys()).toContain(kept)
  expect(keys()).toContain('a does a and more')
  expect(keys()).not.toContain('Ctrl-Q quit')
})

test('what does not fit leaves its room to what is shorter', async () => {
  await start([
    command('a', 'pick'),
    command('b', 'a word that is as long as no window of eighty columns has room'),
    command('c', 'eat'),
  ])
  expect(keys()).toContain('a pick  c eat')
})

test('what is too wide for its place ends in …, rows and titles alike', async () => {
  await start([], { title: 'The names of all of the fruits', items: ['apple', 'a banana that is quite long'] })
  expect(terminal.text).toContain('\n The names of all of…\n')
  expect(terminal.text).toContain('\n a banana that is qu…\n')
})

test('what a row marks itself is seen also where it is selected', () => {
  const list = new ListPane<string>({
    items: ['apple'],
    text: String,
    row: (item) => [span('an '), span(item, { background: 'match' })],
  })
  const [line = []] = list.draw({ width: 20, height: 1 })
  expect(line.map(({ style }) => style?.background)).toEqual(['selected', 'match', 'selected'])
  expect(lineText(line).trim()).toBe('an apple')
})
