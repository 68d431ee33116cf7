import { nearestName } from '../../lib/nearest-name.ts'
import { show } from '../../lib/json-reader.ts'
import type { Look } from '../shell.ts'
import { codeThemeNames } from '../code-themes.ts'
import type { Settings } from './schema.ts'
import { images, pick, type SettingsContext } from './values.ts'

/** What a site looks like beside its colours; undefined where docs.json says nothing of it. */
export function lookOf(settings: Settings, context: SettingsContext): Look | undefined {
  const { background, styling } = settings
  const look: Look = {
    ...pick('image', images(background?.image, '/background/image', context)),
    ...pick('decoration', background?.decoration),
    ...pick('code', codeOf(styling?.codeblocks, context)),
    ...(styling?.eyebrows === 'section' ? { eyebrow: 'section' } : {}),
  }
  return Object.keys(look).length === 0 ? undefined : look
}

type CodeSetting = NonNullable<Settings['styling']>['codeblocks']

/** Themes of code blocks on light and on dark pages; undefined: our own. */
function codeOf(setting: CodeSetting, context: SettingsContext): Look['code'] {
  if (setting === undefined || setting === 'system') return undefined
  if (setting === 'dark') return { light: 'github-dark', dark: 'github-dark' }
  const pointer = '/styling/codeblocks'
  const { theme, light, dark } = typeof setting === 'string' ? { theme: setting } : { light: undefined, ...setting }
  const chosen =
    theme === undefined
      ? { light, dark: dark ?? light }
      : typeof theme === 'string'
        ? { light: theme, dark: theme }
        : theme
  if (chosen.light === undefined || chosen.dark === undefined) return undefined
  for (const name of [chosen.light, chosen.dark]) {
    if (codeThemeNames.has(name)) continue
    const meant = nearestName(name, [...codeThemeNames])
    context.problems.warning(
      'setting-ignored',
      pointer,
      `There is no theme of code ${show(name)}; code has our colours.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
    )
    return undefined
  }
  return { light: chosen.light, dark: chosen.dark }
}
