import { posix } from 'node:path'
import { factsOf } from './frameworks/shared.ts'
import { anchorsOf } from './markdown/anchors.ts'
import { convertBlocks, type BlockContext } from './markdown/blocks.ts'
import { bannerOf, coverOf, heroOf, splitPage, titleIn, writeFrontMatter } from './markdown/front-matter.ts'
import { convertGitbookHtml } from './markdown/gitbook-html.ts'
import { iconOf } from './markdown/icons.ts'
import { commentToJsx, withoutScripts } from './markdown/html.ts'
import { convertInline, plainTerminals } from './markdown/inline.ts'
import { pasteParts, pasteSnippets } from './markdown/includes.ts'
import { type Line, linesOf, outsideFences, textOf } from './markdown/lines.ts'
import { splitLiquid } from './markdown/liquid.ts'
import { markdownEdits } from './markdown/addresses.ts'
import { convertMdx } from './markdown/mdx.ts'
import { toMdx } from './markdown/to-mdx.ts'
import { applyEdits, parseTree } from './markdown/tree.ts'
import type { Links } from './links.ts'
import type { Modules } from './modules.ts'
import { cardsOf, entriesIn } from './navigation.ts'
import { pathFrom, type Project } from './project.ts'
import type { Kind, Report } from './report.ts'
import type { FoundSite, Page } from './site.ts'

/** A page as it is written. */
export interface WrittenPage {
  readonly text: string
  /** `.mdx` where it has components. */
  readonly ending: '.md' | '.mdx'
}

export interface PageContext {
  readonly project: Project
  readonly site: FoundSite
  readonly links: Links
  readonly report: Report
  /** Where a part of pages goes that a page imports; undefined for what is no page. */
  readonly snippet: (path: string) => string | undefined
  readonly modules: Modules
}

const isMdx = ({ dialect, isMarkdown }: FoundSite, source: string, format: unknown): boolean => {
  if (
    dialect === 'docusaurus' &&
    source.endsWith('.md') &&
    (format === 'md' || (isMarkdown === true && format !== 'mdx'))
  )
    return false
  if (dialect === 'docusaurus' || dialect === 'nextra') return true
  return dialect === 'starlight' || dialect === 'plain' ? source.endsWith('.mdx') : false
}

/** A page of the project in our words. */
export function convertPage(page: Page, context: PageContext): WrittenPage {
  const converter = new PageConverter(page, context)
  return converter.convert()
}

/** Characters of other files that stand in one page. */
const mostIncluded = 4 * 1024 * 1024

class PageConverter {
  readonly #page: Page
  readonly #context: PageContext
  #isMdx = false
  #lines: readonly number[] = []
  /** Characters of what it includes. */
  #included = 0
  /** The operation of an API that is shown, as front matter names it. */
  #operation: string | undefined

  constructor(page: Page, context: PageContext) {
    this.#page = page
    this.#context = context
  }

