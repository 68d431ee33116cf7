import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { root } from '#lib/paths.ts'

const { narrowed, withGroups } = (await import(pathToFileURL(join(root, 'scripts/data/narrow.mjs')).href)) as {
  narrowed: (source: string, flags: string) => string | undefined
  withGroups: (source: string, used: ReadonlySet<number>) => { source: string; groups: number[] } | undefined
}

const expressions: readonly (readonly [source: string, flags: string])[] = [
  [String.raw`(?<![_$\p{L}\p{Nd}])\p{Lu}[\p{L}\p{M}\p{N}_]*(?=\p{space}*\()`, 'dgv'],
  [String.raw`[^\p{L}\p{space}]+`, 'dgv'],
  [String.raw`[^\p{L}\p{space}]+`, 'dgiv'],
  [String.raw`\P{Lu}\p{Upper}?`, 'dgiv'],
  [String.raw`[[\p{Lower}][\x00-\x40]]{2}`, 'dgiv'],
  [String.raw`[\p{L}--[a-mà-ö]]+|[\p{Alpha}&&\P{Ll}]`, 'dgv'],
  [String.raw`\\p\{space\}|\p{AHex}{2,3}`, 'dgv'],
]

describe('an expression for text in Latin-1', () => {
  it('finds what the one for all text finds', () => {
    const character = fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0xdf, 0xb5, 0xff, 0xe5, 0x4b, 0x73))
    fc.assert(
      fc.property(fc.array(character, { maxLength: 24 }), (codes) => {
        const text = String.fromCharCode(...codes) + String.raw`ÀB \p{space} f(x`
        for (const [source, flags] of expressions) {
          const narrow = new RegExp(narrowed(source, flags) ?? '(?!)', flags)
          expect([...text.matchAll(narrow)].map(({ indices }) => indices)).toEqual(
            [...text.matchAll(new RegExp(source, flags))].map(({ indices }) => indices),
          )
        }
      }),
    )
  })

  it('asks for no property of Unicode', () => {
    for (const [source, flags] of expressions)
      expect(narrowed(source, flags)?.replaceAll(/\\\\./g, '')).not.toMatch(/\\p/i)
  })

  it('is not made where nothing is gained, or where it may not be exact', () => {
    expect(narrowed(String.raw`[a-z]+\s\\p{L`, 'dgv')).toBeUndefined()
    expect(narrowed(String.raw`[\p{L}&&[k-s]]`, 'dgiv')).toBeUndefined()
    expect(narrowed(String.raw`\p{RGI_Emoji}`, 'dgv')).toBeUndefined()
  })
})

describe('an expression of many groups', () => {
  const many = `${'(a)'.repeat(64)}(?<=[\\(a])((b)|\\(c)+(d)`

  it('keeps those that are asked for and those that repeat, and finds the same', () => {
    const slim = withGroups(many, new Set([2, 67]))
    expect(slim?.groups).toEqual([2, 65, 67])
    const text = `${'a'.repeat(64)}b(cd`
    const [all, some] = [new RegExp(many, 'dgv').exec(text), new RegExp(slim?.source ?? '', 'dgv').exec(text)]
    expect(some?.indices?.slice(1)).toEqual(slim?.groups.map((number) => all?.indices?.[number]))
    expect(some?.[0]).toBe(text)
  })

  it('stays as it is where groups are referred to, or few', () => {
    expect(withGroups(`${many}\\1`, new Set())).toBeUndefined()
    expect(withGroups(`${many}(?<name>e)`, new Set())).toBeUndefined()
    expect(withGroups('(a)(b)', new Set())).toBeUndefined()
  })
})
