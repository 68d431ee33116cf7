import { describe, expect, it } from 'vitest'
import { estimateTokens, outline } from '../../../cli/generate/outline.ts'
import { symbolsOf } from './symbols/shown.ts'

const text = `/** Reads settings. */
import './a'

/**
 * Loads the settings
 * of a site.
 *
 * They are checked.
 */
export function load(path: string): Promise<Settings> {
  return read(path)
}
class Store {
  /** Puts one. */
  put(item: string): void {}
}
export { Store as default }
export * from './more.js'
`

describe('an outline', () => {
  it('has a line for each symbol, with where it stands and the first words of its comment', async () => {
    expect(outline(await symbolsOf('src/a.ts', text), 1_000).split('\n')).toEqual([
      'src/a.ts — Reads settings.',
      'L10-12 export function load(path: string): Promise<Settings> — Loads the settings of a site.',
      'L13-16 class Store (exported as default)',
      '  L15 put(item: string): void — Puts one.',
      "re-exports * from './more.js'",
    ])
  })

  it('leaves out members’ comments, then members, then comments, then the last, as the budget shrinks', async () => {
    const file = await symbolsOf('src/a.ts', text)
    const at = (budget: number): string => {
      const shown = outline(file, budget)
      expect(estimateTokens(shown)).toBeLessThanOrEqual(budget)
      return shown
    }
    const all = estimateTokens(outline(file, 1_000))
    expect(at(all - 1)).not.toContain('Puts one.')
    expect(at(all - 1)).toContain('put(item')
    expect(at(50)).not.toContain('put(item')
    expect(at(50)).toContain('Loads the settings')
    expect(at(20)).toMatch(/… and \d more$/)
  })

  it('counts four bytes a token', () => {
    expect([estimateTokens(''), estimateTokens('abcd'), estimateTokens('äöü')]).toEqual([0, 1, 2])
  })
})
