import { expect, it } from 'vitest'
import { leadingTextOf, plainTextOf } from '#lib/feeds.ts'

it.each([
  ['<p>One.</p><p>Two.</p>', 'One. Two.'],
  ['<p><strong>un</strong>believable <code>a &lt; b</code></p>', 'unbelievable a < b'],
  ['<ul>\n<li>one</li>\n<li>two</li>\n</ul>', 'one two'],
  ['a<br>b<br />c', 'a b c'],
  ['<a href="/x?a=1&amp;b=2" title="a > b">link</a>, &#x26; &eacute; &#39;', "link, & é '"],
  ['<pre><code><span class="line">let x</span>\n<span class="line">let y</span></code></pre>', 'let x let y'],
  [
    '<div>text<button type="button">Copy</button> <svg viewBox="0 0 1 1"><title>Icon</title><path d="M0"/></svg></div>',
    'text',
  ],
  ['<audio src="a"></audio><article>x</article>', 'x'],
  ['', ''],
])('the words of %j', (html, words) => {
  expect(plainTextOf(html)).toBe(words)
})

it('the first words are those of the beginning, with no half tag at its end', () => {
  expect(leadingTextOf('<p>One &amp; <em>two</em></p>')).toBe('One & two')
  const filler = 'word '.repeat(13_105)
  const words = leadingTextOf(`<p>${filler}<a href="/far/away/from/here">link</a> ${'later '.repeat(10_000)}</p>`)
  expect(words.startsWith('word word')).toBe(true)
  expect(words).not.toMatch(/href|later/)
})
