import { posix } from 'node:path'
import type { FoundSite, Page, Reading } from '../site.ts'
import { factsOf, hostRedirects, humanise, staticFiles, urlOf } from './shared.ts'
import { foldersOf } from './vitepress.ts'

/** Files of a repository that are for its own people. */
const housekeeping = /^(?:LICENSE|LICENCE|CONTRIBUTING|CHANGELOG|CODE_OF_CONDUCT|SECURITY|AGENTS|CLAUDE)\.md$/i

/** A folder of Markdown: addresses by paths, navigation by folders. */
export function readMarkdown({ project, folder }: Reading): FoundSite {
  const taken = new Set<string>()
  const all = project.below(folder).filter((path) => /\.mdx?$/i.test(path) && !/(?:^|\/)[._]/.test(path))
  // An index before a README of the same folder.
  const inOrder = all.toSorted(
    (one, other) => Number(/README\.mdx?$/i.test(one)) - Number(/README\.mdx?$/i.test(other)),
  )
  const pages = inOrder.flatMap((source): Page[] => {
    if (housekeeping.test(source)) return []
    const url = urlOf(
      posix
        .relative(folder, source)
        .replace(/\.mdx?$/i, '')
        .replace(/(?:^|\/)(?:index|README)$/i, ''),
    )
    if (taken.has(url)) return []
    taken.add(url)
    return [{ source, url }]
  })
  const home = pages.find(({ url }) => url === '/')
  const { assets } = staticFiles(project, [folder])
  const pictures = assets.filter(({ source }) => /\.(?:png|jpe?g|gif|svg|webp|avif|ico|mp4|webm|pdf)$/i.test(source))
  return {
    framework: 'plain',
    dialect: 'plain',
    settings: {
      name:
        (home === undefined ? undefined : factsOf(project, home.source).title) ??
        humanise(posix.basename(project.directory)),
      colors: { primary: '#0f766e' },
    },
    pages,
    sidebars: { items: foldersOf(project, pages, '') },
    assets: pictures,
    redirects: hostRedirects(project, [folder]),
    base: '',
    roots: [folder],
    aliases: {},
    endsWithSlash: false,
  }
}
