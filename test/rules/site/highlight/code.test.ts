import { describe, expect, it } from 'vitest'
import { highlight } from '#site/highlight/code.ts'
import { parseFenceMeta } from '#site/highlight/meta.ts'

const figure = (language: string, code: string, meta = '') => highlight(code, parseFenceMeta(language, meta))
const textOf = (html: string): string =>
  html
    .replace(/^[\s\S]*?<code>|<\/code>[\s\S]*$/g, '')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

describe('a code block', () => {
  it('is a figure with its language, title and coloured code', async () => {
    const html = await figure('ts', "const a: string = 'x'", 'a.ts')
    expect(html).toMatch(
      /^<figure class="q-code" data-language="ts"><figcaption class="q-code-title" data-label="TypeScript"><span>a\.ts<\/span><\/figcaption><pre><code>/,
    )
    expect(html).toContain('<span class="q-k">const </span>')
    expect(html).toContain('<span class="q-s">&#39;x&#39;</span>')
  })

  it('says its language where no title does', async () => {
    expect(await figure('sh', 'ls')).toContain('<figure class="q-code" data-language="sh" data-label="Shell">')
    expect(await figure('python', 'a = 1', 'Python')).not.toContain('data-label')
    expect(await figure('text', 'a')).not.toContain('data-label')
  })

  it('marks what a diff adds and takes away, and not the names of its files', async () => {
    const html = await figure('diff', '--- a.ts\n+++ b.ts\n-old\n+new\n same')
    expect(html.match(/class="q-line[^"]*"/g)).toEqual([
      'class="q-line"',
      'class="q-line"',
      'class="q-line q-line-del"',
      'class="q-line q-line-add"',
      'class="q-line"',
    ])
    expect(textOf(html)).toContain('-old\n+new\n')
  })

  it.each(['js', 'html', 'no-such-language', '', 'text'])('in %j loses and adds nothing', async (language) => {
    const code = 'if (a < b && c > "d") {\n\n\treturn `${x}` // \u{1F600} \'</code></pre><script>alert(1)</script>\n}'
    for (const meta of ['', '{1} lines']) {
      const html = await figure(language, code, meta)
      expect(html).not.toContain('<script')
      expect(textOf(html).replace(/\n$/, '')).toBe(code)
    }
  })

  it('an unknown language is plain text', async () => {
    expect(await figure('klingon', 'a < b')).toContain('<code>a &lt; b</code>')
  })

  it('hostile meta stays text', async () => {
    const html = await figure(
      'js"><script>alert(1)</script>',
      'x',
      'title="</div><script>alert(1)</script>" {{"className":"admin"}}',
    )
    expect(html).not.toContain('<script')
    expect(html).not.toContain('admin')
  })

  it('marked, focused and numbered lines are elements of their own', async () => {
    const html = await figure('js', 'a\nb\nc', '{2} focus={3} lines')
    expect(html).toMatch(/^<figure class="q-code q-code-lines q-code-focus"/)
    expect(html.match(/class="q-line[^"]*"/g)).toEqual([
      'class="q-line"',
      'class="q-line q-line-mark"',
      'class="q-line q-line-focus"',
    ])
  })

  it('[!code] comments mark lines and vanish', async () => {
    const html = await figure('js', 'old() // [!code --]\nnew1() // [!code ++]\n// [!code highlight:2]\nx\ny\nz')
    expect(textOf(html)).toBe('old()\nnew1()\nx\ny\nz\n')
    expect(html.match(/class="q-line[^"]*"/g)).toEqual([
      'class="q-line q-line-del"',
      'class="q-line q-line-add"',
      'class="q-line q-line-mark"',
      'class="q-line q-line-mark"',
      'class="q-line"',
    ])
  })

  it.each([
    ['python', 'a = 1 # [!code ++]'],
    ['sql', 'SELECT 1 -- [!code ++]'],
    ['html', '<b>x</b> <!-- [!code ++] -->'],
    ['css', 'a { } /* [!code ++] */'],
  ])('knows the comments of %s', async (language, code) => {
    const html = await figure(language, code)
    expect(html).toContain('q-line-add')
    expect(textOf(html)).not.toContain('!code')
  })

  it('a long expandable block folds, a short one does not', async () => {
    const long = Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n')
    expect(await figure('text', long, 'expandable')).toContain(
      '<details class="q-code-more"><summary><span data-word="showAll:40">Show all lines (40)</span>',
    )
    expect(await figure('text', 'short', 'expandable')).not.toContain('details')
    expect(await figure('text', long)).not.toContain('details')
  })

  it('a mermaid block is its escaped source in a frame for diagrams', async () => {
    const html = await figure('mermaid', 'graph TD; A["<img src=x onerror=alert(1)>"] --> B')
    expect(html).toBe(
      '<figure class="q-mermaid" data-mermaid><pre><code>graph TD; A[&quot;&lt;img src=x onerror=alert(1)&gt;&quot;] --&gt; B</code></pre></figure>',
    )
  })

  it('lines and blocks that are too long stay plain and whole', async () => {
    const line = `const x = "${'y'.repeat(3_000)}"`
    expect(textOf(await figure('js', line))).toBe(line)
    expect(await figure('js', line)).not.toContain('<span')
    const block = 'const a = 1\n'.repeat(20_000)
    expect(await figure('js', block)).not.toContain('<span')
  })
})
