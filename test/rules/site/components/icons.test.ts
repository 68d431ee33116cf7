import { describe, expect, it } from 'vitest'
import { icon } from '#site/components/icons.ts'

describe('icons', () => {
  it('is decorative inline SVG in the colour of the text', () => {
    expect(icon('house')).toMatch(
      /^<svg class="q-icon" viewBox="[\d ]+" fill="currentColor" aria-hidden="true"><path d="[^"]+"\/><\/svg>$/,
    )
  })

  it.each([
    ['home', 'house'],
    ['search', 'magnifying-glass'],
    ['exclamation-triangle', 'triangle-exclamation'],
    ['cog', 'gear'],
    ['file-alt', 'file-lines'],
    ['area-chart', 'chart-area'],
    ['fa-house', 'house'],
    ['HOUSE', 'house'],
    ['rocket-launch', 'rocket'],
    ['megaphone', 'bullhorn'],
  ])('%s is what was, or is nearest to, %s', (name, today) => {
    expect(icon(name)).toBeDefined()
    expect(icon(name)).toBe(icon(today))
  })

  it('the set says where to look first', () => {
    expect(icon('house', 'lucide')).toContain('stroke="currentColor"')
    expect(icon('star', 'regular')).not.toBe(icon('star', 'solid'))
    expect(icon('star', 'light')).toBe(icon('star', 'regular'))
    expect(icon('github', 'solid')).toBe(icon('github', 'brands'))
  })

  it('are those of Tabler where they are asked for: lines, and filled ones by that name', () => {
    expect(icon('brand-discord')).toBeUndefined()
    expect(icon('brand-discord', 'tabler')).toMatch(/stroke="currentColor" stroke-width="2".*<path d=/)
    expect(icon('rocket', 'tabler')).not.toBe(icon('rocket', 'lucide'))
    expect(icon('star-filled', 'Tabler')).toContain('<g fill="currentColor" stroke="none"><path d=')
    expect(icon('venetian-mask', 'tabler')).toBe(icon('venetian-mask', 'lucide'))
    expect(icon('wand-magic-sparkles', 'tabler')).toBe(icon('wand-magic-sparkles'))
  })

  it('a name of Lucide is, among the filled ones, the nearest of these, else drawn with thicker lines', () => {
    expect(icon('sparkles')).toBe(icon('wand-magic-sparkles'))
    expect(icon('sparkles', 'lucide')).toContain('stroke-width="2"')
    expect(icon('venetian-mask')).toContain('stroke-width="2.75"')
    expect(icon('venetian-mask', 'lucide')).toContain('stroke-width="2"')
  })

  it.each(['no-such-icon', '', '../../package', 'a b', '<svg>', 'constructor', '__proto__', 'x'.repeat(500)])(
    '%j is no icon',
    (name) => {
      expect(icon(name)).toBeUndefined()
    },
  )
})
