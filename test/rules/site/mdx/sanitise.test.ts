import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resolveUrl, safeStyle } from '#site/sanitise/values.ts'
import { html, outcomeOf, render } from '#test/support/site/mdx/render-text.ts'

/** What must not stand in any page, whatever its source says. */
const forbidden = [
  /<(?:script|style|base|meta|link|object|embed|form|template|noscript|foreignobject|animate|textarea|plaintext|xmp)\b/i,
  /<[^>]*\son[a-z]+\s*=/i,
  /<[^>]*\s(?:href|src|action|formaction|poster|cite|xlink:href|srcset)="\s*(?:javascript|vbscript|data:text|file|blob):?/i,
  /<[^>]*\ssrcdoc\s*=/i,
]

/** Attribute values may say anything, escaped; what is looked for are tags and attributes. URLs are looked at whole. */
function executable(written: string): string[] {
  const bare = written.replaceAll(/="[^"<>]*"/g, (value) =>
    /^="\s*(?:javascript|vbscript|data:text|file|blob)/i.test(value) ? value : '=""',
  )
  return forbidden.filter((pattern) => pattern.test(bare)).map(String)
}

const table: readonly (readonly [source: string, written: string])[] = [
  ['<script>{"alert(1)"}</script>', ''],
  ['<div onClick="alert(1)" ONCLICK="x" title="t">a</div>', '<div title="t">a</div>'],
  ['<a href="java&#115;cript:alert(1)">x</a>', '<a>x</a>'],
  ['<a href=" java\tscript:alert(1)">x</a>', '<a>x</a>'],
  ['<a href={"java" + "script:alert(1)"}>x</a>', '<a>x</a>'],
  ['<a href="//evil.example/x">x</a>', '<a href="https://evil.example/x">x</a>'],
  ['<a href="https:evil">x</a>', '<a href="/guide/evil">x</a>'],
  ['<a href="https://user:pw@evil.example">x</a>', '<a>x</a>'],
  ['<a href="mailto:a@b.example">x</a>', '<a href="mailto:a@b.example">x</a>'],
  ['<a href="tel:+1">x</a>', '<a href="tel:+1">x</a>'],
  ['<a href="/x" target="_blank" rel="opener">x</a>', '<a href="/x" target="_blank" rel="noopener noreferrer">x</a>'],
  ['<img src="data:image/svg+xml,<svg onload=alert(1)>" />', ''],
  [
    '<img src="data:image/png;base64,AAAA" alt="a" />',
    '<img src="data:image/png;base64,AAAA" alt="a" loading="lazy" decoding="async">',
  ],
  [
    '<div className="p-4 md:flex" style={{ backgroundColor: "red", marginTop: 4, flex: 1 }}>a</div>',
    '<div class="p-4 md:flex" style="background-color:red;margin-top:4px;flex:1">a</div>',
  ],
  ['<div style="background: url(https://evil.example/a)">a</div>', '<div>a</div>'],
  ['<div style={{ position: "fixed", color: "red" }}>a</div>', '<div style="color:red">a</div>'],
  ['<iframe src="http://evil.example"></iframe>', ''],
  ['<iframe srcDoc="<script>1</script>" src="https://a.example/e">x</iframe>', 'sandbox="allow-scripts'],
  [
    '<svg viewBox="0 0 1 1" fill="none"><path strokeWidth="2" d="M0 0" fill="url(#g)" /></svg>',
    '<svg viewBox="0 0 1 1" fill="none"><path stroke-width="2" d="M0 0" fill="url(#user-content-g)"></path></svg>',
  ],
  [
    '<svg><use href="https://evil.example/x#a" /><use href="#a-b" /></svg>',
    '<svg><use></use><use href="#a-b"></use></svg>',
  ],
  ['<svg><path fill="url(https://evil.example)" /></svg>', '<svg><path></path></svg>'],
  ['<details open={true}><summary>s</summary>b</details>', '<details open><summary>s</summary>b</details>'],
  ['<div id="config">a</div>', '<div id="user-content-config"><a name="config"></a>a</div>'],
  ['<div id="my-part">a</div>', '<div id="my-part">a</div>'],
  ['<div dangerouslySetInnerHTML={{ __html: "<script>1</script>" }} />', '<div></div>'],
  ['<div data-quire-island="x" data-x="1">a</div>', '<div data-x="1">a</div>'],
  ['<x-y onerror="1">text</x-y>', 'text'],
  ['<input type="password" name="p" />', '<input type="checkbox" disabled>'],
]

