import type { App } from '../../app/app.ts'
import type { Command } from '../../app/view.ts'
import { shown } from '../../canvas/width.ts'
import { outlineOf } from '#authoring/outline.ts'
import type { Acting } from './acting.ts'
import type { Page } from './page.ts'

/** To a line, a heading, a problem. */
export function goingCommands({ page, options }: Acting): readonly Command[] {
  const { app } = options.context
  const { pane, buffer } = page
  return [
    {
      id: 'page.line',
      title: 'Go to a line',
      keys: ['ctrl+g'],
      run: async () => {
        const answer = await app.dialogs.ask({
          title: 'Go to a line',
          fields: [
            {
              name: 'line',
              label: 'Line',
              placeholder: `1 to ${buffer.count}`,
              check: (value) =>
                /^[1-9]\d*$/.test(value) && Number(value) <= buffer.count
                  ? undefined
                  : `A number from 1 to ${buffer.count}.`,
            },
          ],
          act: 'Go',
        })
        if (answer?.['line'] !== undefined) pane.reveal({ line: Number(answer['line']) - 1, column: 0 })
      },
    },
    ...(page.isProse
      ? [
          {
            id: 'page.outline',
            title: 'Outline: go to a heading',
            keys: ['ctrl+o'],
            run: async () => {
              const headings = outlineOf(buffer)
              if (headings.length === 0) {
                app.notify('The page has no headings.')
                return
              }
              const chosen = await app.dialogs.choose({
                title: 'Outline',
                choices: headings.map(({ line, level, text }) => ({
                  value: line,
                  label: `${'  '.repeat(level - 1)}${shown(text)}`,
                  detail: String(line + 1),
                })),
              })
              if (chosen !== undefined) pane.reveal({ line: chosen, column: 0 })
            },
          },
        ]
      : []),
    ...problemCommands(page, app),
  ]
}

function problemCommands(page: Page, app: App): readonly Command[] {
  const { pane } = page
  const none = page.problems.length === 0 ? { unavailable: 'No problems were found in this page.' } : {}
  const go = (isForward: boolean): void => {
    const { line } = pane.position
    const { problems } = page
    const next = isForward
      ? (problems.find((one) => one.line > line) ?? problems[0])
      : (problems.findLast((one) => one.line < line) ?? problems.at(-1))
    if (next !== undefined) pane.reveal({ line: next.line, column: next.column ?? 0 })
  }
  const here = pane.markersOn(pane.position.line).map(({ message }) => message)
  const { elsewhere = [], reason } = page.checker?.state ?? {}
  const told = here.length > 0 ? here : [...(reason === undefined ? [] : [reason]), ...elsewhere]
  return [
    { id: 'page.problem', title: 'Next problem', keys: ['f8'], ...none, run: () => go(true) },
    {
      id: 'page.problemWhole',
      title: 'Read the problems of this line',
      keys: ['f2'],
      ...(told.length === 0 ? { unavailable: 'No problem was found in this line.' } : {}),
      run: () =>
        app.dialogs.tell({
          title: here.length > 0 ? `Line ${pane.position.line + 1}` : 'The page was checked',
          body: told.map(shown),
        }),
    },
    { id: 'page.problemBefore', title: 'Previous problem', keys: ['shift+f8'], ...none, run: () => go(false) },
  ]
}
