import { describe, expect, it, vi } from 'vitest'
import type { Translations } from '#site/highlight/translations.ts'
import { openTranslations, translate } from '#site/highlight/translations.ts'
import { isDeep } from '#test/support/depth.ts'

const module = '#site/highlight/translations.ts'
const fence = '```'
const allSamples: readonly (readonly [language: string, code: string])[] = [
  [
    'typescript',
    'type A<T> = { [K in keyof T]?: T[K] }\nconst a = `x${f<A>(1)}` // c\nclass B { @dec() private x!: string }',
  ],
  ['tsx', 'export const A = ({ b }: P) => <div {...b} onClick={() => f(1)}>text {b ? <i /> : null}</div>'],
  ['python', 'def a(b: int = 1) -> str:\n    """Doc {x}."""\n    return f"{b!r:>{10}}" if b else r"\\d+"'],
  ['shellscript', 'cat <<EOF | grep -v "$A"\ntext ${B:-c} $(ls)\nEOF\nfor i in *; do echo "$i"; done'],
  ['ruby', 'a = <<~SQL\n  SELECT 1 #{b}\nSQL\ndef c = %w[d e].map { |x| x =~ /f#{g}/ }'],
  ['yaml', 'a: |\n  text\n- b: "c" # d\n  e: &f [1, true]'],
  ['markdown', `# Title\n\n- **a** [b](c)\n\n${fence}js\nconst a = 1\n${fence}\n\n> *quote*`],
  ['rust', 'fn a<\'b>(c: &\'b str) -> r#type { println!("{c}", r#"raw"#) }'],
]
const quick = new Set(['python', 'shellscript', 'rust'])
const blockSamples = allSamples.filter(([language]) => isDeep || quick.has(language))

/** The blocks’ HTML from modules that start afresh. */
async function coloured(translations: Translations): Promise<string[]> {
  vi.resetModules()
  vi.doMock(module, () => ({ openTranslations: () => translations, translate }))
  const { tokenise } = await import('#site/highlight/tokenise.ts')
  const html: string[] = []
  for (const [language, code] of blockSamples) html.push((await tokenise(code, language)).join('\n'))
  vi.doUnmock(module)
  // The next file gets modules without it.
  vi.resetModules()
  return html
}

/** Positions of groups are asked for only where there are groups. */
function parts(regexp: RegExp): unknown {
  const flags = regexp.flags.replace('d', '')
  // One of an emulated expression is written without the escapes that `source` has.
  return [new RegExp(regexp.source, flags).source, flags]
}

describe('patterns translated at build time', () => {
  it('give the HTML and the expressions that translating them now gives, and are nearly all', async () => {
    const translations = openTranslations()
    const asked: string[] = []
    const unknown: string[] = []
    const html = await coloured((source) => {
      asked.push(source)
      const known = translations(source)
      if (known === undefined) unknown.push(source)
      else {
        const expression = known.wide()
        const now = translate(source)
        expect(expression === null ? null : parts(expression.regexp)).toEqual(now === null ? null : parts(now.regexp))
      }
      return known
    })
    expect(html).toEqual(await coloured(() => undefined))
    expect(html.every((block) => block.includes('<span class="q-'))).toBe(true)
    expect(asked.length).toBeGreaterThan(250)
    // Ends that repeat words of their beginnings, such as those of here documents.
    expect(unknown.length).toBeLessThan(asked.length / 50)
  })

  it('are not needed: without the file, and for what it lacks, nothing is known', () => {
    expect(openTranslations('missing')('a')).toBeUndefined()
    expect(openTranslations()('what no grammar has')).toBeUndefined()
  })
})
