import { basename, posix } from 'node:path'
import { bracketed, count, decode, field, Files, picturesIn, quoted, running } from './text.ts'

/** What a page has, by what it is called here. */
export type Counts = Readonly<Record<string, number>>

/** A page as its own framework shows it, by what its text says. */
export interface OriginalPage {
  readonly source: string
  /** Where readers find it, without a slash at its end. */
  readonly url: string
  readonly counts: Counts
  /** Names of the files of its pictures. */
  readonly pictures: readonly string[]
}

export interface Original {
  readonly pages: readonly OriginalPage[]
  /** Addresses as sidebars list them, one list for each. */
  readonly sidebars: readonly (readonly string[])[]
}

/** Reads a project for comparison: by patterns over its text, and by nothing of what imports it. */
export function readOriginal(folder: string, framework: string): Original {
  const read = readers[framework]
  if (read === undefined) throw new Error(`There is no comparison for ${framework}.`)
  return read(new Files(folder))
}

const clean = (url: string): string => `/${url}`.replaceAll(/\/{2,}/g, '/').replace(/(.)\/$/, '$1')
const alerts = />[ \t]*\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]/g

function docusaurus(files: Files): Original {
  const config = files.find(/(?:^|\/)docusaurus\.config\.[jt]s$/)
  const text = files.text(config)
  const setting = (name: string): string | undefined =>
    new RegExp(`^\\s*${name}:\\s*["']([^"']*)["']`, 'm').exec(text)?.[1]
  const folder = posix.join(posix.dirname(config), setting('path') ?? 'docs')
  const base = setting('routeBasePath') ?? 'docs'
  const byId = new Map<string, OriginalPage>()
  const [, included] = /include:\s*\[\s*'\{([\w,-]+)\}/.exec(text) ?? []
  for (const source of files.paths) {
    const path = posix.relative(folder, source)
    const isPage = /\.mdx?$/.test(path) && !path.startsWith('..') && !/(?:^|\/)_/.test(path)
    if (!isPage || (included !== undefined && !included.split(',').includes(path.split('/')[0] ?? ''))) continue
    const page = files.text(source)
    const id = posix.join(posix.dirname(path), field(page, 'id') ?? basename(path).replace(/\.mdx?$/, ''))
    const slug = field(page, 'slug')
    const own =
      slug === undefined
        ? id.replace(/(?:^|\/)index$/, '')
        : slug.startsWith('/')
          ? slug
          : posix.join(posix.dirname(path), slug)
    const shown = running(page)
    byId.set(id, {
      source,
      url: clean(`${base}/${own}`),
      counts: { notes: count(shown, /^[ \t>]*:::+[ \t]*\w/gm), panels: count(shown, /<TabItem\b/g) },
      pictures: picturesIn(shown),
    })
  }
  const sidebar = files.text(files.find(/(?:^|\/)sidebars\.(?:[jt]s|json)$/))
  const order = quoted(sidebar, new Set(byId.keys())).map((id) => byId.get(id)?.url ?? '')
  return { pages: [...byId.values()], sidebars: [order] }
}

function vitepress(files: Files): Original {
  const config = files.find(/(?:^|\/)\.vitepress\/config\.m?[jt]s$/)
  const folder = config.replace(/\.vitepress\/.*$/, '')
  const pages = files.paths.flatMap((source): OriginalPage[] => {
    const path = source.slice(folder.length)
    if (!source.startsWith(folder) || !path.endsWith('.md') || /(?:^|\/)\./.test(path)) return []
    const shown = running(files.text(source))
    // Code groups show a panel for each block of code.
    const panels = [...shown.matchAll(/^\s*:::+\s*code-group\b([\s\S]*?)^\s*:::+\s*$/gm)].reduce(
      (sum, [, inner = '']) => sum + count(inner, /```/g),
      0,
    )
    const notes =
      count(shown, /^[ \t>]*:::+[ \t]*(?:info|tip|warning|danger|note|caution|important)\b/gm) + count(shown, alerts)
    const folds = count(shown, /^[ \t>]*:::+[ \t]*details\b/gm)
    return [
      {
        source,
        url: clean(path.replace(/\.md$/, '').replace(/(?:^|\/)index$/, '')),
        counts: { notes, folds, panels },
        pictures: picturesIn(shown),
      },
    ]
  })
  const known = new Set(pages.map(({ url }) => url))
  const sidebar = bracketed(files.text(config), /\n\s*sidebar:/)
  const keys = [...sidebar.matchAll(/^\s*(?:'([^']*)'|"([^"]*)"): /gm)].map(([, one, other]) => one ?? other ?? '')
  const parts = keys
    .filter((key) => key.startsWith('/'))
    .map((key) => bracketed(sidebar, new RegExp(`['"]${key}['"]: `)))
  const sidebars = (parts.length > 0 ? parts : [sidebar]).map((part) => [
    ...new Set(
      [...part.matchAll(/\blink:\s*(["'`])(.*?)\1/g)]
        .map(([, , link = '']) => clean(link))
        .filter((link) => known.has(link)),
    ),
  ])
  return { pages, sidebars }
}

function starlight(files: Files): Original {
  const config = files.find(/(?:^|\/)astro\.config\.m?[jt]s$/)
  const folder = posix.join(posix.dirname(config), 'src/content/docs/')
  const pages = files.paths.flatMap((source): (OriginalPage & { readonly order: number })[] => {
    const path = source.slice(folder.length)
    if (!source.startsWith(folder) || !/\.mdx?$/.test(path) || /(?:^|\/)404\.mdx?$/.test(path)) return []
    const page = files.text(source)
    const shown = running(page)
    const url = clean(field(page, 'slug') ?? path.replace(/\.mdx?$/, '').replace(/(?:^|\/)index$/, ''))
    const [, head = ''] = /^---\n([\s\S]*?)\n---/.exec(page) ?? []
    const order = Number(/^\s+order:\s*(\d+)/m.exec(head)?.[1] ?? Infinity)
    const counts = {
      notes: count(shown, /^[ \t>]*:::+[ \t]*(?:note|tip|caution|danger)\b/gm) + count(shown, /<Aside\b/g),
      panels: count(shown, /<TabItem\b/g),
    }
    return [{ source, url, counts, pictures: picturesIn(shown), order }]
  })
  const known = new Set(pages.map(({ url }) => url.slice(1)))
  const text = bracketed(files.text(config), /\n\s*sidebar:/).replaceAll(/translations:\s*\{[^{}]*\}/g, '')
  // What a folder makes of itself stands where that is asked for.
  const whole = text.replaceAll(/autogenerate:\s*\{\s*directory:\s*'([^']*)'[^}]*\}/g, (_match, directory: string) =>
    pages
      .filter(({ url }) => url.startsWith(`/${directory}/`) || url === `/${directory}`)
      .toSorted((one, other) => one.order - other.order || (one.url < other.url ? -1 : 1))
      .map(({ url }) => `'${url.slice(1)}'`)
      .join(', '),
  )
  return { pages, sidebars: [quoted(whole, known).map((slug) => `/${slug}`)] }
}

function mkdocs(files: Files): Original {
  const config = files.find(/(?:^|\/)mkdocs\.ya?ml$/)
  const text = files.text(config)
  const folder = posix.join(posix.dirname(config), /^docs_dir:\s*(\S+)/m.exec(text)?.[1] ?? 'docs')
  const pages = files.paths.flatMap((source): OriginalPage[] => {
    const path = posix.relative(folder, source)
    if (path.startsWith('..') || !path.endsWith('.md')) return []
    const shown = running(files.text(source))
    const panels = count(shown, /^[ \t]*\/{3,}[ \t]*tab\b/gm) + count(shown, /^\s*===!?\s+"/gm)
    const notes = count(shown, /^[ \t]*\/{3,}[ \t]*(?!tab\b|details\b)\w/gm) + count(shown, /^\s*!!!\s+\w/gm)
    const folds = count(shown, /^[ \t]*\/{3,}[ \t]*details\b/gm) + count(shown, /^\s*\?\?\?\+?\s+\w/gm)
    return [
      {
        source,
        url: clean(path.replace(/\.md$/, '').replace(/(?:^|\/)(?:index|README)$/, '')),
        counts: { notes, folds, panels },
        pictures: picturesIn(shown),
      },
    ]
  })
  const [, nav = ''] = /^nav:\n((?:[ \t-].*\n|\n)*)/m.exec(`${text}\n`) ?? []
  const bySource = new Map(pages.map(({ source, url }) => [posix.relative(folder, source), url]))
  const named = [...nav.matchAll(/([\w./-]+\.md)\b/g)].flatMap(([, path = '']) => bySource.get(path) ?? [])
  return { pages, sidebars: [[...new Set(named)]] }
}

function nextra(files: Files): Original {
  const pages = files.paths.flatMap((source): OriginalPage[] => {
    const [, path] =
      /(?:^|\/)app\/((?:[\w-]+\/)*)page\.mdx?$/.exec(source) ?? /(?:^|\/)content\/(.*)\.mdx?$/.exec(source) ?? []
    if (path === undefined) return []
    const shown = running(files.text(source))
    const counts = {
      notes: count(shown, /<Callout\b/g) + count(shown, alerts),
      panels: count(shown, /<(?:Tabs\.)?Tab\b/g),
    }
    return [{ source, url: clean(path.replace(/(?:^|\/)index$/, '')), counts, pictures: picturesIn(shown) }]
  })
  // Within each object of a meta file pages stand in the order of its keys.
  const sidebars = files.paths
    .filter((path) => /(?:^|\/)_meta(?:\.global)?\.\w+$/.test(path))
    .flatMap((path) => {
      const text = files.text(path)
      return [...text.matchAll(/^(?:const \w+|export default)\b[^{\n]*\{/gm)].flatMap((match) => {
        const object = bracketed(text.slice(match.index), /^[^{\n]*/)
        const keys = [...object.matchAll(/^ {2}(?:'([\w-]+)'|([\w-]+)):/gm)].map(([, one, other]) => one ?? other ?? '')
        const folders = [...new Set(pages.map(({ url }) => posix.dirname(url)))]
        const lists = folders.map((folder) =>
          keys.map((key) => posix.join(folder, key)).filter((url) => pages.some((page) => page.url === url)),
        )
        const best = lists.toSorted((one, other) => other.length - one.length)[0] ?? []
        return best.length > 1 ? [best] : []
      })
    })
  return { pages, sidebars }
}

function gitbook(files: Files): Original {
  const summaries = files.paths.filter((path) => /(?:^|\/)SUMMARY\.md$/.test(path))
  const pages: OriginalPage[] = []
  const sidebars: string[][] = []
  const settings = files.paths
    .filter((path) => /(?:^|\/)(?:docs|\.gitbook)\.yaml$/.test(path))
    .map((path) => files.text(path))
    .join('\n')
  for (const summary of summaries) {
    const folder = posix.dirname(summary)
    const isRoot =
      summaries.length === 1 ||
      /default: true\n(?:(?!- type: section)[\s\S])*?directory: \.\/([\w-]+)/.exec(settings)?.[1] === folder
    const order: string[] = []
    for (const [, target = ''] of files
      .text(summary)
      .matchAll(/^\s*\* \[(?:[^\]\\]|\\.)*\]\(<?([^)>\s]+\.md)>?(?:\s+"[^"]*")?\)/gm)) {
      const path = posix.join(folder, decode(target))
      const own = posix
        .relative(folder, path)
        .replace(/\.md$/, '')
        .replace(/(?:^|\/)README$/, '')
      const url = clean(isRoot ? own : `${folder}/${own}`)
      const isHidden = /^hidden: true$/m.test(files.text(path).slice(0, 2000))
      if (!pages.some((page) => page.url === url)) {
        const text = running(files.text(path))
        pages.push({ source: path, url, counts: gitbookCounts(text), pictures: picturesIn(text) })
      }
      if (!isHidden) order.push(url)
    }
    sidebars.push([...new Set(order)])
  }
  return { pages, sidebars }
}

function gitbookCounts(text: string): Counts {
  const tables = [...text.matchAll(/<table[^>]*data-view="cards"[\s\S]*?<\/table>/g)].map(([table]) => table)
  const rows = tables.reduce((sum, table) => sum + count(table, /<tr>/g) - 1, 0)
  const embeds = [...text.matchAll(/\{% embed url="([^"]*)"/g)].map(([, url = '']) => url)
  const isPlayed = (url: string): boolean => /youtu|loom\.com|vimeo|codepen\.io|\.(?:mp4|webm|mov)(?:[?#]|$)/.test(url)
  const played = embeds.filter(isPlayed).length
  return {
    notes: count(text, /\{% hint\b/g),
    panels: count(text, /\{% tab /g),
    steps: count(text, /\{% step %\}/g),
    columns: count(text, /\{% column\b(?!s)/g),
    updates: count(text, /\{% update /g),
    films: played,
    prompts: count(text, /\{% prompt\b/g),
    cards: rows + count(text, /\{% (?:content-ref|file) /g) + embeds.length - played,
  }
}

const readers: Readonly<Record<string, (files: Files) => Original>> = {
  docusaurus,
  vitepress,
  starlight,
  mkdocs,
  nextra,
  gitbook,
}
