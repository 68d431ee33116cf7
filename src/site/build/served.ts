import { fullPath } from './llms.ts'

/** Paths of what a site has without a file of it. */
const generated: ReadonlySet<string> = new Set(['/llms.txt', '/robots.txt', '/sitemap.xml', fullPath])
/** What the service answers on the host of a site, where the site itself has nothing. */
const ofService = /^\/(?:changelog(?:\/.*)?|mcp|search\.json)$/

/** Whether something answers at a path beside the files of the project. Whether there is a changelog, nobody knows here. */
export function isOwn(path: string): boolean {
  return generated.has(path) || ofService.test(path) || path.endsWith(fullPath)
}

/** Under which a page answers: without the ending of a source or static file, without `index`. */
export function cleanPath(path: string): string {
  return path.replace(/\.(mdx?|html)$/i, '').replace(/(?:\/index)+$/, '') || '/'
}
