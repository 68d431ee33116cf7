import type { Framework } from '../../src/contract/frameworks.ts'
import type { Report } from './report.ts'
import type { Project } from './project.ts'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined }
export type JsonObject = { readonly [key: string]: Json | undefined }

/** Which Markdown a page is written in. */
export type Dialect = 'docusaurus' | 'vitepress' | 'starlight' | 'mkdocs' | 'gitbook' | 'nextra' | 'plain'

/** A page of the site that is imported. */
export interface Page {
  /** Path in the project. */
  readonly source: string
  /** Decoded address, without the base and without a slash at its end: `/guide/start`. It stays what it was. */
  readonly url: string
  /** Its text, where it was made for the new site and is no file of the project. */
  readonly text?: string
  /** What the sidebar calls it, where that is said outside of the page. */
  label?: string | undefined
  icon?: string | undefined
  tag?: string | undefined
  /** What its expressions call its parts, beside the values of the site. */
  readonly values?: Readonly<Record<string, string>>
}

/** An entry of a sidebar. */
export type Entry =
  | {
      readonly kind: 'page'
      readonly source: string
      readonly label?: string
      readonly icon?: string
      readonly tag?: string
    }
  | { readonly kind: 'link'; readonly label: string; readonly href: string }
  /** Pages of all operations of an API. @property openapi path or address of its description */
  | { readonly kind: 'api'; readonly label: string; readonly openapi: string }
  | {
      readonly kind: 'group'
      readonly label: string
      readonly root?: string
      readonly expanded?: boolean
      readonly items: readonly Entry[]
    }

/** One side of a switch: a tab, a version, a language. */
export interface Choice extends Sidebars {
  readonly name: string
  readonly href?: string
  readonly isDefault?: boolean
}

/** Navigation as the site had it; each kind of switch may hold the next. */
export interface Sidebars {
  readonly languages?: readonly Choice[]
  readonly versions?: readonly Choice[]
  readonly tabs?: readonly Choice[]
  readonly items?: readonly Entry[]
}

export interface Redirect {
  readonly source: string
  readonly destination: string
}

/** A file that is copied as it is. */
export interface Asset {
  readonly source: string
  /** In the new folder. */
  readonly target: string
}

/** What a framework’s reader makes of a project. */
export interface FoundSite {
  readonly framework: Framework | 'plain'
  readonly dialect: Dialect
  /** The settings file, where it is not the file that told which framework it is. */
  readonly sign?: string | undefined
  /** docs.json but for `navigation` and `redirects`. */
  readonly settings: JsonObject
  readonly pages: readonly Page[]
  readonly sidebars: Sidebars
  readonly assets: readonly Asset[]
  readonly redirects: readonly Redirect[]
  /** Path that the site stood below: `/docs`; empty where it had a host of its own. */
  readonly base: string
  /** Folder that addresses beginning with a slash are looked up in: pages, and files. */
  readonly roots: readonly string[]
  /** Beginnings of paths that stand for folders of the project: `@site/` → ``. */
  readonly aliases: Readonly<Record<string, string>>
  /** Whether addresses end with a slash, which decides what a relative one means. */
  readonly endsWithSlash: boolean
  /** What pages call their parts: values of `{{ name }}` and the like. */
  readonly values?: Readonly<Record<string, string>>
  /** Extensions of Markdown that the site turns on, by name. */
  readonly extensions?: ReadonlySet<string>
  /** Files that end with `.md` are Markdown, and no MDX. */
  readonly isMarkdown?: boolean
  /** Lines that stand at the end of every page, such as abbreviations. */
  readonly appended?: readonly string[]
  /** Folders in which included files are looked up, beside that of the page. */
  readonly includes?: readonly string[]
}

/** What readers of frameworks are given. */
export interface Reading {
  readonly project: Project
  readonly report: Report
  /** Folder of the settings file. */
  readonly folder: string
  readonly sign: string
}
