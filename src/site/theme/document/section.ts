import { sha256 } from '#lib/digest.ts'
import { raw, type Attributes, type Html } from '#lib/html.ts'
import { type Counterparts, languageOf } from '../../counterparts.ts'
import { interfaceLanguage, isRightToLeft } from '../../languages.ts'
import type { Section, Shell } from '../../shell.ts'
import { pageWords, type PageWords } from '../words/page.ts'
import { partWords, type PartWords } from '../words/parts.ts'
import { searchWords, type SearchWords } from '../words/search.ts'
import { wordsIn } from '../words/words.ts'
import { renderFooter, renderHeader, renderSidebar } from './chrome.tsx'
import { createSidebar } from './sidebar.tsx'
import { fillSlots, renderSwitches } from './switches.tsx'

/** No text looks like it: it has no `<` that is not escaped. */
const pagesHere = '<pages>'

/** All that pages of one section share. */
export interface SectionParts {
  /** Attributes of the root element. */
  readonly root: Attributes
  /** For the body, with a leading space. */
  readonly className: string
  readonly lang: string
  /** The shell, with what its language has of its own. */
  readonly local: Shell
  readonly words: PageWords
  /** Words in the bodies of pages, where those are not in English. */
  readonly parts?: PartWords
  readonly footer: Html
  /** What stands around the page at a path; null for a document without an address. */
  readonly around: (path: string | null) => { readonly header: Html; readonly sidebar: Html }
}

export function createSection(
  site: Shell,
  index: number,
  { counterparts, scope }: { readonly counterparts: Counterparts; readonly scope: number },
): SectionParts {
  const section = site.sections[index]
  const lang = languageOf(section, site.lang)
  const words = wordsIn(pageWords, lang)
  const own = site.languages !== undefined && Object.hasOwn(site.languages, lang) ? site.languages[lang] : undefined
  const shell = own === undefined ? site : { ...site, ...own }
  const switches = renderSwitches(section, counterparts, words)
  const pages = createSidebar(section?.items ?? [], words, shell.drilldown)
  const { anchors = [] } = section ?? {}
  // Written once: only the list of pages and the ways to other versions differ between the pages of a section.
  const [start = '', end = ''] = renderSidebar(shell, switches, { pages: raw(pagesHere), anchors, words }).html.split(
    pagesHere,
  )
  const header = fillSlots(
    renderHeader(shell, switches, { section, words, search: { scope, words: searchWordsIn(lang, shell.prompt) } }).html,
  )
  const sidebar = fillSlots(start)
  return {
    root: rootOf(shell, section),
    local: shell,
    lang,
    words,
    ...(interfaceLanguage(lang) === 'en' ? {} : { parts: wordsIn(partWords, lang) }),
    footer: renderFooter(shell, words),
    className: switches.tabs.length === 0 ? '' : ' q-has-tabs',
    around: (path) => {
      const hrefs = switches.keeping.map(({ choice, level }) =>
        path === null || section === undefined
          ? choice.href
          : (counterparts.find(path, section, level, choice) ?? choice.href),
      )
      return { header: raw(header(hrefs)), sidebar: raw(sidebar(hrefs) + pages.render(path ?? '').html + end) }
    },
  }
}

export function rootOf(shell: Shell, section: Section | undefined): Attributes {
  const lang = languageOf(section, shell.lang)
  const { default: appearance, strict } = shell.appearance
  return {
    lang,
    dir: isRightToLeft(lang) ? 'rtl' : 'ltr',
    'data-base': shell.base,
    'data-appearance': appearance,
    'data-strict': strict,
    'data-q-banner':
      shell.banner?.dismissible === true ? sha256(Buffer.from(shell.banner.text)).slice(0, 12) : undefined,
    'data-theme': appearance === 'system' ? undefined : appearance,
    // What scripts say: see client/browser.ts.
    'data-words': scriptWords(lang),
  }
}

function searchWordsIn(lang: string, prompt: string | undefined): SearchWords {
  const { close, version, language, section, changelog } = wordsIn(pageWords, lang)
  const own = prompt === undefined ? {} : { search: prompt }
  return { ...wordsIn(searchWords, lang), ...own, close, version, language, section, changelog }
}

/** Words of the script of every page, in the order of `words` in client/browser.ts. */
function scriptWords(lang: string): string {
  const { copyCode, copied, example, close } = { ...wordsIn(partWords, lang), ...wordsIn(pageWords, lang) }
  return [copyCode, copied, example, close].join('|')
}
