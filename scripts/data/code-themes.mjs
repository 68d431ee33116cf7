// Writes src/site/code-themes.ts: what each theme of Shiki gives the kinds of words that code.css knows.
import { readdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** By class, in the order of `codeClasses`: the scope that stands for it. */
const scopes = [
  'comment',
  'constant.numeric',
  'entity.name.function',
  'entity.name.tag',
  'keyword.control',
  'string.quoted',
  'string.regexp',
  'variable.parameter',
  'invalid.illegal',
]
const folder = join(dirname(createRequire(import.meta.url).resolve('@shikijs/themes/github-dark')), '.')

const colour = (value) => {
  const hex = /^#[0-9a-f]{3,8}$/i.exec(value ?? '')?.[0].toLowerCase()
  if (hex === undefined) return undefined
  return hex.length <= 5 ? `#${hex.slice(1, 4).replace(/./g, '$&$&')}` : hex.slice(0, 7)
}

function colourOf({ tokenColors = [], settings = [] }, scope) {
  let best = { length: -1 }
  for (const rule of [...settings, ...tokenColors]) {
    const selectors = typeof rule.scope === 'string' ? rule.scope.split(',') : (rule.scope ?? [])
    for (const selector of selectors.map((one) => one.trim())) {
      const foreground = colour(rule.settings?.foreground)
      if (foreground === undefined || !(scope === selector || scope.startsWith(`${selector}.`))) continue
      if (selector.length >= best.length) best = { length: selector.length, foreground }
    }
  }
  return best.foreground
}

const rows = []
for (const file of readdirSync(folder)
  .filter((name) => name.endsWith('.mjs') && name !== 'index.mjs')
  .sort()) {
  const { default: theme } = await import(join(folder, file))
  const ground = colour(theme.colors?.['editor.background']) ?? (theme.type === 'dark' ? '#1e1e1e' : '#ffffff')
  const ink =
    colour(theme.colors?.['editor.foreground']) ?? colour(theme.fg) ?? (theme.type === 'dark' ? '#d4d4d4' : '#24292e')
  const colours = [ground, ink, ...scopes.map((scope) => colourOf(theme, scope) ?? ink)]
  rows.push(
    `  '${theme.name}': '${theme.type === 'dark' ? 'dark' : 'light'} ${colours.map((one) => one.slice(1)).join(' ')}',`,
  )
}
writeFileSync(
  join(import.meta.dirname, '../../src/site/code-themes.ts'),
  `// Written by scripts/data/code-themes.mjs.

/** Classes of words in code, in the order of the colours. */
export const codeClasses = ['q-c', 'q-n', 'q-f', 'q-t', 'q-k', 'q-s', 'q-r', 'q-v', 'q-e'] as const

/** Themes of code by name: whether one is light or dark, its ground, its plain text, and the colour of each class. */
export const codeThemes: Readonly<Record<string, string>> = {
${rows.join('\n')}
}

/** Has the colours that a site's own style sheets give variables. */
export const variableTheme = 'css-variables'

/** Names that docs.json may give code blocks. */
export const codeThemeNames: ReadonlySet<string> = new Set([...Object.keys(codeThemes), variableTheme])
`,
)
