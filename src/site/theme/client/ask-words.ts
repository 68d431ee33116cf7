import type { AskWords } from '../words/ask.ts'
import { all } from './browser.ts'

/** What button and box say, in the language of the page. */
export const askWords = (): AskWords =>
  JSON.parse(all('script[data-ask]')[0]?.getAttribute('data-ask') ?? '{}') as AskWords
