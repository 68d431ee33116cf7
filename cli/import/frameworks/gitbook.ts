import { posix } from 'node:path'
import { objectIn, textIn, type Dictionary } from '../data.ts'
import { pathFrom, type Project } from '../project.ts'
import type { Report } from '../report.ts'
import type { Asset, Choice, Entry, FoundSite, Page, Reading, Redirect, Sidebars } from '../site.ts'
import { spacesIn, yamlIn, type Section, type Space } from './gitbook-spaces.ts'
import { summaryEntries } from './gitbook-summary.ts'
import { factsOf, staticFiles, urlOf } from './shared.ts'

/** GitBook, as its Git sync writes it: one space or several, each with `.gitbook.yaml`, `SUMMARY.md`, README files. */
export function readGitbook({ project, report, folder: at, sign }: Reading): FoundSite {
  const { title, sections } = spacesIn(project, at, report)
  const descriptions = descriptionsIn(project, at)
  const read = new Map<Space, FoundSpace>()
  for (const { spaces } of sections)
    for (const space of spaces) read.set(space, readSpace(space, { project, report, descriptions }))
  const all = [...read.values()]
  const [first] = all
  const book = project.has(posix.join(at, 'book.json')) ? yamlIn(project, posix.join(at, 'book.json')) : {}
  if (book['plugins'] !== undefined)
    report.add('plugin', posix.join(at, 'book.json'), 'Its plugins have no counterpart.')
  const pages = uniqueByUrl(
    all.flatMap((space) => space.pages),
    report,
  )
  const name =
    title ?? textIn(book['title']) ?? (first === undefined ? undefined : factsOf(project, first.readme).title)
  return {
    framework: 'gitbook',
    dialect: 'gitbook',
    sign,
    settings: {
      name: name ?? 'Documentation',
      description: textIn(book['description']),
      colors: { primary: '#346ddb' },
    },
    pages,
    sidebars: sidebarsOf(sections, read),
    assets: all.flatMap(({ assets }) => assets),
    redirects: all.flatMap(({ redirects }) => redirects),
    base: '',
    roots: all.map(({ root }) => root),
    aliases: aliasesOf(project, pages, all),
    endsWithSlash: false,
    includes: all.flatMap(({ root }) => [root, posix.join(root, '.gitbook/includes')]),
  }
}

interface FoundSpace {
  /** Folder of its pages. */
  readonly root: string
  readonly readme: string
  readonly pages: readonly Page[]
  readonly items: readonly Entry[]
  readonly assets: readonly Asset[]
  readonly redirects: readonly Redirect[]
}

interface Context {
  readonly project: Project
  readonly report: Report
  readonly descriptions: ReadonlyMap<string, string>
}

