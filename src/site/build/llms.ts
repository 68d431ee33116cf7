import type { JoinedPages } from '../../contract/release.ts'
import type { Steps } from '../../lib/slices.ts'
import { encodePath } from '../../lib/url-path.ts'
import type { SitePage } from '../config/pages.ts'
import { Counterparts } from '../counterparts.ts'
import type { Section, Shell } from '../shell.ts'
import { markdownPathOf } from './plan.ts'

/** The text of all pages: at the root that of the default version and language, in their folders those of others. */
export const fullPath = '/llms-full.txt'

/** Pages of one version and language. */
export interface Edition {
  /** Where the text of them all is: `/llms-full.txt`, `/v1/llms-full.txt`. */
  readonly path: string
  /** Of what the switches say: `v1, English`; empty where there are no versions or languages. */
  readonly label: string
  /** Decoded URL paths, in reading order. */
  readonly urls: readonly string[]
}

type OpenEdition = Edition & { readonly urls: string[] }

/** More editions are not told apart. */
const maxEditions = 200

type Switch = Section['switches'][number]
const isOfEdition = ({ kind }: Switch): boolean => kind === 'version' || kind === 'language'

/**
 * Pages by version and language: the default ones first, then those that have a folder of their own.
 *
 * @param urls of the pages that are listed, in reading order
 */
export function* editionsOf(
  shell: Pick<Shell, 'sections' | 'places' | 'lang'>,
  urls: readonly string[],
): Steps<Edition[]> {
  const counterparts = new Counterparts(shell)
  const bySection = new Map<Section | undefined, OpenEdition | undefined>()
  const byPath = new Map<string, OpenEdition>()
  const editionOf = (section: Section | undefined) => {
    if (bySection.has(section)) return bySection.get(section)
    const isDefault = section === undefined || counterparts.isDefault(section)
    const own = section?.switches.filter(isOfEdition) ?? []
    const folder = own.findLast((item) => item.folder !== undefined)?.folder
    const path = isDefault ? fullPath : folder === undefined || folder === '/' ? undefined : folder + fullPath
    const known = path === undefined ? undefined : byPath.get(path)
    const label = own.map((item) => item.label).join(', ')
    const isRoom = isDefault || byPath.size < maxEditions
    const edition = known ?? (path === undefined || !isRoom ? undefined : { path, label, urls: [] })
    if (edition !== undefined) byPath.set(edition.path, edition)
    bySection.set(section, edition)
    return edition
  }
  for (const url of urls) {
    yield
    const place = Object.hasOwn(shell.places, url) ? shell.places[url] : undefined
    const section = place === undefined ? counterparts.sectionAt(url) : shell.sections[place.section]
    editionOf(section)?.urls.push(url)
  }
  const main = byPath.get(fullPath)
  return [...(main === undefined ? [] : [main]), ...[...byPath.values()].filter((edition) => edition !== main)]
}

interface TextSite {
  readonly name: string
  readonly description?: string
  /** `https://docs.example.com` */
  readonly origin: string
  readonly editions: readonly Edition[]
}

/** llms.txt: the site for language models, a line a page with its Markdown. Format: https://llmstxt.org */
export function* llmsText(site: TextSite, pages: readonly SitePage[]): Steps<string> {
  const { origin, editions } = site
  const texts = editions.map(
    ({ path, label }) => `${origin}${encodePath(path)}${label === '' ? '' : ` (${oneLine(label)})`}`,
  )
  const whole = texts.length === 0 ? '' : `All of these pages in one text: ${texts.join(', ')}. `
  const ways = `${whole}Agents search and read them at ${origin}/mcp (Model Context Protocol, Streamable HTTP).\n\n`
  let lines = ''
  for (const { url, summary } of pages) {
    yield
    const about = summary.description === undefined ? '' : `: ${oneLine(summary.description)}`
    lines += `- [${oneLine(summary.title).replaceAll(/[[\]\\]/g, '\\$&')}](${origin}${encodePath(markdownPathOf(url))})${about}\n`
  }
  return `${titleOf(site)}${ways}## Docs\n\n${lines}`
}

/** What the text of an edition has, and what it says of itself at its top. */
export function joinedPages(site: TextSite, edition: Edition): JoinedPages {
  const { origin, editions } = site
  const about = edition.label === '' ? '' : ` of ${oneLine(edition.label)}`
  const others = editions
    .filter((other) => other !== edition)
    .map(({ path, label }) => `${oneLine(label)} at ${origin}${encodePath(path)}`)
  const more = others.length === 0 ? '' : ` Others have a text of their own: ${others.join('; ')}.`
  const head = `${titleOf(site)}The pages${about} in one text, in the order of the navigation.${more} ${origin}/llms.txt names all of them.\n`
  return { head, origin, pages: edition.urls }
}

function titleOf({ name, description }: TextSite): string {
  return `# ${oneLine(name)}\n\n${description === undefined ? '' : `> ${oneLine(description)}\n\n`}`
}

function oneLine(text: string): string {
  return /[\r\n\t]/.test(text) ? text.replaceAll(/\s+/g, ' ').trim() : text
}
