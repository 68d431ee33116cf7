import { encodePath } from '../config/href.ts'
import type { SitePage } from '../config/pages.ts'
import { escapeHtml } from '../../lib/html.ts'

/** sitemap.xml with absolute URLs. Format: https://www.sitemaps.org/protocol.html */
export function sitemapXml(origin: string, pages: readonly SitePage[]): string {
  let urls = ''
  for (const { url } of pages) urls += `<url><loc>${escapeHtml(origin + encodePath(url))}</loc></url>\n`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls}</urlset>\n`
}

/** robots.txt (RFC 9309). */
export function robotsText(origin: string, noindex: boolean): string {
  return noindex ? 'User-agent: *\nDisallow: /\n' : `User-agent: *\nAllow: /\n\nSitemap: ${origin}/sitemap.xml\n`
}
