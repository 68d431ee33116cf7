import { describe, expect, it } from 'vitest'
import { Fragment, htmlOf, jsx, raw, type Child } from '#lib/html.ts'

const hostile = `<script>alert("1")</script>&'`
const escaped = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;'

describe('HTML of JSX', () => {
  it('escapes text between tags and in attributes', () => {
    expect(jsx('p', { title: hostile, children: hostile }).html).toBe(`<p title="${escaped}">${escaped}</p>`)
  })

  it('takes what is HTML as it stands, however deep it lies', () => {
    const bold = jsx('b', { children: 'a & b' })
    expect(jsx('p', { children: [[bold, raw('<br>')], hostile] }).html).toBe(`<p><b>a &amp; b</b><br>${escaped}</p>`)
  })

  it('refuses an object that only looks like HTML', () => {
    const forged = JSON.parse('{"html":"<b>"}') as Child
    expect(() => jsx('p', { children: forged })).toThrow(TypeError)
  })

  it('shows numbers, and nothing for conditions that do not hold', () => {
    expect(jsx('p', { children: [0, ' ', 1.5, true, false, null, undefined] }).html).toBe('<p>0 1.5</p>')
  })

  it('leaves attributes out, writes them bare, or with their value', () => {
    const attributes = { id: undefined, title: null, hidden: false, open: true, tabindex: 0, class: '' }
    expect(jsx('p', attributes).html).toBe('<p open tabindex="0" class=""></p>')
  })

  it('refuses an attribute name that would end the tag', () => {
    for (const name of ['a b', 'x"', 'a>', 'a=b', ''])
      expect(() => jsx('p', { [name]: 'x' }), JSON.stringify(name)).toThrow(TypeError)
  })

  it('writes no end tag for elements that have none', () => {
    expect(jsx('img', { src: '/a.png', alt: '' }).html).toBe('<img src="/a.png" alt="">')
  })

  it('calls components with their props, and puts nothing around a fragment', () => {
    const Greeting = ({ name }: { readonly name: string }): Child => ['Hello ', name]
    const greeting = jsx(Greeting, { name: hostile })
    expect(htmlOf(Fragment({ children: [greeting, '!'] }))).toBe(`Hello ${escaped}!`)
  })
})
