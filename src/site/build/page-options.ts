import { isUtf8 } from 'node:buffer'
import { pointerTo } from '../../lib/json-reader.ts'
import { sha256 } from '../../lib/digest.ts'
import type { SiteConfig } from '../config/config.ts'
import type { Problems } from '../config/problems.ts'

/** What docs.json says that the pages themselves are made of. */
export interface PageOptions {
  /** Texts that stand for `{{name}}` in pages and snippets. */
  readonly variables: ReadonlyMap<string, string>
  /** Icon set whose names count before those of others. */
  readonly icons?: string
  /** Changes whenever pages would; empty where docs.json says nothing. */
  readonly mark: string
}

const namePattern = /^[a-z\d][a-z\d_-]{0,63}$/i
const placePattern = /\{\{[ \t]{0,8}([a-z\d][a-z\d_-]{0,63})[ \t]{0,8}\}\}/gi
/** Characters that all values have together. */
const longestTogether = 64 * 1024
/** Text of a page that variables may make longer. */
const longestFilled = 4 * 1024 * 1024

/** @param problems is told of names that no page can use */
export function pageOptions({ settings }: Pick<SiteConfig, 'settings'>, problems?: Problems): PageOptions {
  const variables = new Map<string, string>()
  let left = longestTogether
  for (const [name, value] of Object.entries(settings?.variables ?? {})) {
    const text = String(value)
    left -= text.length
    const why = !namePattern.test(name)
      ? 'a name has letters, digits and hyphens'
      : left < 0
        ? `all of them have more than ${longestTogether} characters`
        : undefined
    if (why === undefined) variables.set(name, text)
    else problems?.warning('setting-ignored', pointerTo('/variables', name), `The variable is left out: ${why}.`)
  }
  const library = settings?.icons?.library?.toLowerCase()
  const icons = library === 'lucide' || library === 'tabler' ? library : undefined
  const mark =
    variables.size === 0 && icons === undefined ? '' : sha256(JSON.stringify([[...variables], icons])).slice(0, 16)
  return { variables, mark, ...(icons === undefined ? {} : { icons }) }
}

/**
 * Puts texts in the place of `{{name}}`, wherever it stands, as if they were written there. A name that docs.json does not
 * have stays. Of the length of the source: one pass.
 */
export function fillVariables(source: Buffer, { variables }: PageOptions): Buffer {
  if (variables.size === 0 || !source.includes('{{') || !isUtf8(source)) return source
  let grown = 0
  const filled = source.toString('utf8').replace(placePattern, (whole, name: string) => {
    const value = variables.get(name)
    if (value === undefined || (grown += value.length) > longestFilled) return whole
    return value
  })
  return Buffer.from(filled)
}
