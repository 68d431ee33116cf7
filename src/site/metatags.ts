/** A tag of the head that says something of the site or of the page: what it is called, and what it says. */
export type Metatag = readonly [name: string, content: string]

export const maxMetatags = 50
export const longestMetatag = 2000

/** Tags that do nothing in a browser, beside those of families such as `og:image`. */
const others =
  'author|publisher|copyright|googlebot|bingbot|p:domain_verify|msvalidate\\.01|apple-itunes-app|[a-z\\d-]{1,40}-verification'
const families = '(?:og|twitter|article|book|profile|fb|al):[\\w:.-]{1,60}'

/** Names that front matter may give a tag by; other names of front matter are the author’s own. */
export const pageTagPattern = `^(?:${families}|${others}|robots)$`
export const pageTags = new RegExp(pageTagPattern)

/** Names that `seo.metatags` of docs.json may: titles, descriptions and addresses are those of the page. */
export const siteTags = new RegExp(
  `^(?!og:(?:title|description|url)$|twitter:(?:title|description)$)(?:${families}|${others}|category|rating|application-name|apple-mobile-web-app-title)$`,
)

/** Whether `robots` asks search engines to leave something out. */
export function forbidsIndexing(robots: unknown): boolean {
  return typeof robots === 'string' && /(?:^|[\s,])(?:noindex|none)(?:[\s,]|$)/i.test(robots)
}
