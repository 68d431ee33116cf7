import { escapeHtml } from '../../lib/html.ts'
import { show, type JsonObject } from '../../lib/json-reader.ts'
import { checkHref } from './href.ts'
import type { Problems } from './problems.ts'
import type { Settings } from './schema.ts'

type ImageSetting = NonNullable<Settings['logo']>

/** Inline SVG of an icon by name (and set), or undefined when there is none. */
export type IconLookup = (name: string, set?: string) => string | undefined

export interface SettingsContext {
  /** When docs.json gives no name. */
  readonly title: string
  readonly problems: Problems
  readonly icon: IconLookup
  /** docs.json, for what stands at its navigation. */
  readonly document?: JsonObject | null
  /** Whether the project has a file, for warnings about images. */
  hasFile(path: string): boolean
}

/** An icon as docs.json writes it: a name, `{name, library}`, or the path or address of a picture. Unknown ones are left out with a warning. */
export function iconOf(
  value: unknown,
  pointer: string,
  context: Pick<SettingsContext, 'problems' | 'icon'>,
): string | undefined {
  const named = typeof value === 'object' && value !== null ? value : { name: value }
  const name: unknown = Reflect.get(named, 'name')
  const library: unknown = Reflect.get(named, 'library') ?? Reflect.get(named, 'style')
  if (typeof name !== 'string' || name === '') return undefined
  if (/[./:]/.test(name)) {
    const src = link(/^\w+:|^\//.test(name) ? name : `/${name}`, pointer, context)
    return src === undefined ? undefined : `<img class="q-icon" src="${escapeHtml(src)}" alt="">`
  }
  const svg = context.icon(name, typeof library === 'string' ? library : undefined)
  if (svg === undefined)
    context.problems.warning('icon-unknown', pointer, `There is no icon ${show(name)}; it is left out.`)
  return svg
}

/** `{ [key]: value }`, or nothing when the value is absent. */
export function pick<K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> {
  return value === undefined ? {} : ({ [key]: value } as Record<K, V>)
}

export function images(setting: ImageSetting | undefined, pointer: string, context: SettingsContext) {
  if (setting === undefined) return undefined
  if (typeof setting === 'string') {
    const image = imagePath(setting, pointer, context)
    return image === undefined ? undefined : { light: image, dark: image }
  }
  const light = setting.light === undefined ? undefined : imagePath(setting.light, `${pointer}/light`, context)
  const dark = setting.dark === undefined ? undefined : imagePath(setting.dark, `${pointer}/dark`, context)
  const either = light ?? dark
  return either === undefined ? undefined : { light: light ?? either, dark: dark ?? either }
}

function imagePath(value: string, pointer: string, context: SettingsContext): string | undefined {
  const href = link(value, pointer, context)
  if (href === undefined || !href.startsWith('/')) return href
  const path = href.slice(1)
  if (path.split('/').includes('..')) {
    context.problems.error('setting-link', pointer, `The path ${show(value)} leads out of the project.`)
    return undefined
  }
  if (!context.hasFile(path)) {
    context.problems.warning('file-missing', pointer, `The project has no file ${show(path)}.`)
    return undefined
  }
  return href
}

/** The checked href, or undefined after an error at the pointer. */
export function link(
  value: string,
  pointer: string,
  { problems }: { readonly problems: Problems },
): string | undefined {
  const checked = checkHref(value)
  if ('href' in checked) return checked.href
  problems.error('setting-link', pointer, `The link ${show(value)} is refused: ${checked.refused}.`)
  return undefined
}
