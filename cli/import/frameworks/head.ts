import { listIn, objectIn, textIn, type Dictionary, type Item } from '../data.ts'
import type { Report } from '../report.ts'
import type { JsonObject } from '../site.ts'

/** A tag that a site puts into the head of every page. */
export interface HeadTag {
  readonly name: string
  readonly attributes: Dictionary
  /** Of a script. */
  readonly text?: string | undefined
}

/** `['meta', { name: … }]` of VitePress, `{ tag, attrs }` of Starlight, `{ tagName, attributes }` of Docusaurus. */
export function headTagsIn(item: Item): HeadTag[] {
  return listIn(item).flatMap((entry): HeadTag[] => {
    const [name, attributes, text] = listIn(entry)
    if (typeof name === 'string') return [{ name, attributes: objectIn(attributes), text: textIn(text) }]
    const own = objectIn(entry)
    const tag = textIn(own['tag']) ?? textIn(own['tagName'])
    if (tag === undefined) return []
    const given = objectIn(own['attrs'] ?? own['attributes'])
    return [{ name: tag, attributes: given, text: textIn(own['content']) ?? textIn(own['innerHTML']) }]
  })
}

type Services = Readonly<Record<string, JsonObject>>

/** Services that count readers, by what their scripts are called with. */
function serviceOf({ attributes, text = '' }: HeadTag): Services | undefined {
  const source = `${textIn(attributes['src']) ?? ''} ${text}`
  const [ga4] = /\bG-[A-Z\d]{4,15}\b/.exec(source) ?? []
  if (ga4 !== undefined) return { ga4: { measurementId: ga4 } }
  const [gtm] = /\bGTM-[A-Z\d]{4,12}\b/.exec(source) ?? []
  if (gtm !== undefined) return { gtm: { tagId: gtm } }
  const domain = textIn(attributes['data-domain'])
  if (/plausible\.io\//.test(source) && domain !== undefined) return { plausible: { domain } }
  const site = textIn(attributes['data-site'])
  if (/usefathom\.com\//.test(source) && site !== undefined) return { fathom: { siteId: site } }
  // What begins a service that another tag brings.
  return /^\s*(?:window\.dataLayer|window\.plausible)\b/.test(text) ? {} : undefined
}

/** `integrations` and `seo` of the tags of a head; those of which nothing is carried are told. */
export function headSettings(tags: readonly HeadTag[], report: Report, sign: string): JsonObject {
  let integrations: Services = {}
  const metatags: Record<string, string> = {}
  for (const tag of tags) {
    const { name, attributes } = tag
    const source = textIn(attributes['src'])
    if (name === 'script') {
      const service = serviceOf(tag)
      if (service === undefined)
        report.add('theme', sign, `A script of the head is not loaded${source === undefined ? '.' : `: ${source}`}`)
      else integrations = { ...integrations, ...service }
    } else if (name === 'style' || /stylesheet/.test(textIn(attributes['rel']) ?? ''))
      report.add(
        'theme',
        sign,
        `A style sheet of the head was left out: ${textIn(attributes['href']) ?? 'in the page'}`,
      )
    if (name !== 'meta') continue
    const [key, content] = [textIn(attributes['property']) ?? textIn(attributes['name']), textIn(attributes['content'])]
    if (key === undefined || content === undefined || !carriedMeta.test(key)) continue
    if (!key.endsWith(':image') || /^(?:https:\/\/|\/)/.test(content)) metatags[key] = content
  }
  return {
    integrations: Object.keys(integrations).length === 0 ? undefined : integrations,
    seo: Object.keys(metatags).length === 0 ? undefined : { metatags },
  }
}

/** Of which a site says something; titles, descriptions and addresses come from the pages. */
const carriedMeta =
  /^(?:og:(?:image|site_name|locale)|twitter:(?:image|site|creator|card)|author|keywords|google-site-verification|msvalidate\.01)$/
