import type { Dialect } from '../site.ts'

/** As GitHub makes it, and this service. */
const github = (words: string): string =>
  words
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')

/** VitePress: marks become dashes, and an id begins with no digit. */
const vitepress = (words: string): string =>
  words
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036F]/g, '')
    // eslint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u001f]/g, '')
    .replaceAll(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/g, '-')
    .replaceAll(/-{2,}/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .replace(/^(\d)/, '_$1')
    .toLowerCase()

/** MkDocs, with the `toc` of Python-Markdown. */
const mkdocs = (words: string): string =>
  words
    .normalize('NFKD')
    // eslint-disable-next-line no-control-regex
    .replaceAll(/[^\x00-\x7f]/g, '')
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .toLowerCase()
    .replaceAll(/[-\s]+/g, '-')

/** GitBook: marks are left out but for dots, and an id begins with no digit. */
const gitbook = (words: string): string =>
  words
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replaceAll(/[^\p{L}\p{M}\p{N}\s._-]/gu, '')
    .trim()
    .replaceAll(/[\s-]+/g, '-')
    .replace(/^(?=\d)/, 'id-')

const slugs: Partial<Record<Dialect, readonly [slug: (words: string) => string, separator: string]>> = {
  vitepress: [vitepress, '-'],
  mkdocs: [mkdocs, '_'],
  gitbook: [gitbook, '-'],
}

/** The id that a framework gives a heading of these words. */
export const slugIn = (dialect: Dialect, words: string): string => (slugs[dialect]?.[0] ?? github)(words)

/** Ids that the framework gives the headings of a page, in their order: those that are others here. */
export function anchorsOf(dialect: Dialect): (words: string) => string | undefined {
  const [slug, separator] = slugs[dialect] ?? []
  const theirs = new Map<string, number>()
  const ours = new Map<string, number>()
  return (words) => {
    if (slug === undefined) return undefined
    const own = numbered(slug(words), theirs, separator ?? '-')
    const id = numbered(github(words), ours, '-')
    return own === id || own === '' || !/^[\w.:-]+$/.test(own) ? undefined : own
  }
}

function numbered(id: string, seen: Map<string, number>, separator: string): string {
  const count = seen.get(id) ?? 0
  seen.set(id, count + 1)
  return count === 0 ? id : `${id}${separator}${count}`
}
