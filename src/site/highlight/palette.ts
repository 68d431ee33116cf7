import type { IRawTheme } from 'shiki/textmate'
import dark from 'shiki/themes/github-dark.mjs'
import light from 'shiki/themes/github-light.mjs'

/**
 * Classes of code.css by the colours that GitHub’s light and dark theme give a scope. Both themes have the same scopes
 * with the same nesting, so one pass with a theme of pairs is exact for both. Pairs that are not here are plain text.
 */
const classes: Readonly<Record<string, string>> = {
  '#6a737d #6a737d': 'q-c',
  '#005cc5 #79b8ff': 'q-n',
  '#6f42c1 #b392f0': 'q-f',
  '#22863a #85e89d': 'q-t',
  '#d73a49 #f97583': 'q-k',
  '#032f62 #9ecbff': 'q-s',
  '#032f62 #dbedff': 'q-r',
  '#e36209 #ffab70': 'q-v',
  '#b31d28 #fdaeb7': 'q-e',
}

interface Rule {
  readonly scope?: string | readonly string[]
  readonly settings: { readonly foreground?: string; readonly fontStyle?: string }
}

const scopesOf = ({ scope }: Rule): readonly string[] =>
  scope === undefined ? [''] : typeof scope === 'string' ? scope.split(',').map((part) => part.trim()) : scope

/** One theme whose colours stand for pairs: `#000001` is the first pair of `classes`, `#000000` is plain text. */
export function unionTheme(): IRawTheme {
  const pairs = Object.keys(classes)
  const darkColors = new Map<string, string | undefined>()
  for (const rule of (dark.tokenColors ?? []) as readonly Rule[])
    for (const scope of scopesOf(rule)) darkColors.set(scope, rule.settings.foreground)
  const settings: IRawTheme['settings'] = [{ settings: { foreground: code(0), background: '#ffffff' } }]
  for (const rule of (light.tokenColors ?? []) as readonly Rule[]) {
    const { foreground, fontStyle } = rule.settings
    for (const scope of scopesOf(rule)) {
      const pair = `${foreground} ${darkColors.get(scope)}`
      settings.push({
        scope,
        settings: {
          ...(foreground === undefined ? {} : { foreground: code(pairs.indexOf(pair) + 1) }),
          ...(fontStyle === undefined ? {} : { fontStyle }),
        },
      })
    }
  }
  return { name: 'quire', settings }
}

const code = (position: number): string => `#${position.toString(16).padStart(6, '0')}`

/** Class of each colour id of a registry that has the union theme; an empty string for plain text. */
export function classesOf(colorMap: readonly string[]): string[] {
  const names = Object.values(classes)
  return colorMap.map((color) => names[Number.parseInt(color.slice(1), 16) - 1] ?? '')
}

/** Classes of a font style’s bits (italic 1, bold 2, underline 4, strikethrough 8). */
export function styleClasses(bits: number): string {
  if (bits <= 0) return ''
  return ['q-em', 'q-b', 'q-u', 'q-x'].filter((_, bit) => (bits & (1 << bit)) !== 0).join(' ')
}
