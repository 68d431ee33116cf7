import { describe, expect, it } from 'vitest'
import { errors, html, render } from '#test/support/site/mdx/render-text.ts'

/** What is told of a page: where, by which rule, and its message. */
async function told(text: string, files?: Record<string, string>): Promise<string[]> {
  const { summary } = await render(text, files)
  return summary.warnings.map(({ line, column, rule, message }) => `${line}:${column} ${rule} ${message}`)
}

describe('what MDX refuses and other tools show', () => {
  it('is read as it is meant: comments, void elements, addresses, comparisons', async () => {
    expect(await html('a\n\n<!-- no\n\n*/ one -->\n\nb <!-- c --> d\n')).toBe('<p>a</p>\n\n<p>b  d</p>')
    expect(await html('a<br>b\n\n<hr>\n\n<img src="/a.png" alt="x">\n')).toMatch(
      /^<p>a<br>b<\/p>\n<hr>\n<img src="\/a.png" alt="x"/,
    )
    expect(await html('See <https://a.example/b_c*d> or <me@a.example>.')).toBe(
      '<p>See <a href="https://a.example/b_c*d">https://a.example/b_c*d</a> or <a href="mailto:me@a.example">me@a.example</a>.</p>',
    )
    expect(await html('x <5, y <= 3, a <-> b')).toBe('<p>x &lt;5, y &lt;= 3, a &lt;-&gt; b</p>')
    expect(await html('<img width=300 height=20 alt="" src="/a.png" />')).toContain('width="300" height="20"')
  })

  it('is shown as written where it is a name to fill in, or no tag at all', async () => {
    expect(await html('Run `x` with <your-key> and Map<string, Item>.')).toBe(
      '<p>Run <code>x</code> with &lt;your-key&gt; and Map&lt;string, Item&gt;.</p>',
    )
    expect(await html('export your data to a file\n\nimport goods from abroad')).toBe(
      '<p>export your data to a file</p>\n<p>import goods from abroad</p>',
    )
  })

  it('is shown as written where braces hold JSON, a template or nothing that ends', async () => {
    expect(await html('Send {"a": {"b": [1]}} now')).toBe('<p>Send {&quot;a&quot;: {&quot;b&quot;: [1]}} now</p>')
    expect(await html('{{ name }}, {% if %}, {{#each}} and {user name}')).toBe(
      '<p>{{ name }}, {% if %}, {{#each}} and {user name}</p>',
    )
    expect(await html('| a |\n| - |\n| {open |\n')).toContain('<td>{open</td>')
  })

  it('is told once of each kind, at its place in the file of the author', async () => {
    expect(await told('😀 <!-- a -->\n\n<br>\n\ntext <!-- b -->\n\n{"a": 1} <br>\n')).toEqual([
      '1:4 syntax-accepted Comments of HTML are not MDX; this one is left out as it is meant.',
      '3:1 syntax-accepted `<br>` is not closed, which MDX asks for; it is read as it is in HTML.',
      '7:1 braces-literal The braces here hold no expression: they are shown as written.',
    ])
    const { summary } = await render('a <5 b\n\n![](/a.png) and {id}\n')
    expect(summary.warnings.map(({ line, column, rule }) => [line, column, rule])).toEqual([
      [1, 3, 'syntax-accepted'],
      [3, 1, 'alt-missing'],
      [3, 17, 'braces-literal'],
    ])
  })

  it('leaves code as it is', async () => {
    const text = '<!-- a --> x `<!-- b --> <br>`\n\n```html\n<!-- c -->\n<br>\n```\n\n<br>\n'
    expect(await html(text)).toContain('<code>&lt;!-- b --&gt; &lt;br&gt;</code>')
    expect((await render(text)).markdown).toContain('<!-- c -->\n<br>\n')
  })

  it('stays an error where it may be a mistake: tags of HTML and components, attributes, code', async () => {
    for (const text of [
      '<Card title="x">\n\na',
      '<div>\n\na',
      '<b><i>x</b></i>',
      'a </div>',
      '<Card title={"a} />',
      '{items.map((x) => <li>{x}</li>}',
      '<div @click="x">a</div>',
      'import x from',
    ])
      expect(await errors(text)).toHaveLength(1)
    // At its place in the file, after what was read all the same.
    expect(await errors('a <br> b <5\n\n<Card>\n')).toEqual([expect.stringMatching(/^guide\/page.mdx:3:1 /)])
    expect(await errors('export const Own = 1\n\n<Own>\n')).toHaveLength(1)
  })

  it('is bounded: a page full of it ends', async () => {
    expect(await html('<br>\n'.repeat(1_000))).toContain('<br>')
    expect(await html('<5 '.repeat(20_000))).toContain('&lt;5 &lt;5')
    const many = Array.from({ length: 20_000 }, (_, index) => `<name-${index}> `).join('\n\n')
    expect(await errors(many)).toHaveLength(1)
  })
})

