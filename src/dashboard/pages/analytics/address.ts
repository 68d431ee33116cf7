/** Of a page on the live site. @param path decoded */
export function addressOf(url: string, path: string): string {
  return new URL(path.split('/').map(encodeURIComponent).join('/'), url).href
}
