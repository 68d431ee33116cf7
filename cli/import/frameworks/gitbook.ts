import { posix } from 'node:path'
import { parse } from 'yaml'
import { withoutMarks } from '../markdown/callouts.ts'
import { linesOf, indentOf } from '../markdown/lines.ts'
import { pathFrom } from '../project.ts'
import { objectIn, textIn, dataOf } from '../data.ts'
import type { Entry, FoundSite, Page, Reading } from '../site.ts'
import { factsOf, humanise, staticFiles, urlOf } from './shared.ts'

/** GitBook, as its Git sync writes it: `.gitbook.yaml`, `SUMMARY.md`, README files. */
export function readGitbook({ project, report, folder: at, sign }: Reading): FoundSite {
  const config = objectIn(dataOf(parse(project.text(posix.join(at, '.gitbook.yaml')) ?? '', { logLevel: 'silent' })))
  const book = project.has(posix.join(at, 'book.json'))
    ? objectIn(dataOf(JSON.parse(project.text(posix.join(at, 'book.json')) ?? '{}')))
    : {}
  const root = pathFrom(at, textIn(config['root']) ?? textIn(book['root']) ?? '') ?? at
  const structure = objectIn(config['structure'] ?? book['structure'])
  const summary = posix.join(root, textIn(structure['summary']) ?? 'SUMMARY.md')
  const readme = posix.join(root, textIn(structure['readme']) ?? 'README.md')
  const prefix = root === '' ? '' : `${root}/`
  const isRest = /(?:^|\/)(?:SUMMARY|GLOSSARY|LANGS)\.md$|(?:^|\/)\.gitbook\/|(?:^|\/)(?:node_modules|_book)\//
  const pages = project.below(root).flatMap((source): Page[] => {
    if (!/\.mdx?$/i.test(source) || source === summary || isRest.test(source)) return []
    const path = source.slice(prefix.length)
    const url = source === readme ? '/' : urlOf(path.replace(/\.mdx?$/i, '').replace(/(?:^|\/)(?:README|index)$/i, ''))
    return [{ source, url }]
  })
  const known = new Set(pages.map(({ source }) => source))
  const items = summaryEntries(project.text(summary) ?? '', (target, line) => {
    const source = posix.join(posix.dirname(summary), target.replace(/#.*$/, ''))
    if (known.has(source)) return source
    report.add('navigation', summary, `It names ${target}, which is not there.`, line)
    return undefined
  })
  const { assets } = staticFiles(project, [root])
  const isSettings = /(?:^|\/)(?:book\.json|package(?:-lock)?\.json|[^/]*\.ya?ml)$/
  const pictures = assets.filter(
    ({ source, target }) => !/\.mdx?$/i.test(source) && !isSettings.test(target) && /\.\w+$/.test(target),
  )
  if (objectIn(book)['plugins'] !== undefined)
    report.add('plugin', posix.join(at, 'book.json'), 'Its plugins have no counterpart.')
  const redirects = Object.entries(objectIn(config['redirects'])).flatMap(([from, to]) =>
    typeof to === 'string'
      ? [
          {
            source: urlOf(from),
            destination: /^https?:/.test(to) ? to : urlOf(to.replace(/\.md$/, '').replace(/(?:^|\/)README$/, '')),
          },
        ]
      : [],
  )
  return {
    framework: 'gitbook',
    dialect: 'gitbook',
    sign,
    settings: {
      name: textIn(book['title']) ?? factsOf(project, readme).title ?? 'Documentation',
      description: textIn(book['description']),
      colors: { primary: '#346ddb' },
    },
    pages: uniqueByUrl(pages),
    sidebars: { items: items.length > 0 ? items : pages.map(({ source }) => ({ kind: 'page', source })) },
    assets: pictures,
    redirects,
    base: '',
    roots: [root],
    aliases: {},
    endsWithSlash: false,
    includes: [root, posix.join(root, '.gitbook/includes')],
  }
}

function uniqueByUrl(pages: readonly Page[]): Page[] {
  const taken = new Set<string>()
  return pages.filter(({ url }) => !taken.has(url) && taken.add(url).size > 0)
}

interface Row {
  readonly depth: number
  readonly label: string
  readonly target: string | undefined
  readonly line: number
}

/** `SUMMARY.md`: headings are groups, lists are pages, lists below a page are its children. */
function summaryEntries(text: string, find: (target: string, line: number) => string | undefined): Entry[] {
  const groups: { label: string | undefined; rows: Row[] }[] = [{ label: undefined, rows: [] }]
  for (const { text: own, line } of linesOf(text)) {
    const [, heading] = /^#{2,6}\s+(.*)$/.exec(own) ?? []
    if (heading !== undefined) groups.push({ label: withoutMarks(heading.replaceAll(/<[^>]*>/g, '')), rows: [] })
    const [, indent = '', content = ''] = /^(\s*)[-*+]\s+(.*)$/.exec(own) ?? []
    if (content === '') continue
    const [, label = content, target] =
      /^\[((?:[^\]\\]|\\.)*)\]\(\s*<?([^)\s>]*)>?(?:\s+"([^"]*)")?\s*\)/.exec(content) ?? []
    const [, short] = /\(\s*<?[^)\s>]*>?\s+"([^"]*)"\s*\)/.exec(content) ?? []
    groups.at(-1)?.rows.push({ depth: indentOf(`${indent}x`), label: withoutMarks(short ?? label), target, line })
  }
  return groups.flatMap(({ label, rows }): Entry[] => {
    const items = tree(rows, find)
    return items.length === 0
      ? []
      : label === undefined || label === ''
        ? items
        : [{ kind: 'group', label, items, expanded: true }]
  })
}

function tree(rows: readonly Row[], find: (target: string, line: number) => string | undefined): Entry[] {
  const entries: Entry[] = []
  for (let index = 0; index < rows.length;) {
    const row = rows[index] as Row
    let next = index + 1
    while ((rows[next]?.depth ?? -1) > row.depth) next++
    const items = tree(rows.slice(index + 1, next), find)
    const isOutside = /^[a-z][a-z0-9+.-]*:/i.test(row.target ?? '')
    const source = row.target === undefined || row.target === '' || isOutside ? undefined : find(row.target, row.line)
    if (items.length > 0)
      entries.push({
        kind: 'group',
        label: row.label || humanise(row.target ?? 'Pages'),
        items,
        ...(source === undefined ? {} : { root: source }),
      })
    else if (isOutside) entries.push({ kind: 'link', label: row.label, href: row.target ?? '' })
    else if (source !== undefined) entries.push({ kind: 'page', source, label: row.label })
    index = next
  }
  return entries
}
