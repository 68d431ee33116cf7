import { describe, expect, it } from 'vitest'
import { withImages } from '#site/theme/document/images.ts'

const images = {
  '/a.png': { width: 1200, height: 600 },
  '/a ü#1.png': { width: 8, height: 4 },
  '/d.svg': { width: 400, height: 200, fluid: true as const },
}
const image = (more: string): string => `<img src="/a.png" ${more}alt="" loading="lazy">`

describe('pictures of a page', () => {
  it('have the size of their files', () => {
    const html = withImages(
      `${image('')}<img src="/a%20%C3%BC%231.png?v=1" alt=""><img src="/gone.png" alt="">`,
      images,
    )
    expect(html).toContain('<img width="1200" height="600" src="/a.png"')
    expect(html).toContain('<img width="8" height="4" src="/a%20%C3%BC%231.png?v=1"')
    expect(html).toContain('<img src="/gone.png"')
  })

  it('keep the size that their author gave, and get the other side', () => {
    expect(withImages(image('width="300" '), images)).toContain('<img height="150" src')
    expect(withImages(image('height="60px" '), images)).toContain('<img width="120" src')
    expect(withImages(image('width="50%" '), images)).toContain('<img style="aspect-ratio:1200/600" src')
    for (const given of ['width="1" height="1" ', 'style="height:2rem" ', 'class="h-8" '])
      expect(withImages(image(given), images)).not.toMatch(/1200|600/)
  })

  it('fill their place where they are drawings that only say their proportions', () => {
    expect(withImages('<img src="/d.svg" alt="" style="border:0">', images)).toBe(
      '<img width="100%" style="aspect-ratio:400/200;border:0" src="/d.svg" alt="">',
    )
  })

  it('are fetched at once where the first stands at the top, others when they come near', () => {
    const [first, second] = withImages(image('') + image(''))
      .split('<img ')
      .slice(1)
    expect(first).toContain('fetchpriority="high"')
    expect(first).not.toContain('lazy')
    expect(second).toContain('loading="lazy"')
    expect(withImages('<p>text</p>'.repeat(1000) + image(''))).toContain('loading="lazy"')
    expect(withImages(image('class="block dark:hidden" '))).toContain('loading="lazy"')
  })
})
