import { all } from '../client/browser.ts'
import { codeOf, languages, type HarRequest } from '../../api/languages.ts'
import { coloured } from './colours.ts'

/** The blocks of code beside the text that say how a request is sent, by the title of their language. */
function blocks(type: string | undefined): ReadonlyMap<string, HTMLElement> {
  const found = new Map<string, HTMLElement>()
  const groups = all('.q-example-request .q-tabs .q-tab:has(.q-tabs)')
  const own = groups.find((group) => group.getAttribute('data-title') === type)
  for (const code of all('.q-example-request pre > code')) {
    if (groups.length > 0 && own?.contains(code) !== true) continue
    const title =
      code.closest('.q-tab')?.getAttribute('data-title') ??
      code.closest('.q-code')?.querySelector('.q-code-title')?.textContent
    if (title !== null && title !== undefined) found.set(title.trim(), code)
  }
  return found
}

/** Has the samples of the page say what was filled in; those that its author wrote stay. */
export async function followSamples(
  request: HarRequest,
  { type, names }: { readonly type: string | undefined; readonly names: readonly string[] },
): Promise<void> {
  const places = blocks(type)
  for (const name of names) {
    const place = places.get(titleOf(name))
    const text = place === undefined ? undefined : await codeOf(request, name)
    if (text !== undefined) place?.replaceChildren(coloured(text, 'code'))
  }
}

export function titleOf(name: string): string {
  return languages[name]?.[0] ?? name
}

/** The list of the page in which an entry is chosen by its title: languages, media types. Its choice is remembered. */
export function pageChoice(titles: readonly string[]): HTMLSelectElement | undefined {
  return all('.q-example-request .q-tabselect').find(
    (select): select is HTMLSelectElement =>
      select instanceof HTMLSelectElement &&
      select.closest('.q-tab[hidden]') === null &&
      [...select.options].some(({ text }) => titles.includes(text)),
  )
}

/** Has the page show what was chosen in the form. */
export function choose(title: string): void {
  const select = pageChoice([title])
  for (const each of select?.options ?? []) if (each.text === title) each.selected = true
  select?.dispatchEvent(new Event('change'))
}
