import { all, copyLabel, make } from './browser.ts'

/** A copy button on each code block that has none. */
export function addCopyButtons(): void {
  for (const block of all('.q-code')) {
    if (block.querySelector('[data-copy]') === null)
      block.append(make('button', { type: 'button', class: 'q-copy', 'data-copy': '', 'aria-label': copyLabel }))
  }
}
