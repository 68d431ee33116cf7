/*
 * A site may stand below a path of its host, as `https://example.com/docs` does behind a proxy: its base, `/docs`. A
 * release knows its own paths without it; readers’ addresses have it.
 */

/** A path or request target without the base; as it is where it is not below that. */
export function withoutBase(target: string, base: string): string {
  if (base === '' || !target.startsWith(base)) return target
  const rest = target.slice(base.length)
  if (rest === '') return '/'
  if (rest.startsWith('/')) return rest
  return rest.startsWith('?') || rest.startsWith('#') ? `/${rest}` : target
}

/** Whether a path or request target is below the base. */
function isBelow(target: string, base: string): boolean {
  return base !== '' && withoutBase(target, base) !== target
}

/** A path of the site as its readers have it; addresses elsewhere stay. */
export function withBase(href: string, base: string): string {
  if (base === '' || !href.startsWith('/') || href.startsWith('//') || isBelow(href, base)) return href
  return href === '/' ? base : base + href
}

/** Candidates of a `srcset`, and addresses of CSS, with the base before those of the site. */
export const imagesWithBase = (set: string, base: string): string =>
  set.replaceAll(/(^\s{0,8}|,\s{0,8})(\/[^\s,]*)/g, (_, start: string, path: string) => start + withBase(path, base))
export const rulesWithBase = (rules: string, base: string): string =>
  rules.replaceAll(
    /(url\((?:&quot;|&#39;|["'])?)(\/[^\s"'&()]*)/g,
    (_, start: string, path: string) => start + withBase(path, base),
  )

/** Tags with their attributes. What is none ends at the next `<` outside of a value, so nothing is looked at again and again. */
const tagPattern = /<[a-zA-Z](?:[^"'<>]|"[^"]*"|'[^']*')*>/g
/** Attributes that lead somewhere; of the others the values, which stay. */
const attributePattern =
  /(\s(?:href|src|action|poster|data-copy-page|data-src)=")(\/(?!\/)[^"]*)"|(\ssrcset=")([^"]*)"|(\sstyle=")([^"]*)"|"[^"]*"|'[^']*'/g

/** The HTML of a document with the base before all paths of the site. Text and scripts stay as they are. */
export function htmlBelow(html: string, base: string): string {
  if (base === '') return html
  return html.replace(tagPattern, (tag) =>
    tag.includes('/')
      ? tag.replace(
          attributePattern,
          (whole, start?: string, href?: string, set?: string, images?: string, style?: string, rules?: string) => {
            if (start !== undefined && href !== undefined) return `${start}${withBase(href, base)}"`
            if (set !== undefined && images !== undefined) return `${set}${imagesWithBase(images, base)}"`
            if (style !== undefined && rules !== undefined) return `${style}${rulesWithBase(rules, base)}"`
            return whole
          },
        )
      : tag,
  )
}
