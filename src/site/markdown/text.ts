export type Attributes = Readonly<Record<string, string>>

/** What an element does where it ends. */
export type Close = (() => void) | undefined

const attributePattern = /([^\s"=]+)(?:="([^"]*)")?/g
const entityPattern = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|nbsp));/gi
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' }

const none: Attributes = {}

/** Attributes as they stand in a tag. */
export function attributesOf(text: string): Attributes {
  if (text === '') return none
  const attributes: Record<string, string> = Object.create(null) as Record<string, string>
  for (const [, name = '', value] of text.matchAll(attributePattern))
    if (name !== '/') attributes[name] = value === undefined ? '' : decode(value)
  return attributes
}

/** HTML text → text. */
export function decode(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(entityPattern, (match, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return entities[name.toLowerCase()] ?? match
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
  })
}

/** Text of a link or a picture. */
export function label(text: string): string {
  return text
    .replaceAll(/[[\]\\]/g, '\\$&')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Address of a link or a picture. */
export function destination(href: string): string {
  return /[\s()<>]/.test(href) ? `<${href.replaceAll(/[<>\n]/g, encodeURIComponent)}>` : href
}

/** Text as code within a line. */
export function codeSpan(text: string): string {
  let longestRun = 0
  for (const run of text.match(/`+/g) ?? []) longestRun = Math.max(longestRun, run.length)
  const ticks = '`'.repeat(longestRun + 1)
  const pad = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return `${ticks}${pad}${text}${pad}${ticks}`
}
