import { describe, expect, it } from 'vitest'
import { rebasablePieces, rebase } from '#lib/rebase.ts'

const rebased = (html: string): string =>
  rebase(html, { siteUrl: 'https://docs.example.net', url: 'https://app.example.com/c/1', prefix: 'e1-' })

describe('the markup of an entry among others', () => {
  it.each([
    ['a path is one of the site', '<a href="/guide">x</a>', '<a href="https://docs.example.net/guide">x</a>'],
    ['so is a picture', '<img src="/a.png" alt="">', '<img src="https://docs.example.net/a.png" alt="">'],
    [
      'each of a set of pictures',
      '<img srcset="/a.png 1x, https://b.example/b.png 2x">',
      '<img srcset="https://docs.example.net/a.png 1x, https://b.example/b.png 2x">',
    ],
    [
      'an address stays',
      '<a href="https://b.example/?a=1&amp;b=2">x</a>',
      '<a href="https://b.example/?a=1&amp;b=2">x</a>',
    ],
    ['data stays', '<img src="data:image/png;base64,AA==">', '<img src="data:image/png;base64,AA==">'],
    [
      'a fragment leads to the entry’s page',
      '<a href="#top">x</a>',
      '<a href="https://app.example.com/c/1#e1-top">x</a>',
    ],
    ['ids have a prefix', '<h2 id="location">x</h2>', '<h2 id="e1-location">x</h2>'],
    [
      'and what refers to them',
      '<a name="x" aria-labelledby="a b">x</a>',
      '<a name="e1-x" aria-labelledby="e1-a e1-b">x</a>',
    ],
    ['also in drawings', '<path fill="url(#g)" /><use href="#g" />', '<path fill="url(#e1-g)" /><use href="#e1-g" />'],
    ['styles go', '<p style="position:fixed" class="q-note log-top x">x</p>', '<p class="q-note x">x</p>'],
    [
      'a bare attribute stays',
      '<details open><summary>x</summary></details>',
      '<details open><summary>x</summary></details>',
    ],
    [
      'text stays',
      '<p>a &lt;b style=&quot;x&quot;&gt; "c" href="/x"</p>',
      '<p>a &lt;b style=&quot;x&quot;&gt; "c" href="/x"</p>',
    ],
    [
      'what is embedded becomes a link',
      '<iframe src="https://v.example/1" title="A film" sandbox="allow-scripts"></iframe>',
      '<p class="q-embed"><a href="https://v.example/1" rel="noopener noreferrer">A film</a></p>',
    ],
  ])('%s', (_what, html, expected) => {
    expect(rebased(html)).toBe(expected)
  })

  it('is the same in pieces, which end neither in a tag nor in a frame', () => {
    const frame = '<iframe title="&lt;p&gt;" src="https://b.example/">x</iframe>'
    for (let before = 0; before < 80; before++) {
      const html = `${'x'.repeat(64 * 1024 - before)}${frame}<img src="/a.png" alt="">a &lt; b${'z'.repeat(99)}<i>c</i>`
      const pieces = [...rebasablePieces(html)]
      expect(pieces.length).toBeGreaterThan(1)
      expect(pieces.join('')).toBe(html)
      expect(pieces.map(rebased).join('')).toBe(rebased(html))
    }
  })

  it('is linear in the size of what it reads', () => {
    const html = '<p id="x" class="a b">text</p>'.repeat(50_000)
    expect(rebased(html).length).toBe(html.length + 3 * 50_000)
  })
})