describe('the sanitiser', () => {
  it.each(table)('writes %s safely', async (source, written) => {
    const result = await html(source)
    expect(written === '' ? result : result.includes(written) || result).toBe(written === '' ? '' : true)
    expect(executable(result)).toEqual([])
  })

  it('reads raw HTML of Markdown files, and cleans it', async () => {
    const source =
      '# T\n\n<b onclick="x">bold</b> <script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\n<style>a{}</style>\n\n{not} an `<expression>`\n'
    const written = await html(source, {}, 'a.md')
    expect(written).toContain('<b>bold</b>')
    expect(written).toContain('{not} an')
    expect(executable(written)).toEqual([])
  })

  it('says what it left out, and where', async () => {
    const page = await render('# x\n\n<b>a</b> <i onClick="y">b</i>\n')
    expect(page.summary.warnings).toEqual([
      {
        path: 'guide/page.mdx',
        line: 3,
        column: 10,
        rule: 'element-refused',
        message: 'The attribute `onclick` of <i> is code; it is left out.',
      },
    ])
  })

  it('lets styles paint with gradients, filters and masks', () => {
    for (const declaration of [
      'background-image:linear-gradient(90deg,red,blue)',
      '-webkit-mask-image:radial-gradient(black,transparent)',
      'mask-image:linear-gradient(black,transparent)',
      'backdrop-filter:blur(8px)',
      'pointer-events:none',
    ])
      expect(safeStyle(declaration)).toEqual({ css: declaration, dropped: [] })
  })

  it('lets no style load anything or cover the page', () => {
    const declaration = fc.constantFrom(
      'mask-image',
      '-webkit-mask-image',
      'filter',
      'color',
      'background',
      'position',
      'width',
      '--x',
      'behavior',
      '-moz-binding',
      'background-image',
    )
    const value = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'url(x)',
        'u\\72l(x)',
        'URL (x)',
        'expression(1)',
        'fixed',
        'sticky',
        '"</style>',
        'image-set("x" 1x)',
        '/**/url(x)',
        'red;position:fixed',
      ),
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(declaration, value), { maxLength: 5 }), (pairs) => {
        const { css } = safeStyle(pairs.map(([name, text]) => `${name}:${text}`).join(';'))
        expect(css).not.toMatch(
          /url\s*\(|expression|position:\s*(?:fixed|sticky)|[\\<>@{}]|image-set|binding|behavior/i,
        )
      }),
    )
  })

  it('never makes a link of a scheme that executes', () => {
    const piece = fc.constantFrom(
      'java',
      'script',
      ':',
      'vb',
      'data',
      'text/html',
      ',',
      '\t',
      '\n',
      '\u0000',
      ' ',
      '/',
      '\\',
      '#',
      '?',
      'x',
      'https',
      '//',
      '@',
      '%0a',
      'blob',
      'file',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
          fc.string(),
        ),
        (value) => {
          for (const kind of ['link', 'asset'] as const) {
            const resolved = resolveUrl(value, kind, 'a/b.mdx')
            // From a tag nothing leads out of the folder of its version but links elsewhere.
            const inTag = resolveUrl(value, kind, 'a/b.mdx', '/v1')
            expect(inTag === undefined).toBe(resolved === undefined)
            if (inTag?.site !== undefined && !value.includes('#')) expect(inTag.html).toMatch(/^\/v1(?=[/?#]|$)/)
            if (resolved === undefined) continue
            const { protocol, host } = new URL(resolved.html, 'https://base.example/')
            expect(['http:', 'https:', 'mailto:', 'tel:', 'data:']).toContain(protocol)
            expect(resolved.html).not.toMatch(/["'<>\s\\]/)
            expect(protocol !== 'data:' || /^data:image\/(?:png|gif|jpeg|webp)/i.test(resolved.html)).toBe(true)
            expect(resolved.site === undefined || host === 'base.example').toBe(true)
          }
        },
      ),
    )
  })

  it('writes nothing that executes, whatever it reads', async () => {
    const word = fc.constantFrom(
      '<script>',
      '</script>',
      '<img src=x onerror=alert(1)>',
      '<svg onload="x">',
      '</svg>',
      '<style>',
      '</style>',
      '<a href="javascript:x">',
      '</a>',
      '<div onClick={x}>',
      '</div>',
      '{"<script>"}',
      '{`</p><script>`}',
      '<iframe srcDoc="<script>">',
      '</iframe>',
      '"',
      "'",
      '`',
      '<!--',
      '-->',
      '<title>',
      '</title>',
      '<math>',
      '<mtext>',
      '<noscript>',
      '<p title="</noscript><img src=x onerror=1>">',
      '</p>',
      '\n\n',
      '# ',
      '- ',
      '> ',
      '| a | b |\n| - | - |\n',
      '[x](javascript:y)',
      '![x](data:text/html,x)',
      '<Card title={<script>x</script>} href="javascript:x">',
      '</Card>',
      '<Note>',
      '</Note>',
      '<b',
      ' style="background:url(x)"',
      '/>',
      '>',
      '&#106;avascript:',
      '```html\n<script>\n```',
      '$\\href{javascript:x}{y}$',
      '<form action="x">',
      '</form>',
      '<base href="//e">',
      'text',
      ' ',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 12 }), fc.constantFrom('a.mdx', 'a.md'), async (words, path) => {
        const outcome = await outcomeOf(words.join(''), {}, path)
        const written = outcome.ok ? outcome.page.artifact.html : ''
        expect(executable(written)).toEqual([])
      }),
    )
  })
})
