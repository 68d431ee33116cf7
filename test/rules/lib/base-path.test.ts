import { describe, expect, it } from 'vitest'
import { htmlBelow, imagesWithBase, rulesWithBase, withBase, withoutBase } from '#lib/base-path.ts'

describe('a site below a path of its host', () => {
  it.each([
    ['/docs', '/'],
    ['/docs/', '/'],
    ['/docs?x=1', '/?x=1'],
    ['/docs/a/b?x=/docs', '/a/b?x=/docs'],
    ['/docsearch', '/docsearch'],
    ['/other', '/other'],
    ['/docs//evil.example', '//evil.example'],
  ])('is asked for %s as %s', (target, own) => expect(withoutBase(target, '/docs')).toBe(own))

  it('has the path before all of its own, once', () => {
    expect(
      ['/', '/a', '/docs/a', 'https://x.example/a', '//x.example', '#a'].map((href) => withBase(href, '/docs')),
    ).toEqual(['/docs', '/docs/a', '/docs/a', 'https://x.example/a', '//x.example', '#a'])
  })

  it('has it in every attribute that leads somewhere', () => {
    const html =
      '<a class="x" href="/a">a</a><img src="/b.png" srcset="/b.png 1x, /c.png 2x" alt="1 > 0"><form action="/f"><p style="background:url(&quot;/d.png&quot;)">'
    expect(htmlBelow(html, '/docs')).toBe(
      '<a class="x" href="/docs/a">a</a><img src="/docs/b.png" srcset="/docs/b.png 1x, /docs/c.png 2x" alt="1 > 0"><form action="/docs/f"><p style="background:url(&quot;/docs/d.png&quot;)">',
    )
  })

  it('has it in pictures and styles that a script writes, once', () => {
    for (const set of ['/a.png 1x, /docs/b.png 2x', ' /a.png 1x,/docs/b.png 2x'])
      expect(imagesWithBase(set, '/docs').replaceAll(' ', '')).toBe('/docs/a.png1x,/docs/b.png2x')
    expect(imagesWithBase('https://x.example/a.png 1x, //x.example/b.png 2x', '/docs')).not.toContain('docs')
    expect(rulesWithBase(`url("/a.png"), url(/docs/b.png), url('https://x.example/c')`, '/docs')).toBe(
      `url("/docs/a.png"), url(/docs/b.png), url('https://x.example/c')`,
    )
  })

  it('says what its pages say', () => {
    const html =
      '<code>href="/a"</code><p title=\' href="/b"\'>&lt;a href="/c"&gt;</p><script type="application/ld+json">{"a":"/d"}</script><a href="//x.example">'
    expect(htmlBelow(html, '/docs')).toBe(html)
  })

  it('takes work of the length of the page, whatever that is', () => {
    for (const part of ['<a ', '<a "', "<a '", '<', ' href="/'])
      expect(htmlBelow(part.repeat(100_000), '/docs').length).toBeGreaterThan(0)
  })
})
