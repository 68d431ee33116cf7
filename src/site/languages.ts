/**
 * Languages that docs.json may name and that the interface speaks, as BCP 47 tags. Beside each: how public docs.json
 * files also write it.
 */
const tags = {
  ar: [],
  ca: [],
  cs: [],
  da: [],
  de: [],
  en: [],
  es: [],
  fi: [],
  fr: [],
  he: ['iw'],
  hi: [],
  hu: [],
  id: ['in'],
  it: [],
  ja: ['jp', 'ja-jp'],
  ko: ['kr'],
  lv: [],
  nl: [],
  no: ['nb', 'nn'],
  pl: [],
  pt: [],
  'pt-BR': ['br'],
  ro: [],
  ru: [],
  sv: [],
  tr: [],
  uk: ['ua'],
  uz: [],
  vi: ['vn'],
  'zh-Hans': ['zh', 'cn', 'zh-cn', 'zh-sg'],
  'zh-Hant': ['zh-tw', 'zh-hk', 'tw'],
} as const

/** A language that the interface speaks. */
export type Language = keyof typeof tags

const known: ReadonlyMap<string, Language> = new Map(
  (Object.keys(tags) as Language[]).flatMap((tag) =>
    [tag, ...tags[tag]].map((name) => [name.toLowerCase(), tag] as const),
  ),
)

const code = /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/

/** The BCP 47 tag of a language as docs.json names it: `cn` → `zh-Hans`, `fr-CA` as it is. Undefined for what is no code. */
export function languageTag(text: string): string | undefined {
  const tag = known.get(text.toLowerCase())
  if (tag !== undefined) return tag
  if (text.length > 35 || !code.test(text)) return undefined
  return canonicalTags(text)[0]
}

/** The language whose words a page in `tag` shows; English where there is no nearer one. */
export function interfaceLanguage(tag: string): Language {
  return nearest(tag.toLowerCase()) ?? 'en'
}

/** Whether a text, such as the name of a folder, is the code of one of these languages. */
export function isKnownLanguage(text: string): boolean {
  return nearest(text.toLowerCase()) !== undefined
}

function nearest(tag: string): Language | undefined {
  for (let end = tag.length; end > 0; end = tag.lastIndexOf('-', end - 1)) {
    const found = known.get(tag.slice(0, end))
    if (found !== undefined) return found
  }
  return undefined
}

function canonicalTags(text: string): string[] {
  try {
    return Intl.getCanonicalLocales(text)
  } catch {
    return []
  }
}

const rightToLeft = /^(?:ar|dv|fa|he|ku|ps|sd|ug|ur|yi)(?:-|$)/i

/** @param lang BCP 47 */
export function isRightToLeft(lang: string): boolean {
  return rightToLeft.test(lang)
}
