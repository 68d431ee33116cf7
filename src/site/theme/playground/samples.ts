import { all } from '../client/browser.ts'
import { codeOf, languages, type HarRequest } from '../../api/languages.ts'
import { coloured } from './colours.ts'

/** The blocks of code beside the text that say how a request is sent, by the title of their language. */
function blocks(): ReadonlyMap<string, HTMLElement> {
  const found = new Map<string, HTMLElement>()
  for (const code of all('.q-example-request pre > code')) {
    const title =
      code.closest('.q-tab')?.getAttribute('data-title') ??
      code.closest('.q-code')?.querySelector('.q-code-title')?.textContent
    if (title !== null && title !== undefined) found.set(title.trim(), code)
  }
  return found
}

/** Has the samples of the page say what was filled in; those that its author wrote stay. */
export async function followSamples(request: HarRequest, names: readonly string[]): Promise<void> {
  const places = blocks()
  for (const name of names) {
    const place = places.get(titleOf(name))
    const text = place === undefined ? undefined : await codeOf(request, name)
    if (text !== undefined) place?.replaceChildren(coloured(text, 'code'))
  }
}

export function titleOf(name: string): string {
  return languages[name]?.[0] ?? name
}

/** The list of languages of the page, whose choice is remembered. */
export function pageChoice(): HTMLSelectElement | undefined {
  const [select] = all('.q-example-request .q-tabselect')
  return select instanceof HTMLSelectElement ? select : undefined
}
