import { describe, expect, it } from 'vitest'
import { passageLength, readPassages } from '#site/search/passages.ts'
import { artifact, atOnce } from '#test/rules/answers/support.ts'

const read = (html: string) => atOnce(readPassages(artifact(html))).passages

describe('the passages of a page', () => {
  it('are its sections, each with the id of its heading; what stands over the first has none', () => {
    expect(
      read(
        '<p>Lead.</p><h2 id="a">One <a class="q-heading-anchor" href="#a"></a></h2><p>First.</p><h3 id="b">Two</h3>',
      ),
    ).toEqual([
      { heading: '', text: 'Lead.' },
      { anchor: 'a', heading: 'One', text: 'First.' },
      { anchor: 'b', heading: 'Two', text: '' },
    ])
  })

  it('begin with the description of the page', () => {
    const { title, passages } = atOnce(readPassages(artifact('<p>Text.</p>', { title: 'T', description: 'About.' })))
    expect(title).toBe('T')
    expect(passages).toEqual([{ heading: '', text: 'About.\nText.' }])
  })

  it('keep lists, tables and code apart, and leave out what nobody reads', () => {
    const html =
      '<ul><li>one</li><li>two <code>x</code></li></ul><table><tr><th>K</th><td>V</td></tr></table>' +
      '<figure class="q-code"><pre><code><span>a = 1</span>\n  b &lt; 2</code></pre><button>Copy</button></figure>' +
      '<span aria-hidden="true"><svg><path d="M0"/></svg>drawn</span><style>p{}</style><p>end<br>of it</p>'
    expect(read(html)[0]?.text).toBe('- one\n- two `x`\n| K | V\n```\na = 1\n  b < 2\n```\nend\nof it')
  })

  it('have what a button copies and says, and not what others are called', () => {
    const html =
      '<ul><li>blue <button data-copy-text="#3B82F6"><span>#3B82F6</span></button></li></ul><button>Copy</button>'
    expect(read(html).map(({ text }) => text)).toEqual(['- blue #3B82F6'])
  })

  it('of a long section are several, cut between lines and words, and lose nothing', () => {
    const words = Array.from({ length: 3000 }, (_, index) => `word${index}`)
    const passages = read(`<h2 id="long">Long</h2><p>${words.join(' ')}</p>`)
    expect(passages.length).toBeGreaterThan(5)
    for (const { anchor, heading, text } of passages) {
      expect({ anchor, heading }).toEqual({ anchor: 'long', heading: 'Long' })
      expect(text.length).toBeLessThanOrEqual(passageLength)
    }
    expect(passages.flatMap(({ text }) => text.split(' '))).toEqual(words)
  })

  it('are of a page whose title is no longer than a heading', () => {
    const { title } = atOnce(readPassages(artifact('<p>Text.</p>', { title: 'word '.repeat(100_000) })))
    expect(title).toHaveLength(200)
  })

  it('are bounded, and so is the work, whatever a page is made of', () => {
    for (const html of [
      '<div>'.repeat(200_000),
      '<li>a'.repeat(200_000),
      '<li></li>'.repeat(200_000),
      '<td></td>'.repeat(200_000),
      'x'.repeat(2_000_000),
      '<h2 id="x">'.repeat(100_000),
    ]) {
      const passages = read(html)
      expect(passages.length).toBeLessThanOrEqual(1000)
      expect(Math.max(0, ...passages.map(({ text }) => text.length))).toBeLessThanOrEqual(passageLength)
    }
  })
})
