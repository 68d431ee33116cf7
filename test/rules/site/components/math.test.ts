import { describe, expect, it } from 'vitest'
import { math } from '#site/components/inline.tsx'

describe('math', () => {
  it('is MathML, which needs no styles', () => {
    expect(math('x^2', false)).toMatch(/^<math .*<\/math>$/)
    expect(math('x^2', true)).toMatch(/^<div class="q-math"><math [^>]*display="block"/)
  })

  it.each([
    ['\\href{javascript:alert(1)}{x}'],
    ['\\url{javascript:alert(1)}'],
    ['\\htmlData{onclick=alert(1)}{x}'],
    ['\\includegraphics{https://evil.example/x.png}'],
    ['<img src=x onerror=alert(1)>'],
    ['\\text{<script>alert(1)</script>}'],
  ])('%s runs nothing and links nowhere', (tex) => {
    const html = math(tex, false)
    // The source may be shown as text, in an annotation or as an error.
    expect(html).not.toMatch(/<(?:a|img|script|span)\b/i)
    expect(html).not.toMatch(/<[^>]*\s(?:href|onclick|data-onclick|src)=/i)
  })

  it('endless macros end', () => {
    expect(math('\\def\\a{\\a\\a}\\a', false)).toContain('q-math-error')
  })

  it('sizes have a limit', () => {
    expect(math('\\rule{1000em}{1000em}', false)).not.toMatch(/(?:width|height)="1000em"/)
  })

  it('a mistake shows the source, escaped', () => {
    expect(math('\\frac{<b>', false)).toMatch(/^<code class="q-math-error" title="[^"<]*">\\frac\{&lt;b&gt;<\/code>$/)
  })

  it('a definition does not reach the next formula', () => {
    math('\\gdef\\secret{42}\\secret', false)
    expect(math('\\secret', false)).toContain('q-math-error')
  })
})
