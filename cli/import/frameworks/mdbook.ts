import { posix } from 'node:path'
import { withoutMarks } from '../markdown/callouts.ts'
import { indentOf, linesOf } from '../markdown/lines.ts'
import { pathFrom } from '../project.ts'
import type { Entry, FoundSite, Page, Reading } from '../site.ts'
import { staticFiles, urlOf } from './shared.ts'

/** mdBook: `book.toml` and a `SUMMARY.md`, which names all pages. */
export function readMdbook({ project, report, folder, sign }: Reading): FoundSite {
  const settings = project.text(sign) ?? ''
  const setting = (name: string): string | undefined =>
    new RegExp(`^\\s*${name}\\s*=\\s*"([^"\\n]*)"`, 'm').exec(settings)?.[1]
  const root = pathFrom(folder, setting('src') ?? 'src') ?? folder
  const summary = posix.join(root, 'SUMMARY.md')
  const pages = new Map<string, Page>()
  const page = (target: string, line: number): string | undefined => {
    const source = posix.join(root, decodeURI(target.replace(/#.*$/, '')))
    if (!project.has(source)) {
      report.add('navigation', summary, `It names ${target}, which is not there.`, line)
      return undefined
    }
    const own = posix.relative(root, source).replace(/\.md$/i, '')
    // Its first page stands at the address of the book as well.
    const url = pages.size === 0 ? '/' : urlOf(own.replace(/(?:^|\/)(?:README|index)$/i, ''))
    if (!pages.has(source)) pages.set(source, { source, url })
    return source
  }
  const items = entriesOf(project.text(summary) ?? '', page)
  if (/^\[preprocessor\./m.test(settings))
    report.add('plugin', sign, 'Its preprocessors change pages while they are built: they have no counterpart.')
  const { assets } = staticFiles(project, [root])
  return {
    framework: 'mdbook',
    dialect: 'plain',
    settings: {
      name: setting('title') ?? 'Documentation',
      description: setting('description'),
      colors: { primary: '#0f766e' },
    },
    pages: [...pages.values()],
    sidebars: { items },
    assets: assets.filter(({ source }) => /\.(?:png|jpe?g|gif|svg|webp|avif|ico|mp4|webm|pdf)$/i.test(source)),
    redirects: [...settings.matchAll(/^"(\/[^"\n]*)"\s*=\s*"([^"\n]*)"/gm)].map(([, from = '', to = '']) => ({
      source: from.replace(/\.html$/, ''),
      destination: /^https?:/.test(to) ? to : posix.join(posix.dirname(from), to).replace(/\.html$/, ''),
    })),
    base: '',
    roots: [root],
    aliases: {},
    endsWithSlash: false,
  }
}

interface Row {
  readonly depth: number
  readonly label: string
  readonly target: string | undefined
  readonly line: number
}

/** Headings behind the first are parts of the book, lists are chapters, links outside of lists stand before or behind them. */
function entriesOf(text: string, page: (target: string, line: number) => string | undefined): Entry[] {
  const rows = linesOf(text).flatMap(({ text: own, line }): Row[] => {
    const [, part] = /^#\s+(.*)$/.exec(own) ?? []
    if (part !== undefined) return line === 1 ? [] : [{ depth: -1, label: part, target: undefined, line }]
    const [, indent = '', , label = '', target = ''] =
      /^(\s*)([-*+]\s+)?\[((?:[^\]\\]|\\.)*)\]\(\s*<?([^)>]*?)>?\s*\)/.exec(own) ?? []
    return label === '' ? [] : [{ depth: indentOf(`${indent}x`), label: withoutMarks(label), target, line }]
  })
  const tree = (from: number, to: number): Entry[] => {
    const entries: Entry[] = []
    for (let index = from; index < to;) {
      const { depth, label, target, line } = rows[index] as Row
      let next = index + 1
      while (next < to && (rows[next]?.depth ?? -1) > depth) next++
      // Chapters without a page are yet to be written.
      const source = target === undefined || target === '' ? undefined : page(target, line)
      const items = tree(index + 1, next)
      if (items.length > 0)
        entries.push({
          kind: 'group',
          label,
          items,
          ...(source === undefined ? {} : { root: source }),
          ...(depth < 0 ? { expanded: true } : {}),
        })
      else if (source !== undefined) entries.push({ kind: 'page', source, label })
      index = next
    }
    return entries
  }
  return tree(0, rows.length)
}
