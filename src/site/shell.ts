import type { Integrations } from './integrations.ts'
import type { Metatag } from './metatags.ts'

/**
 * The shell: what all pages of a release share. Stored once a release as UTF-8 JSON. All strings are plain text and
 * are escaped where they are put into HTML, except `icon` (inline SVG from our own icon sets). All hrefs are checked:
 * site paths, http(s), mailto or tel.
 */
export interface Shell {
  readonly format: 1
  readonly name: string
  readonly description?: string
  /** Origin of the live site, with the path that it stands below, without trailing slash. */
  readonly url: string
  /** That path, `/docs`: it stands before all others in documents, and in none of these here. */
  readonly base?: string
  /** Language of pages whose section names none, a BCP 47 tag; English where it is absent. */
  readonly lang?: string
  readonly colors: {
    readonly primary: string
    readonly light?: string
    readonly dark?: string
    readonly background?: { readonly light?: string; readonly dark?: string }
  }
  readonly appearance: { readonly default: 'system' | 'light' | 'dark'; readonly strict: boolean }
  readonly logo?: { readonly light: string; readonly dark: string; readonly href?: string }
  readonly favicon?: { readonly light: string; readonly dark: string }
  readonly navbar: { readonly links: readonly ShellLink[]; readonly primary?: ShellLink }
  readonly footer: {
    readonly socials: readonly ShellLink[]
    readonly columns: readonly { readonly header?: string; readonly links: readonly ShellLink[] }[]
  }
  readonly banner?: Banner
  /** What pages of a language have in their place, by BCP 47 tag. */
  readonly languages?: Readonly<Record<string, Partial<Pick<Shell, 'banner' | 'navbar' | 'footer'>>>>
  readonly look?: Look
  /** Of the page of a lost reader: its words, or that it leads to the first page instead. */
  readonly lost?: { readonly title?: string; readonly parts?: readonly InlinePart[]; readonly redirect?: true }
  /** What the search field says while it is empty. */
  readonly prompt?: string
  /** Pages do not say when they were last changed, unless they ask for it. */
  readonly timestamps?: false
  /** Who publishes the site, in the words of schema.org. */
  readonly organization?: Readonly<Record<string, string | readonly string[]>>
  /** Where search engines are to look for the site in place of `url`, without trailing slash. */
  readonly canonical?: string
  /** Anchors that stand over every sidebar. */
  readonly anchors: readonly ShellLink[]
  /** Groups that fold lead to their first page, too. */
  readonly drilldown?: true
  /** Sidebars; every page in navigation belongs to one. */
  readonly sections: readonly Section[]
  /** Page URL path → where it stands. A page outside navigation is absent and gets section 0. */
  readonly places: Readonly<Record<string, PagePosition>>
  /** Hashed URL paths of the theme’s files. */
  readonly assets: ThemeAssets
  /** URL paths of the site’s own style sheets and scripts, which are on each page. */
  readonly own?: { readonly styles: readonly string[]; readonly scripts: readonly string[] }
  readonly noindex?: boolean
  /** The author’s own of the head, in the order that they were written. */
  readonly metatags?: readonly Metatag[]
  /** How cards look; absent: pages have none, or those of their author. */
  readonly cards?: 'light' | 'dark'
  /** The menu beside the title; releases of before have none. */
  readonly actions?: readonly PageAction[]
  /** Links of the repository, where `{path}` stands for the source of a page, `{title}` and `{page}` for its name and address. */
  readonly repository?: { readonly edit: string; readonly issue?: string }
  /** The release has a search index. */
  readonly search?: true
  /** It has `/llms-full.txt`. */
  readonly full?: true
  /** Readers may ask questions, which are answered from these pages: those in navigation, or all. Absent: they may not. */
  readonly ask?: { readonly dailyLimit: number; readonly pages: 'navigable' | 'all' }
  /** Views of pages and search terms are counted. */
  readonly analytics?: true
  /** Services of others that the live site reports its readers to. */
  readonly integrations?: Integrations
  /** Readers may say whether a page was helpful. */
  readonly feedback?: true
}

/** A piece of a line of text. */
export interface InlinePart {
  readonly text: string
  readonly href?: string
  readonly strong?: boolean
}

interface Banner {
  readonly text: string
  /** The same with its links; releases of before have none. */
  readonly parts?: readonly InlinePart[]
  /** Readers may close it, until it says something else. */
  readonly dismissible?: boolean
  readonly type?: 'warning' | 'critical'
  readonly color?: { readonly light?: string; readonly dark?: string }
}

/** Fonts of a site, all of them files of its own. */
export interface FontLook {
  /** `src` is a URL path; weight and range are as CSS has them. */
  readonly faces: readonly {
    readonly family: string
    readonly src: string
    readonly format: string
    readonly weight?: string
    readonly range?: string
  }[]
  /** Descriptors of a font of the reader’s system that takes the same room, by family. */
  readonly fallbacks: Readonly<Record<string, string>>
  readonly body?: FontUse
  readonly heading?: FontUse
  /** Which the first lines of a page need. */
  readonly preload: readonly string[]
}

