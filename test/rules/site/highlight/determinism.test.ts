import { describe, expect, it, vi } from 'vitest'
import { bundledLanguagesInfo } from 'shiki/langs'
import dark from 'shiki/themes/github-dark.mjs'
import light from 'shiki/themes/github-light.mjs'
import { parseFenceMeta } from '#site/highlight/meta.ts'
import { inDepth, isDeep } from '#test/support/depth.ts'

const fence = '```'
const allBlocks: readonly (readonly [language: string, code: string])[] = [
  [
    'markdown',
    `# Title\n\n${fence}js\nconst a = 1\n${fence}\n\n${fence}go\nfunc main() {}\n${fence}\n\n${fence}python\ndef a(): pass\n${fence}`,
  ],
  ['mdx', `import A from './a'\n\n<A b={1}>x</A>\n\n${fence}rust\nfn main() {}\n${fence}`],
  ['html', '<style>a{color:red}</style><script>const a = 1</script><p v-if="x">{{ y }}</p>'],
  ['vue', '<template><p v-if="x">{{ y }}</p></template>\n<script setup lang="ts">const a: number = 1</script>'],
  ['go', 'package main\nfunc main() { fmt.Println("x") }'],
  ['typescript', 'const css = html`<p>${a}</p>`; interface A { b: string }'],
  ['angular-html', '@if (a) { <p>{{ a }}</p> }'],
  ['python', 'def a():\n    """Doc."""\n    return f"{x}"'],
  ['css', '.a { color: red }'],
]
const quick = new Set(['markdown', 'go', 'python', 'css'])
const blocks = allBlocks.filter(([language]) => isDeep || quick.has(language))

async function drained(steps: AsyncGenerator<void>): Promise<void> {
  while ((await steps.next()).done !== true);
}

async function all(order: readonly number[], warm: boolean): Promise<Map<number, string>> {
  vi.resetModules()
  const { highlight } = await import('#site/highlight/code.ts')
  const { warmUp } = await import('#site/render/warmup.ts')
  if (warm) await drained(warmUp())
  const out = new Map<number, string>()
  for (const index of order) {
    const [language, code] = blocks[index] ?? ['', '']
    out.set(index, await highlight(code, parseFenceMeta(language, '')))
  }
  return out
}

describe('colours depend on language and code alone', () => {
  it(`any order gives the same HTML${isDeep ? ', warmed up or not' : ''}`, async () => {
    const indices = blocks.map((_, index) => index)
    const first = await all(indices, false)
    const warmed = [[...indices.slice(4), ...indices.slice(0, 4)], true] as const
    for (const [order, warm] of [[indices.toReversed(), false] as const, ...(isDeep ? [warmed] : [])]) {
      const other = await all(order, warm)
      for (const index of indices)
        expect([blocks[index]?.[0], other.get(index)]).toEqual([blocks[index]?.[0], first.get(index)])
    }
  })

  inDepth('more languages than are kept change nothing', async () => {
    vi.resetModules()
    const { highlight } = await import('#site/highlight/code.ts')
    const block = (extra: string) => highlight(`const a: string = f(1)${extra}`, parseFenceMeta('ts', ''))
    const before = await block('')
    for (const { id } of bundledLanguagesInfo.slice(0, 70)) await highlight('a = "b" # c', parseFenceMeta(id, ''))
    // Another text, so that it is coloured and not remembered.
    expect((await block('\n\n')).replace('\n', '')).toBe(before)
  })

  it('the light and the dark theme agree in their scopes, so one pass is exact for both', () => {
    const shape = (theme: typeof light) =>
      (theme.tokenColors ?? []).flatMap(({ scope, settings }) =>
        [scope ?? ''].flat().map((name) => `${name} ${settings.fontStyle ?? ''} ${settings.foreground !== undefined}`),
      )
    expect(shape(dark)).toEqual(shape(light))
  })
})
