import type { Dimensions, Images } from '#contract/release.ts'

/** HTML before it that a reader sees at once, about: a picture that stands lower is fetched when it comes near. */
const firstScreen = 4_000

/**
 * Gives the pictures of a page their size, so that nothing moves when they come, and fetches the first one at once where
 * it is near the top. The HTML is ours: an attribute's value holds no `>`.
 */
export function withImages(html: string, images: Images = {}): string {
  let isFirst = true
  return html.replace(/<img [^>]*>/g, (tag: string, at: number) => {
    const sized = withSize(tag, images)
    // One of a pair for light and dark may not be shown at all.
    if (!isFirst || /class="[^"]*hidden/.test(tag)) return sized
    isFirst = false
    return at > firstScreen ? sized : sized.replace(' loading="lazy"', ' fetchpriority="high"')
  })
}

function withSize(tag: string, images: Images): string {
  const dimensions = dimensionsOf(tag, images)
  if (dimensions === undefined) return tag
  const { width, height, fluid } = dimensions
  const style = attribute(tag, 'style') ?? ''
  // Who sets the height by a style or a class of utilities means that width to follow.
  if (/height/.test(style) || /\b(?:h|size)-/.test(attribute(tag, 'class') ?? '')) return tag
  const given = { width: attribute(tag, 'width'), height: attribute(tag, 'height') }
  if (given.width !== undefined && given.height !== undefined) return tag
  const ratio = ` style="aspect-ratio:${width}/${height}${style === '' ? '' : `;${style}`}"`
  const bare = style === '' ? tag : tag.replace(/ style="[^"]*"/, '')
  if (fluid === true && given.height === undefined)
    return bare.replace('<img', `<img${given.width === undefined ? ' width="100%"' : ''}${ratio}`)
  if (given.width === undefined && given.height === undefined)
    return tag.replace('<img', `<img width="${width}" height="${height}"`)
  const [side, other, factor] =
    given.width === undefined ? [given.height, 'width', width / height] : [given.width, 'height', height / width]
  const length = /^\d{1,5}(?:px)?$/.test(side ?? '') ? Number.parseInt(side ?? '', 10) : undefined
  return length === undefined
    ? bare.replace('<img', `<img${ratio}`)
    : tag.replace('<img', `<img ${other}="${Math.round(length * factor)}"`)
}

function dimensionsOf(tag: string, images: Images): Dimensions | undefined {
  const source = (attribute(tag, 'src') ?? '')
    .replaceAll('&amp;', '&')
    .replaceAll('&#39;', "'")
    .replace(/[?#].*$/s, '')
  if (!source.startsWith('/')) return undefined
  try {
    const path = decodeURIComponent(source)
    return Object.hasOwn(images, path) ? images[path] : undefined
  } catch {
    return undefined
  }
}

/** The value of an attribute, as it is written. */
function attribute(tag: string, name: string): string | undefined {
  return tag.includes(` ${name}="`) ? tag.split(` ${name}="`)[1]?.split('"', 1)[0] : undefined
}