  convert(): WrittenPage {
    const { source } = this.#page
    const { data, body, firstLine, error } = splitPage(this.#context.project.text(source) ?? '')
    if (error !== undefined) this.#note('page', `Its front matter is no YAML, and was left out: ${error}`, 1)
    this.#isMdx = isMdx(this.#context.site, source, data['format'])
    const { title, rest } = titleIn(body)
    const hero = heroOf(data)
    const start = hero === undefined ? rest : `${hero.body}\n${rest}`
    const shift = hero === undefined ? 0 : hero.body.split('\n').length
    const { dialect } = this.#context.site
    const cover = dialect === 'gitbook' ? coverOf(data) : dialect === 'starlight' ? bannerOf(data) : undefined
    const top = cover === undefined ? [] : linesOf(`${cover}\n`, 1)
    const lines = [...top, ...linesOf(start, firstLine - shift)]
    if (data['if'] !== undefined)
      this.#note('page', 'Some visitors saw it only, by `if` of its front matter: everybody sees it now.', 1)
    const values = Object.fromEntries(
      Object.entries(data).flatMap(([key, value]) =>
        typeof value === 'string' || typeof value === 'number' ? [[key, String(value)]] : [],
      ),
    )
    const all = { ...this.#context.site.values, ...this.#page.values, ...pageVariables(data), ...values }
    const written = this.#body(lines, all, hero !== undefined)
    const head = this.#frontMatter(data, title ?? hero?.title)
    return { ...written, text: `${head}${written.text.replace(/^\n+/, '').replace(/\s*$/, '')}\n` }
  }

  #frontMatter(data: Readonly<Record<string, unknown>>, title: string | undefined): string {
    const { label, icon, tag } = this.#page
    const own = typeof data['title'] === 'string' ? data['title'] : undefined
    const shown = title ?? own
    const sidebar =
      label ??
      textIn(data['sidebar_label']) ??
      textIn((data['sidebar'] as Record<string, unknown> | undefined)?.['label'])
    // In Nextra it is the name of a component.
    const shownIcon = this.#context.site.dialect === 'nextra' ? undefined : textIn(data['icon'])
    const wanted = {
      title: shown,
      sidebarTitle: sidebar ?? (own !== shown ? own : undefined),
      icon: icon ?? (shownIcon === undefined ? undefined : iconOf(shownIcon)),
      tag: tag ?? (this.#context.site.dialect === 'mkdocs' ? statusOf(data['status']) : undefined),
      openapi: this.#operation,
    }
    // With a heading of its own a page shows that, here as there.
    const said = title === undefined ? data : { ...data, hide_title: undefined }
    return writeFrontMatter(said, wanted, (field, meaning) =>
      meaning === undefined
        ? this.#note('markup', `The field \`${field}\` of the front matter has no meaning here.`, 1)
        : this.#context.report.count(
            'markup',
            this.#page.source,
            `\`${field}\` of front matter, ${meaning}: not here.`,
            1,
          ),
    )
  }

  #body(lines: readonly Line[], values: Readonly<Record<string, string>>, usesComponents: boolean): WrittenPage {
    const first = this.#blocks(lines, values, false)
    if (!this.#isMdx && !usesComponents && !first.usesComponents)
      return { text: this.#markdown(first.lines), ending: '.md' }
    try {
      return { text: this.#mdx(first.lines), ending: '.mdx' }
    } catch (error) {
      const { reason, line } = error as Error & { reason?: string; line?: number }
      const message = (reason ?? (error as Error).message).split('\n')[0] ?? ''
      if (!this.#isMdx) {
        this.#note(
          'page',
          `It is Markdown without components now, as it could not become MDX: ${message}`,
          this.#lines[(line ?? 1) - 1],
        )
        return { text: this.#markdown(this.#blocks(lines, values, true).lines), ending: '.md' }
      }
      this.#note('page', `It is no MDX, and only its blocks were converted: ${message}`, this.#lines[(line ?? 1) - 1])
      return { text: textOf(first.lines), ending: '.mdx' }
    }
  }

  /** What can be told by lines: admonitions, tabs, code, parts of other files. */
  #blocks(
    lines: readonly Line[],
    values: Readonly<Record<string, string>>,
    plain: boolean,
  ): { lines: Line[]; usesComponents: boolean } {
    const { dialect, appended = [], extensions } = this.#context.site
    const context: BlockContext = {
      dialect,
      plain,
      isNumbered: extensions?.has('lineNumbers') === true,
      usesComponents: false,
      note: (kind, message, line) => this.#note(kind, message, line),
      include: (reference) => this.#include(reference),
      titleOf: (address) => this.#titleOf(address),
      operation: (source, method, path) => {
        const isOnly = lines.filter(({ text }) => operationTag.test(text)).length === 1
        // In the middle of a guide it is an example.
        if (!isOnly || lines.filter(({ text }) => text.trim() !== '').length > mostBesideOperation) return false
        this.#operation = `${this.#context.links.resolve(source, this.#page.source)} ${method} ${path}`
        return true
      },
    }
    let current = [...lines]
    if (dialect === 'mkdocs')
      current = plainTerminals(pasteSnippets([...current, ...appended.map((text) => ({ text, line: 1 }))], context))
    if (this.#context.site.framework === 'mdbook') current = pasteParts(current, context)
    if (dialect === 'gitbook')
      current = splitLiquid(
        convertGitbookHtml(current, { blocks: context, values, note: context.note, titleOf: context.titleOf }),
      )
    if (this.#isMdx) current = current.length === 0 ? current : withoutComments(current)
    current = convertBlocks(current, context)
    const inline = {
      dialect,
      plain,
      values,
      usesComponents: false,
      note: context.note,
      count: (kind: Kind, message: string, line: number) =>
        this.#context.report.count(kind, this.#page.source, message, line),
      ...(extensions === undefined ? {} : { extensions }),
    }
    const done = convertInline(current, inline)
    const isTagged = dialect === 'vitepress' && done.some(({ text }) => /<Badge\b/.test(text))
    return { lines: done, usesComponents: context.usesComponents || inline.usesComponents || (isTagged && !plain) }
  }

  #markdown(lines: readonly Line[]): string {
    const text = textOf(lines)
    const told = (message: string, line: number): void => this.#note('component', message, lines[line - 1]?.line)
    return applyEdits(
      text,
      markdownEdits(parseTree(text, 'md'), text, {
        ...this.#addresses(),
        html: (html, line) => withoutScripts(html, (message) => told(message, line)),
      }),
    )
  }

  #mdx(lines: readonly Line[]): string {
    this.#lines = lines.map(({ line }) => line)
    const at = (line: number): number | undefined => this.#lines[line - 1]
    const { source } = this.#page
    const text = this.#isMdx
      ? textOf(lines)
      : toMdx(textOf(lines), (message, line) => this.#note('markup', message, at(line)))
    // Lines may have moved a little: what is told of them is near.
    if (!this.#isMdx && text.split('\n').length !== lines.length) this.#lines = lines.map(({ line }) => line)
    return convertMdx(text, {
      ...this.#addresses(),
      dialect: this.#context.site.dialect,
      note: (kind, message, line) => this.#note(kind, message, at(line)),
      snippet: (specifier) => {
        const path = this.#pathOf(specifier)
        return path !== undefined && /\.mdx?$/.test(path) ? this.#context.snippet(path) : undefined
      },
      code: (specifier) => this.#context.modules.carry(specifier, source),
      file: (specifier) => this.#include(specifier),
      cards: () => this.#cards(),
      asset: (specifier) => {
        if (!/\.(?:png|jpe?g|gif|svg|webp|avif|ico|mp4|webm|pdf)(?:\?.*)?$/i.test(specifier)) return undefined
        const resolved = this.#context.links.resolve(specifier, source)
        return resolved === specifier && !specifier.startsWith('/') ? undefined : resolved
      },
    })
  }

  #addresses() {
    const { links, site } = this.#context
    return {
      link: (address: string) => links.resolve(address, this.#page.source),
      anchor: anchorsOf(site.dialect),
      refused: (address: string) =>
        this.#context.report.count(
          'plugin',
          this.#page.source,
          `Links to \`${address.split(':')[0] ?? ''}:\` were made by a plugin: their words stay.`,
        ),
    }
  }

  /** What the page is called that an address leads to, where it is one of the site. */
  #titleOf(address: string): string | undefined {
    const { links, project } = this.#context
    const page = links.pageAt(links.resolve(address.replace(/#.*$/s, ''), this.#page.source))
    return page === undefined ? undefined : factsOf(project, page.source).title
  }

  /** The pages of the category that this page leads, as cards. */
  #cards(): string | undefined {
    const { site, links, project } = this.#context
    const { source } = this.#page
    const lead = [...entriesIn(site.sidebars)].find((entry) => entry.kind === 'group' && entry.root === source)
    const around = [...entriesIn(site.sidebars)].find(
      (entry) => entry.kind === 'group' && entry.items.some((own) => own.kind === 'page' && own.source === source),
    )
    const group = lead ?? around
    if (group?.kind !== 'group') return undefined
    const others = group.items.filter((entry) => entry.kind !== 'page' || entry.source !== source)
    return cardsOf(others, (path) => {
      const page = links.pageOf(path)
      if (page === undefined) return undefined
      const { data, title } = factsOf(project, path)
      return { href: page.url, title: textIn(data['sidebar_label']) ?? title, description: textIn(data['description']) }
    })
  }

  /** A path that a page names: of an alias, from the root of the site, or beside the page. */
  #pathOf(reference: string): string | undefined {
    const { project, site } = this.#context
    for (const [alias, folder] of Object.entries(site.aliases))
      if (reference.startsWith(alias)) return pathFrom(folder, reference.slice(alias.length))
    const folders = reference.startsWith('/')
      ? site.roots
      : [posix.dirname(this.#page.source), ...(site.includes ?? [])]
    const paths = folders.flatMap((folder) => pathFrom(folder, reference.replace(/^\//, '')) ?? [])
    return paths.find((path) => project.has(path)) ?? paths[0]
  }

  #include(reference: string): string | undefined {
    const path = this.#pathOf(reference)
    const text = path === undefined ? undefined : this.#context.project.text(path)
    this.#included += text?.length ?? 0
    if (text === undefined || this.#included <= mostIncluded) return text
    this.#note(
      'include',
      `Its parts of other files have more than ${mostIncluded / 1024 / 1024} MB: the rest is left out.`,
    )
    return ''
  }

  #note(kind: Kind, message: string, line?: number): void {
    const { report } = this.#context
    if (kind === 'code') report.count(kind, this.#page.source, message, line)
    else report.add(kind, this.#page.source, message, line)
  }
}

/** `status: new` of Material, which a mark in the sidebar told. */
const statusOf = (status: unknown): string | undefined =>
  typeof status === 'string' && status !== '' ? status.charAt(0).toUpperCase() + status.slice(1) : undefined

/** `page.vars.name`, as expressions of GitBook call them. */
const pageVariables = ({ vars }: Readonly<Record<string, unknown>>): Record<string, string> =>
  typeof vars === 'object' && vars !== null
    ? Object.fromEntries(Object.entries(vars).map(([name, value]) => [`page.vars.${name}`, String(value)]))
    : {}

/** Lines that a page of an operation may have beside it. */
const mostBesideOperation = 20
const operationTag = /\{%[ \t]*(?:openapi|openapi-operation|swagger)[ \t]/

const textIn = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** `<!-- … -->` in MDX, which only some frameworks allow. Of comments over several lines the first one opens, the last closes. */
function withoutComments(lines: readonly Line[]): Line[] {
  return outsideFences(lines, (line, index) => {
    const single = line.text.replaceAll(/<!--.*?-->/g, (comment, at: number) =>
      isInCode(line.text, at) ? comment : commentToJsx(comment),
    )
    const open = single.indexOf('<!--')
    const last =
      open === -1 || isInCode(single, open) ? -1 : lines.findIndex(({ text }, at) => at > index && text.includes('-->'))
    if (last === -1) return { lines: [{ ...line, text: single }] }
    const inner = lines
      .slice(index, last + 1)
      .map(({ text, line: at }) => ({ text: text.replaceAll('*/', '* /').replaceAll('{/*', '{ /*'), line: at }))
    const jsx = inner.map(({ text, line: at }) => ({
      text: text.replace('<!--', '{/*').replace('-->', '*/}'),
      line: at,
    }))
    return { lines: jsx, last }
  })
}

const isInCode = (text: string, at: number): boolean => (text.slice(0, at).match(/`/g)?.length ?? 0) % 2 === 1
