import { all } from '../client/browser.ts'
import type { PlaygroundWords } from '../words/playground.ts'

/** What the box says, in the language of the page. */
export const words = JSON.parse(
  all('script[data-playground]')[0]?.getAttribute('data-playground') ?? '{}',
) as PlaygroundWords

/** A phrase with its `{holes}` filled. */
export function filled(phrase: string, values: Readonly<Record<string, string>>): string {
  return phrase.replaceAll(/\{(\w+)\}/g, (hole, name: string) => values[name] ?? hole)
}