export interface FontUse {
  readonly family: string
  readonly weight?: number
}

/** What a site looks like beside its colours. */
export interface Look {
  /** Picture behind pages. */
  readonly image?: { readonly light: string; readonly dark: string }
  readonly decoration?: 'gradient' | 'grid' | 'windows'
  /** Names of themes of code blocks. */
  readonly code?: { readonly light: string; readonly dark: string }
  readonly fonts?: FontLook
  /** Over the title stands the group of a page alone; absent: all groups above it. */
  readonly eyebrow?: 'section'
}

/** What the menu of a page may offer, by the names that docs.json has for it. */
export const pageActions = [
  'copy',
  'view',
  'claude',
  'chatgpt',
  'perplexity',
  'grok',
  'aistudio',
  'mcp',
  'add-mcp',
  'cursor',
  'vscode',
  'download-pdf',
] as const

/** Options of Mintlify’s menu that there are not here: what they do there, and the way to have that. */
export const absentActions: Readonly<Record<string, { readonly would: string; readonly instead: string }>> = {
  assistant: {
    would: 'ask an assistant about the page',
    instead: 'Set ask in docs.json: a button on each page then answers questions.',
  },
  devin: { would: 'open the page in Devin', instead: '“view” has the page as Markdown, which can be given to it.' },
  'devin-desktop': {
    would: 'open the page in Devin Desktop',
    instead: '“view” has the page as Markdown, which can be given to it.',
  },
  windsurf: {
    would: 'open the page in Windsurf',
    instead: '“view” has the page as Markdown, which can be given to it.',
  },
  'devin-mcp': {
    would: 'connect Devin to the MCP server of the site',
    instead: '“mcp” copies its address, which can be given to it.',
  },
  'download-spec': {
    would: 'download the description of the API',
    instead: 'An option with title and href may lead to its file.',
  },
}

/** One of those, or a link of the site's own: `$path`, `$page` and `$mcp` in it are filled in for each page. */
export type PageAction =
  | (typeof pageActions)[number]
  | { readonly title: string; readonly description?: string; readonly icon?: string; readonly href: string }

/** Of sites that name none. */
export const defaultColour = '#0f766e'

export interface ThemeAssets {
  readonly css: string
  /** Module script of every page. */
  readonly script: string
  /** Module scripts by feature, loaded by pages that name it. */
  readonly features: Readonly<Record<string, string>>
}

export interface ShellLink {
  readonly label: string
  readonly href: string
  readonly icon?: string
}

/** One sidebar, reached through its switches: a tab, a version, a language, a dropdown … from the outside in. */
export interface Section {
  /** The choices that lead here. Sections that agree in all switches before `n` are alternatives of switch `n`. */
  readonly switches: readonly {
    readonly kind: 'tab' | 'anchor' | 'dropdown' | 'version' | 'language' | 'product'
    readonly label: string
    readonly icon?: string
    /** In its menu, beside and below its name. */
    readonly tag?: string
    readonly description?: string
    /** docs.json names it as the one to begin with; where it names none, that is the first. */
    readonly default?: true
    /** Of a version: whether its pages say that it is not the default one. Absent: when both look like versions. */
    readonly notice?: boolean
    /** Decoded URL path of the folder that holds this choice’s pages and none of its alternatives’: `/v1`, `/fr`. */
    readonly folder?: string
  }[]
  /** First page, where the switch leads; or an external href. */
  readonly href: string
  /** Language of its pages, a BCP 47 tag; that of the site where it is absent. */
  readonly lang?: string
  /** Links over this sidebar, behind those over every one: of its language, version … */
  readonly anchors?: readonly ShellLink[]
  readonly items: readonly NavItem[]
}

export type NavItem =
  | {
      readonly kind: 'page'
      readonly title: string
      readonly href: string
      readonly icon?: string
      readonly tag?: string
      /** BCP 47: the page stands here in the place of its translation, which is missing. It belongs to its own section. */
      readonly lang?: string
      readonly deprecated?: boolean
      /** Of the operation that the page is about, upper case; `WEBHOOK` of a webhook. */
      readonly method?: string
    }
  | {
      readonly kind: 'group'
      readonly title: string
      readonly icon?: string
      readonly tag?: string
      readonly href?: string
      readonly expanded?: boolean
      readonly items: readonly NavItem[]
    }

export interface PagePosition {
  readonly section: number
  /** The groups above, outermost first: titles, with the page of those that have one. */
  readonly trail: readonly (string | { readonly title: string; readonly href: string })[]
  readonly previous?: { readonly title: string; readonly href: string }
  readonly next?: { readonly title: string; readonly href: string }
}
