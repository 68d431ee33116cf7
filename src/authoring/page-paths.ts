import { limits } from '../contract/limits.ts'

/** Endings of files that are pages. */
const pageEnding = /\.mdx?$/i
const imageEnding = /\.(?:png|jpe?g|gif|svg|webp|avif|ico)$/i

export function isPage(path: string): boolean {
  return pageEnding.test(path)
}

export function isImage(path: string): boolean {
  return imageEnding.test(path)
}

/** A name for a file that addresses can carry: `Getting Started!` becomes `getting-started`. */
export function slugOf(title: string): string {
  return title
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 80)
}

/** Where a new page of this title would be; free of what is there already. @param folder empty, or ends in a slash */
export function newPagePath(title: string, folder: string, isTaken: (path: string) => boolean): string {
  const name = slugOf(title) || 'page'
  return freePath(`${folder}${name}.mdx`, isTaken)
}

/** The path, or with a number before its ending the first one that is free. */
export function freePath(path: string, isTaken: (path: string) => boolean): string {
  const dot = path.lastIndexOf('.')
  const at = dot > path.lastIndexOf('/') + 1 ? dot : path.length
  for (let number = 1; ; number++) {
    const free = number === 1 ? path : `${path.slice(0, at)}-${number}${path.slice(at)}`
    if (!isTaken(free)) return free
  }
}

/** What a new page begins with. */
export function newPageText(title: string): string {
  return `---\ntitle: ${JSON.stringify(title)}\ndescription: ""\n---\n\n`
}

/** Where a page is found on the site: `/guides/start` of `guides/start.mdx`, `/guides` of `guides/index.mdx`. */
export function addressOf(path: string): string {
  const page = path.replace(pageEnding, '')
  return `/${page.replace(/(?:^|\/)index$/i, '')}`
}

/**
 * A path as it is meant, from what somebody typed: without a slash before it, a page with its ending.
 * @param like a path of the same kind; what is typed takes its ending where it has none
 */
export function typedPath(text: string, like: string): string {
  const path = text.trim().replaceAll('\\', '/').replace(/^\/+/, '')
  const ending = /\.[^./]+$/.exec(like)?.[0] ?? ''
  return /\.[^./]+$/.test(path) || path.endsWith('/') ? path : path + ending
}

/** Why a path will not do, as the service has it; undefined when it does. */
export function pathTrouble(path: string): string | undefined {
  if (path === '') return 'Name a file, such as guides/start.mdx.'
  if (path.endsWith('/')) return 'This is a folder: add the name of the file.'
  const segments = path.split('/')
  if (segments.includes('')) return 'There is a slash too many.'
  if (segments.includes('.') || segments.includes('..')) return 'A path has neither . nor .. in it.'
  if (/[\p{Cc}\\]/u.test(path)) return 'A path has neither backslashes nor control characters in it.'
  if (segments.some((segment) => /^\.|[. ]$/.test(segment))) return 'A name neither begins nor ends with a dot.'
  if (path.includes(':')) return 'A path has no colon in it: Windows could not have the file.'
  if (segments.length > limits.pathDepth) return `That is more than ${limits.pathDepth} folders deep.`
  const bytes = (text: string): number => new TextEncoder().encode(text).length
  if (bytes(path) > limits.pathBytes || segments.some((segment) => bytes(segment) > limits.pathSegmentBytes))
    return 'The path is too long.'
  return undefined
}

/** Where a file is found in a browser. @param site address of the site */
export function urlOf(path: string, site: string): string {
  const address = isPage(path) ? addressOf(path) : `/${path}`
  return new URL(address.split('/').map(encodeURIComponent).join('/'), site).href
}

/** What to write in a page to show an image, or to link to another file. */
export function markdownFor(path: string): string {
  if (isPage(path)) return `[](${addressOf(path)})`
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]+$/, '')
  const text = name.replaceAll(/[-_]+/g, ' ').replaceAll(/[[\]\\]/g, '\\$&')
  // Spaces and brackets end an address that stands bare (CommonMark, 6.3).
  const address = /[\s()<>]/.test(path) ? `</${path.replaceAll(/[<>]/g, '\\$&')}>` : `/${path}`
  return `${isImage(path) ? '!' : ''}[${text}](${address})`
}
