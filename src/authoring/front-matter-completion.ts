import type { Completion, CompletionList } from './language.ts'
import { ranked } from './ranking.ts'

interface Field {
  readonly name: string
  readonly about: string
  readonly choices?: readonly string[]
}

const yesOrNo = ['true', 'false']

/** What the service reads of a page’s front matter. */
const fields: readonly Field[] = [
  { name: 'title', about: 'Name of the page' },
  { name: 'description', about: 'In search results and under the title' },
  { name: 'sidebarTitle', about: 'Its name in the navigation, if another one' },
  { name: 'icon', about: 'In the navigation, such as rocket' },
  {
    name: 'iconType',
    about: 'Style of the icon',
    choices: ['regular', 'solid', 'light', 'thin', 'sharp-solid', 'duotone', 'brands'],
  },
  { name: 'tag', about: 'A word beside its name in the navigation' },
  { name: 'mode', about: 'Layout of the page', choices: ['default', 'wide', 'custom', 'frame', 'center'] },
  { name: 'keywords', about: 'Words that search finds it by' },
  { name: 'hidden', about: 'Not in the navigation', choices: yesOrNo },
  { name: 'noindex', about: 'Not for search engines', choices: yesOrNo },
  { name: 'deprecated', about: 'Marked as outdated, here and in the sidebar', choices: yesOrNo },
  { name: 'searchable', about: 'false: not in the search of the site', choices: yesOrNo },
  { name: 'boost', about: 'Further up in the search above 1, further down below' },
  { name: 'canonical', about: 'The address that search engines are to keep' },
  { name: 'lastUpdatedDate', about: 'The day that stands below the page, such as 2026-08-13' },
  { name: 'timestamp', about: 'Whether that day stands there', choices: yesOrNo },
  { name: 'hideFooterPagination', about: 'Without the pages before and after it below', choices: yesOrNo },
  { name: 'hideApiMarker', about: 'Without its method in the sidebar', choices: yesOrNo },
  { name: 'url', about: 'The entry leads to this address instead' },
  { name: 'openapi', about: 'Endpoint that the page describes, such as GET /users' },
]

/** Keys and values of front matter, for the text of a line before the cursor. */
export function frontMatterCompletions(before: string, present: ReadonlySet<string>): CompletionList | undefined {
  const key = /^([A-Za-z]*)$/.exec(before)?.[1]
  if (key !== undefined) {
    const open = fields.filter(({ name }) => !present.has(name))
    const items = ranked(open, key, ({ name }) => name).map(({ name, about }): Completion => ({
      label: name,
      insert: `${name}: `,
      detail: about,
    }))
    return { from: 0, items }
  }
  const [, name, typed = ''] = /^([A-Za-z]+):\s*(\w*)$/.exec(before) ?? []
  const choices = fields.find((field) => field.name === name)?.choices
  if (choices === undefined) return undefined
  const items = ranked(choices, typed, (choice) => choice).map((choice) => ({ label: choice, insert: choice }))
  return { from: before.length - typed.length, items }
}
