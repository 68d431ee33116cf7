import { describe, expect, it } from 'vitest'
import { raw } from '#lib/html.ts'
import { plainText } from '#site/components/component.tsx'
import { errors, html, render } from '#test/support/site/mdx/render-text.ts'

/** What a reader sees of callouts and folds, a line each: kind, title, words. */
async function asides(source: string, path?: string): Promise<readonly string[]> {
  const text = await html(source, {}, path)
  const parts = text.matchAll(
    /<(?:div class="q-callout q-callout-(\w+)"|details class="q-accordion")[^]*?(?=<div class="q-callout q|<details class="q-a|$)/g,
  )
  return [...parts].map(([part, kind = 'fold']) => `${kind}: ${plainText(raw(part))}`.trim())
}

describe('alerts as GitHub has them', () => {
  it.each([
    ['NOTE', 'note'],
    ['TIP', 'tip'],
    ['IMPORTANT', 'info'],
    ['WARNING', 'warning'],
    ['CAUTION', 'warning'],
  ])('[!%s] is a callout, in both forms of pages', async (written, kind) => {
    const source = `> [!${written}]\n> Some **words**.\n>\n> And more.`
    for (const path of ['page.md', 'page.mdx'])
      expect(await asides(source, path)).toEqual([`${kind}: Some words . And more.`])
  })

  it('takes what stands behind the mark for a title where words follow, and for words where none do', async () => {
    expect(await html('> [!TIP] Fast\n> Quick')).toContain('<p class="q-callout-title">Fast</p><p>Quick</p>')
    expect(await html('> [!TIP] Fast **indeed**')).toMatch(/q-callout-body"><p>Fast <strong>indeed<\/strong><\/p>/)
  })

  it('stands among HTML in a page of Markdown', async () => {
    const source =
      '<div align="center"><b>a</b></div>\n\n> [!NOTE]\n> <kbd>b</kbd> <!-- c -->\n\n::: tip T\n<i>d</i>\n:::'
    expect(await asides(source, 'page.md')).toEqual(['note: b', 'tip: T d'])
  })

  it('leaves quotations and other marks alone', async () => {
    expect(await html('> [!QUOTE]\n> a')).toContain('<blockquote>')
    expect(await html('> a [!NOTE] b')).toContain('<blockquote>')
  })
})

describe('asides between colons', () => {
  it.each([
    ':::tip[Fast *lane*]\nWords\n:::',
    ':::tip Fast lane\nWords\n:::',
    '::: tip Fast lane\nWords\n:::',
    '::: TIP Fast lane\n\nWords\n\n:::',
    ':::tip{title="Fast lane"}\nWords\n:::',
    '::: tip Fast lane\r\nWords\r\n:::\r\n',
  ])('reads %j', async (source) => {
    for (const path of ['page.md', 'page.mdx']) expect(await asides(source, path)).toEqual(['tip: Fast lane Words'])
  })

  it.each([
    ['note', 'note'],
    ['info', 'info'],
    ['important', 'info'],
    ['warning', 'warning'],
    ['caution', 'warning'],
    ['danger', 'danger'],
    ['success', 'check'],
    ['details', 'fold'],
  ])(':::%s is a %s', async (written, kind) => {
    expect(await asides(`::: ${written} T\n- a\n- b\n:::`)).toEqual([`${kind}: T a b`])
  })

  it('nests, stands in lists, and holds code and components', async () => {
    expect(await asides('::::info\n:::danger\ninner\n:::\n::::')).toEqual(['info:', 'danger: inner'])
    expect(await asides('1. a\n\n   :::note\n   b\n   :::')).toEqual(['note: b'])
    expect(await html(':::note\n<Card title="c" />\n\n```js\n::: tip T\n```\n:::')).toMatch(/q-card.*<code>::: tip /s)
  })

  it('groups code as VitePress does, with titles in brackets', async () => {
    const text = await html('::: code-group\n\n```js [a.js]\n1\n```\n\n```ts [my b.ts]\n2\n```\n\n:::')
    expect([...text.matchAll(/data-title="([^"]*)"/g)].map(([, title]) => title)).toEqual(['a.js', 'my b.ts'])
  })

  it('shows what it does not know as it is written', async () => {
    expect(await html(':::python\nprint\n:::')).toBe('<p>:::python</p>\n<p>print</p>\n<p>:::</p>')
    expect(await html('At 10:30 see a:b and ::name.\n\n::leaf\n\n:::note\nx\n:::')).toMatch(
      /^<p>At 10:30 see a:b and ::name\.<\/p>\s*<p>::leaf<\/p>/,
    )
    expect(await html('```txt\n::: tip T\n:::\n```\n\n:::tip\na\n:::')).toContain('::: tip T')
  })

  it('moves no place: what is wrong behind one is told where it stands', async () => {
    expect(await errors('::: tip A rather long title\nx\n:::\n\nab {f(1 +} c')).toEqual([
      expect.stringMatching(/^guide\/page\.mdx:5:/),
    ])
    const { summary } = await render('::: tip A\nx\n:::\n\n<Unknown />')
    expect(summary.warnings).toMatchObject([{ rule: 'component-unknown', line: 5, column: 1 }])
  })

  it('takes a page of nothing but colons in no time', async () => {
    expect(await html(':::'.repeat(20_000) + '\n' + '::: tip '.repeat(2_000))).toContain(':::')
    expect(await html(`${':::note\n'.repeat(60)}x`)).toContain('x')
  })
})