function readSpace({ folder, base }: Space, { project, report, descriptions }: Context): FoundSpace {
  const config = yamlIn(project, posix.join(folder, '.gitbook.yaml'))
  const book = yamlIn(project, posix.join(folder, 'book.json'))
  const root = pathFrom(folder, textIn(config['root']) ?? textIn(book['root']) ?? '') ?? folder
  const structure = objectIn(config['structure'] ?? book['structure'])
  const summary = posix.join(root, textIn(structure['summary']) ?? 'SUMMARY.md')
  const readme = posix.join(root, textIn(structure['readme']) ?? 'README.md')
  const prefix = root === '' ? '' : `${root}/`
  const isRest = /(?:^|\/)(?:SUMMARY|GLOSSARY|LANGS)\.md$|(?:^|\/)\.[^/]+\/|(?:^|\/)(?:node_modules|_book)\//
  const values = variablesIn(yamlIn(project, posix.join(root, '.gitbook/vars.yaml')))
  const written = project
    .below(root)
    .filter((source) => /\.mdx?$/i.test(source) && source !== summary && !isRest.test(source))
  const known = new Set(written)
  const named = new Set<string>([readme])
  const items = summaryEntries(project.text(summary) ?? '', {
    page: (target, line) => {
      const source = posix.join(posix.dirname(summary), decoded(target.replace(/#.*$/, '')))
      named.add(source)
      if (known.has(source)) return source
      report.add('navigation', summary, `It names ${target}, which is not there.`, line)
      return undefined
    },
    description: (name, line) => {
      const found = descriptions.get(name)
      if (found === undefined)
        report.add(
          'navigation',
          summary,
          `Pages of the API “${name}” are made from a description that only GitBook has: name it in docs.json as \`openapi\`.`,
          line,
        )
      return found
    },
  })
  const pages = written.flatMap((source): Page[] => {
    // What no summary names is no page there.
    if (items.length > 0 && !named.has(source)) {
      report.add('page', source, `${summary} does not name it: it was left out.`)
      return []
    }
    const path = source.slice(prefix.length).replace(/\.mdx?$/i, '')
    const own = source === readme ? '' : path.replace(/(?:^|\/)(?:README|index)$/i, '')
    return [{ source, url: urlOf(base, own), values }]
  })
  const isSettings = /(?:^|\/)(?:book\.json|package(?:-lock)?\.json|[^/]*\.ya?ml)$/
  const shown = base === '' ? '' : `${base.slice(1)}/`
  const assets = staticFiles(project, [root])
    .assets.filter(
      ({ source, target }) => !/\.mdx?$/i.test(source) && !isSettings.test(target) && /\.\w+$/.test(target),
    )
    .map(({ source, target }) => ({ source, target: shown + target }))
  const redirects = Object.entries(objectIn(config['redirects'])).flatMap(([from, to]) =>
    typeof to === 'string' ? [{ source: urlOf(base, from), destination: destinationOf(to, base) }] : [],
  )
  const plain = pages.map(({ source }): Entry => ({ kind: 'page', source }))
  return { root, readme, pages, items: items.length > 0 ? items : plain, assets, redirects }
}

const destinationOf = (to: string, base: string): string =>
  /^https?:/.test(to) ? to : urlOf(base, to.replace(/\.md$/, '').replace(/(?:^|\/)README$/, ''))

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** `space.vars.name`, as expressions of pages call them. */
const variablesIn = (variables: Dictionary): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(variables).flatMap(([key, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[`space.vars.${key}`, String(value)]] : [],
    ),
  )

/** Where descriptions of APIs stand that are called by a name: blocks of single operations say it. */
function descriptionsIn(project: Project, at: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const path of project.below(at)) {
    if (!path.endsWith('.md')) continue
    for (const [, name = '', address = ''] of (project.text(path) ?? '').matchAll(
      /\[OpenAPI ([^\]\n]+)\]\((https?:[^)\s]+)\)/g,
    ))
      if (!found.has(name)) found.set(name, address)
  }
  return found
}

/**
 * Links to other spaces name them by an id that no file has: `https://app.gitbook.com/s/<id>/<page>`. It is the space that
 * has most of the pages which are named so.
 */
function aliasesOf(project: Project, pages: readonly Page[], spaces: readonly FoundSpace[]): Record<string, string> {
  const named = new Map<string, Set<string>>()
  for (const { source } of pages)
    for (const [, id = '', path = ''] of (project.text(source) ?? '').matchAll(
      /(https:\/\/app\.gitbook\.com\/(?:o\/[\w-]+\/)?s\/[\w-]+)\/([^\s)"#?]*)/g,
    ))
      named.set(id, (named.get(id) ?? new Set()).add(path.replace(/\/$/, '')))
  return Object.fromEntries(
    [...named].flatMap(([id, paths]) => {
      const counts = spaces.map(({ root }) => ({
        root,
        count: [...paths].filter((path) => hasPage(project, root, path)).length,
      }))
      const best = counts.reduce((one, other) => (other.count > one.count ? other : one), { root: '', count: 0 })
      return best.count * 2 > paths.size ? [[id, best.root] as const] : []
    }),
  )
}

const hasPage = (project: Project, root: string, path: string): boolean =>
  path !== '' && ['.md', '/README.md'].some((ending) => project.has(posix.join(root, path + ending)))

function sidebarsOf(sections: readonly Section[], read: ReadonlyMap<Space, FoundSpace>): Sidebars {
  const tabs = sections.map(({ name, spaces }): Choice => {
    const [first, ...others] = spaces
    const items = (space: Space | undefined): readonly Entry[] =>
      space === undefined ? [] : (read.get(space)?.items ?? [])
    if (others.length === 0) return { name, items: items(first) }
    const languages = new Set(spaces.map(({ language }) => language))
    const areLanguages = languages.size === spaces.length && !languages.has(undefined)
    const choices = spaces.map((space): Choice => ({
      name: areLanguages ? (space.language ?? '') : space.name,
      items: items(space),
      ...(space === first ? { isDefault: true } : {}),
    }))
    return { name, ...(areLanguages ? { languages: choices } : { versions: choices }) }
  })
  const [only] = tabs
  if (tabs.length !== 1 || only === undefined) return { tabs }
  const { name: _name, ...inner } = only
  return inner
}

function uniqueByUrl(pages: readonly Page[], report: Report): Page[] {
  const taken = new Map<string, string>()
  return pages.filter(({ source, url }) => {
    const other = taken.get(url)
    if (other !== undefined) report.add('page', source, `${other} has its address ${url} already: it was left out.`)
    else taken.set(url, source)
    return other === undefined
  })
}