describe('names in braces', () => {
  it('that the page does not define are shown as written', async () => {
    expect(await html('GET /users/{id}/{user.name}\n\n{title}\n\n## Of {x}')).toContain(
      '<p>GET /users/{id}/{user.name}</p>\n<p>{title}</p>\n<h2 id="of-x">Of {x}',
    )
    const { summary } = await render('a {id}')
    expect(summary.warnings).toMatchObject([{ rule: 'braces-literal', line: 1, column: 3 }])
  })

  it('are shown as written beside other values, and values without any', async () => {
    expect(await html('one of {"tool", "prompt"} or {a, 1}')).toBe(
      '<p>one of {&quot;tool&quot;, &quot;prompt&quot;} or {a, 1}</p>',
    )
    expect(await told('{"tool", "prompt"}')).toEqual([
      '1:1 braces-literal The braces here hold several values: they are shown as written.',
    ])
  })

  it('that it defines are what they stand for', async () => {
    expect(await html('export const id = 5\n\na {id}')).toBe('<p>a 5</p>')
    expect(await html('a {Math.max(1, 2)} {/* no */}')).toBe('<p>a 2 </p>')
  })

  it('are still code where something is called', async () => {
    expect(await told('a {load(1)}')).toEqual([expect.stringContaining('script-needed')])
  })
})

describe('front matter that is no YAML', () => {
  const titleOf = async (yaml: string): Promise<unknown[]> => {
    const { artifact, summary } = await render(`---\n${yaml}\n---\n\na`)
    return [artifact.title, artifact.description, summary.warnings.map(({ line, rule }) => `${line} ${rule}`)]
  }

  it('is read where a text has a colon, a quote or a sign of YAML', async () => {
    const once = ['2 syntax-accepted']
    expect(await titleOf('title: Quire: the docs\ndescription: a')).toEqual(['Quire: the docs', 'a', once])
    expect(await titleOf('title: @quire/cli')).toEqual(['@quire/cli', undefined, once])
    expect(await titleOf('title: *bold* text')).toEqual(['*bold* text', undefined, once])
    expect(await titleOf('title: "One" and two')).toEqual(['"One" and two', undefined, once])
    expect(await titleOf("title: 'it's'")).toEqual(["'it's'", undefined, once])
    expect(await titleOf('title: [a](/b) and c')).toEqual(['[a](/b) and c', undefined, once])
  })

  it('is read where a text goes on without indent, a tab indents, or a key stands twice', async () => {
    expect(await titleOf('title: a\ndescription: one\ntwo')).toEqual(['a', 'one two', ['4 syntax-accepted']])
    expect(await titleOf('title: "one\ntwo"\ndescription: a')).toEqual(['one two', 'a', ['3 syntax-accepted']])
    expect(await titleOf('title: a\nkeywords:\n\t- b')).toEqual(['a', undefined, ['4 syntax-accepted']])
    expect(await titleOf('title: a\ntitle: b')).toEqual(['b', undefined, ['3 syntax-accepted']])
  })

  it('stays an error where nobody can tell what it means', async () => {
    for (const yaml of ['title: "a\ndescription: b', 'a: &a [x]\nb: *a'])
      expect(await errors(`---\n${yaml}\n---\n`)).toHaveLength(1)
  })
})

describe('what a page includes', () => {
  it('may be missing: nothing is shown in its place, and it is told', async () => {
    const text = 'import One from "/snippets/one.mdx"\n\na\n\n<One />\n\n<Snippet file="two.mdx" />\n\nb'
    expect(await html(text)).toMatch(/^<p>a<\/p>\s+<p>b<\/p>$/)
    expect(await told(text)).toEqual([
      '1:17 include-missing `/snippets/one.mdx` is not there: the project has no file `snippets/one.mdx`.',
      expect.stringContaining('component-unknown'),
      expect.stringMatching(/^7:1 include-missing The snippet `two.mdx` is not there/),
    ])
    const { dependencies } = await render(text)
    expect(Object.fromEntries(dependencies)).toMatchObject({ 'snippets/one.mdx': null, 'snippets/two.mdx': null })
  })

  it('may be code outside of the folder, or named without its end', async () => {
    expect(await told('import a from "../../../b.astro"\n\nx')).toEqual([expect.stringContaining('include-missing')])
    const { dependencies } = await render('import A from "./a"\n\nx', { 'guide/a.tsx': 'export default 1' })
    expect(Object.fromEntries(dependencies)['guide/a.tsx']).toBe('oid of guide/a.tsx')
    expect(await errors('import a from "../../../secret.mdx"\n\nx')).toHaveLength(1)
  })
})
