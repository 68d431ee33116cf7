import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { dist, root } from '#lib/paths.ts'
import { compileNeeds, Presence } from '#site/highlight/line.ts'
import type { Translations } from '#site/highlight/translations.ts'
import { openTranslations, translate } from '#site/highlight/translations.ts'
import { hasCorpora, unpackCorpus } from '#test/support/shared.ts'
import { readFolder } from '#test/support/site/support/project.ts'

type Needs = readonly (readonly string[])[]
const script = <T>(name: string): Promise<T> =>
  import(pathToFileURL(join(root, 'scripts/data', name)).href) as Promise<T>
const { needsOf } = await script<{ needsOf: (source: string, flags: string) => Needs }>('needs.mjs')

function mayMatch(regexp: RegExp, line: string): boolean {
  const presence = new Presence()
  presence.read(presence.nextLine(), line)
  return presence.meets(compileNeeds(needsOf(regexp.source, regexp.flags)))
}

const expressions: readonly (readonly [source: string, flags: string, ruledOut: string])[] = [
  [String.raw`(?<![\w$])Infinity\b`, 'dgv', 'const finite = 1'],
  [String.raw`(async)?\s*(function|=>)`, 'dgv', 'asynchronous = 1 > 0'],
  [String.raw`(?:if|else|[\(\[])x?`, 'dgiv', 'e l f i s e'],
  [String.raw`a+b{2}c?(?=d)e*(?!f)`, 'dgv', 'a b b d'],
  [String.raw`(?<=x)y|z{0,2}w`, 'dgv', 'z z'],
  [String.raw`(['"]).*?\1`, 'dgv', 'none'],
  [String.raw`\p{Lu}[[a-z]&&[^aeiou]]\u{1F600}?`, 'dgv', 'no upper case'],
  [String.raw`[^\0-\xFF]+ k`, 'dgiv', 'only Latin-1 k'],
  [String.raw`kiss\.\x41\u0042\cM?`, 'dgiv', 'kis A B'],
  [String.raw`^(?:\/\/|#|--)$`, 'dgv', 'a / b - c'],
]

describe('what a pattern needs', () => {
  it.each(expressions)('of /%s/%s keeps it from being run on %j', (source, flags, line) => {
    const regexp = new RegExp(source, flags)
    expect(regexp.test(line)).toBe(false)
    expect(mayMatch(regexp, line)).toBe(false)
  })

  it('is in every line in which the pattern matches', () => {
    const words = `Infinity function async => if ELSE ( x aabb b d xy w ' " É ſ k ki ſs.AB Ω // # -- .`.split(' ')
    const word = fc.constantFrom(...words, ' ', ' k', '\u212A', '\u{1F600}', 'B\u{1F600}', '\n', '\r')
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (parts) => {
        const line = parts.join('')
        for (const [source, flags] of expressions) {
          const matches = new RegExp(source, flags).test(line)
          if (matches && !mayMatch(new RegExp(source, flags), line)) throw new Error(`${source} on ${line}`)
        }
      }),
    )
  })

  it('is nothing for a pattern that matches the empty text', () => {
    for (const source of ['(?=foo)|^', '(?!a)', 'a*(?:b|c?)']) expect(needsOf(source, 'dgv')).toEqual([])
  })
})

function blocksOf(files: ReturnType<typeof readFolder>): (readonly [language: string, code: string])[] {
  return Object.values(files).flatMap((text) =>
    [...String(text).matchAll(/^ *```([\w+#-]+)[^\n`]*\n([\s\S]*?)^ *```$/gm)].map(
      ([, language = '', code = '']) => [language, code] as const,
    ),
  )
}

/** The first blocks of each language: what a pattern needs does not depend on how many blocks there are. */
function firstOfEach(blocks: ReturnType<typeof blocksOf>, count: number): ReturnType<typeof blocksOf> {
  const seen = new Map<string, number>()
  return blocks.filter(([language]) => {
    const number = (seen.get(language) ?? 0) + 1
    seen.set(language, number)
    return number <= count
  })
}

describe('blocks of code', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'quire-needs-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** HTML of blocks, by what was prepared for their lines or with every pattern run as it is. */
  async function coloured(blocks: readonly (readonly [string, string])[], isPrepared: boolean): Promise<string[]> {
    const known = openTranslations(join(dist, 'patterns'))
    const translations: Translations = (source) => {
      const translation = known(source)
      return translation === undefined || isPrepared ? translation : { needs: [], wide: translation.wide }
    }
    vi.resetModules()
    vi.doMock('#site/highlight/translations.ts', () => ({
      openTranslations: () => translations,
      translate,
    }))
    const { tokenise } = await import('#site/highlight/tokenise.ts')
    const html: string[] = []
    for (const [language, code] of blocks) html.push((await tokenise(code, language)).join('\n'))
    vi.doUnmock('#site/highlight/translations.ts')
    // The next file gets modules without it.
    vi.resetModules()
    return html
  }

  async function expectSame(blocks: readonly (readonly [string, string])[]): Promise<void> {
    expect(await coloured(blocks, true)).toEqual(await coloured(blocks, false))
  }

  it('have the colours that running every pattern gives', async () => {
    const samples = blocksOf(readFolder(join(root, 'src/site/render/pages')))
    const wide = samples.map(([language, code]) => [language, code.replaceAll(/[aeks]/g, 'ſ\u212Aé€')] as const)
    const upper = samples.map(([language, code]) => [language, code.toUpperCase()] as const)
    const own = ['scanner', 'languages', 'line'].map((name) => join(root, `src/site/highlight/${name}.ts`))
    const files = await Promise.all(own.map(async (path) => ['ts', await readFile(path, 'utf8')] as const))
    await expectSame([...samples, ...wide, ...upper, ...files])
  })

  const corpora = ['turso-docs', 'mem0-docs', 'mcp-docs', 'bench-500']
  it.skipIf(!hasCorpora).each(corpora)('of %s, too', async (name) => {
    const files = readFolder(await unpackCorpus(name, mkdtempSync(join(folder, 'corpus-'))))
    const blocks = firstOfEach(blocksOf(files), 100)
    expect(blocks.length).toBeGreaterThan(100)
    await expectSame(blocks)
  })
})
