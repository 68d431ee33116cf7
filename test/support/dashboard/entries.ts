import type { Locator, Page } from 'playwright-core'
import type { EntryChange } from '#contract/changelog.ts'
import { contract } from '#contract/index.ts'
import type { Person, Size } from '#test/support/dashboard.ts'

/** Where an entry is written. */
export const text = (page: Page): Locator => page.getByRole('textbox', { name: 'Text' })

/** Shows the preview where there is no room for it beside the text. */
export async function seePreview(page: Page, size: Size): Promise<Locator> {
  if (size === 'phone') await page.getByRole('button', { name: 'Preview' }).click()
  return page.getByRole('region', { name: 'Preview' })
}

export async function project(person: Person, slug: string): Promise<void> {
  await person.client.call(contract.projects.create, { body: { slug } })
}

export async function entry(person: Person, slug: string, body: object = {}) {
  const words = { title: 'Faster search', content: 'Results come **at once**.', ...body }
  return person.client.call(contract.changelog.create, { params: { slug }, body: words })
}

/** Somebody changes an entry elsewhere. */
export function change(person: Person, slug: string, body: EntryChange) {
  return person.client.call(contract.changelog.update, { params: { slug }, body })
}

/** What the service has. */
export async function entriesOf(person: Person, slug: string) {
  return (await person.client.call(contract.changelog.list, { params: { slug } })).items
}
