import { textOfValue, writeTag, type Element, type Value } from './elements.ts'

/** What says in which theme a picture is shown. */
const shownIn = { light: 'block dark:hidden', dark: 'hidden dark:block' } as const
type Theme = keyof typeof shownIn

export interface PictureContext {
  /** An address as the new site has it. */
  readonly link: (address: string) => string
  /** The address of a picture that a page imported or names by code. */
  readonly picture: (code: string) => string | undefined
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** A picture as a tag, which Markdown and MDX both have. @param theme in which alone it is shown */
export function pictureTag(
  source: string,
  attributes: Readonly<Record<string, string | undefined>>,
  theme?: Theme,
): string {
  const all = { ...(theme === undefined ? {} : { class: shownIn[theme] }), src: source, ...attributes }
  const written = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${escaped(value)}"`],
  )
  return `<img ${written.join(' ')} />`
}

/** The theme that an address names: `#gh-dark-mode-only` of GitHub, `#only-dark` of Material. */
export function themeOf(address: string): { readonly bare: string; readonly theme?: Theme } {
  const [mark = '', theme = ''] =
    /#(?:gh-(?=\w+-mode-only)|only-(?=\w+$))(light|dark)(?:-mode-only)?$/.exec(address) ?? []
  return mark === '' ? { bare: address } : { bare: address.slice(0, -mark.length), theme: theme as Theme }
}

/** Pictures in HTML whose addresses name a theme. */
export const themedHtml = (html: string): string =>
  html.includes('#')
    ? html.replaceAll(/<img\b[^>]*?\ssrc=(["'])([^"'\s>]+)\1[^>]*>/g, (tag, _quote: string, source: string) => {
        const { bare, theme } = themeOf(source)
        if (theme === undefined || /\sclass(?:Name)?=/.test(tag)) return tag
        return tag.replace(source, bare).replace('<img', `<img class="${shownIn[theme]}"`)
      })
    : html

/** `{ width="300" align=left }` behind a picture, as attributes of its tag. */
export function pictureAttributes(text: string): Readonly<Record<string, string | undefined>> {
  const [, width] = /(?:^|[\s{])width=["']?([\d.]+%?(?:px)?)/.exec(text) ?? []
  const [, height] = /(?:^|[\s{])height=["']?([\d.]+)/.exec(text) ?? []
  const [, align] = /(?:^|[\s{])align=["']?(left|right|center)/.exec(text) ?? []
  const percent = width?.endsWith('%') === true ? width : undefined
  const style = [
    ...(percent === undefined ? [] : [`width:${percent}`]),
    ...(align === undefined || align === 'center'
      ? []
      : [`float:${align}`, `margin:0 ${align === 'left' ? '1em 0 0' : '0 0 1em'}`]),
  ]
  return {
    width: percent === undefined ? width?.replace('px', '') : undefined,
    height,
    ...(style.length === 0 ? {} : { style: style.join(';') }),
  }
}

const addressIn = (value: Value | undefined, { link, picture }: PictureContext): string | undefined => {
  const own = typeof value === 'object' ? (picture(value.code) ?? textOfValue(value)) : textOfValue(value)
  return own === undefined ? undefined : link(own)
}

/** `<Image src={house} alt="A house" width={200} />` of Astro and Nextra, `<IdealImage img={…} />` of Docusaurus. */
export function imageOf(element: Element, context: PictureContext): string | undefined {
  const { attributes } = element
  const source = addressIn(attributes.get('src') ?? attributes.get('img'), context)
  if (source === undefined) return undefined
  const kept = ['alt', 'width', 'height', 'style', 'className', 'class', 'title'].map(
    (name) => [name, attributes.get(name) ?? (name === 'alt' ? '' : undefined)] as const,
  )
  return writeTag('img', [['src', source], ...kept], true)
}

/** `<ThemedImage sources={{ light: …, dark: … }} />` of Docusaurus: a picture for each theme. */
export function themedImagesOf(element: Element, context: PictureContext): string | undefined {
  const sources = element.attributes.get('sources')
  const code = typeof sources === 'object' ? sources.code : ''
  const tags = (['light', 'dark'] as const).flatMap((theme) => {
    const [, value] = new RegExp(`\\b${theme}\\s*:\\s*((?:[^,{}()]|\\([^()]*\\))+)`).exec(code) ?? []
    const source = value === undefined ? undefined : addressIn({ code: value.trim() }, context)
    const size = ['alt', 'width', 'height'].map((name) => [name, element.attributes.get(name)] as const)
    return source === undefined
      ? []
      : [writeTag('img', [['className', shownIn[theme]], ['src', source], ...size], true)]
  })
  return tags.length === 0 ? undefined : tags.join('')
}

/** A video by its number on YouTube. */
export function videoOf(element: Element): string | undefined {
  const id = textOfValue(element.attributes.get('id') ?? element.attributes.get('videoId'))
  const own = /(?:^|v=|youtu\.be\/|embed\/)([\w-]{6,20})(?:$|[?&])/.exec(id ?? '')?.[1]
  if (own === undefined) return undefined
  const title = textOfValue(element.attributes.get('title')) ?? 'Video'
  return `<iframe className="w-full aspect-video" src="https://www.youtube-nocookie.com/embed/${own}" title="${escaped(title)}" allowFullScreen></iframe>`
}
