import { afterEach, expect, test, vi } from 'vitest'
import type { Application } from '#cli/tui/app/application.ts'
import { endOf } from '#cli/tui/app/breadcrumb.ts'
import type { View } from '#cli/tui/app/view.ts'
import { lineText } from '#cli/tui/canvas/width.ts'
import { startApplication } from '#test/support/tui-application.ts'

const titles = ['Projects', 'Ada docs', 'new-api', 'guides/quickstart.mdx']
const aView = (title: string): View => ({ title, about: '', layout: () => [], commands: () => [] })

let app: Application
afterEach(() => app.stop())

async function started(width: number, shown: readonly string[] = titles) {
  const begun = await startApplication(aView(shown[0] ?? ''), { size: { width, height: 24 } })
  app = begun.app
  for (const title of shown.slice(1)) app.push(aView(title))
  begun.terminal.resize({ width, height: 24 })
  const header = lineText(begun.terminal.frame.rows[0] ?? [])
  return {
    ...begun,
    header,
    crumbs: (/^ Quire {2}(.*?) {2,}ada@example\.com ?$/.exec(header)?.[1] ?? header).split(' › '),
  }
}

test('The breadcrumb is whole where there is room for it', async () => {
  expect((await started(80)).crumbs).toEqual(titles)
})

test.each([54, 58, 60, 62, 66, 70, 74, 78])(
  'In %i columns its parts are whole, with a space at both sides of each arrow, and the last one is there',
  async (width) => {
    const { crumbs } = await started(width)
    const [first, ...rest] = crumbs
    expect(first).toBe('…')
    expect(rest.length).toBeGreaterThan(0)
    expect(rest).toEqual(titles.slice(-rest.length))
  },
)

test('Of a title that is too long alone its end is shown, which tells one page from another', async () => {
  const { header } = await started(50, ['Projects', 'guides/deep/down/quickstart-writers.mdx'])
  expect(header).toMatch(/^ Quire {2}….*quickstart-writers\.mdx {2,}ada@example\.com ?$/)
})

test('A click on a part leads to its view, however the breadcrumb is cut', async () => {
  const { terminal, header } = await started(62)
  const press = (column: number): void =>
    terminal.input({
      type: 'mouse',
      mouse: { action: 'press', button: 'left', row: 0, column, shift: false, ctrl: false, alt: false },
    })
  press(header.indexOf('new-api'))
  await vi.waitFor(() => expect(app.depth).toBe(3))
  expect(lineText(terminal.frame.rows[0] ?? [])).toContain(' › new-api')
})

test('Of who is signed in the end is shown, which says whether the service can be reached', () => {
  expect(endOf('ada.lovelace@example.com · offline', 16)).toBe('…e.com · offline')
  expect(endOf('ada@example.com', 16)).toBe('ada@example.com')
})
