import type { App } from '../../app/app.ts'
import { clipboard } from '../../panes/clipboard.ts'

/** Copies a text such that Ctrl-V in a page pastes it, also where the terminal lets no program have its clipboard. */
export function copyForPages(app: Pick<App, 'copy'>, text: string): void {
  clipboard.text = text
  app.copy(text)
}
