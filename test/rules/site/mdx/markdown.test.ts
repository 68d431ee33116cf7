import { describe, expect, it } from 'vitest'
import { markdownOf } from '#site/markdown/markdown.ts'
import { wholly } from '#lib/slices.ts'
import { inDepth } from '#test/support/depth.ts'
import { render } from '#test/support/site/mdx/render-text.ts'

async function markdown(
  source: string,
  files?: Readonly<Record<string, string>>,
  path?: 'page.mdx' | 'page.md',
): Promise<string> {
  return (await render(source, files, path)).markdown
}

describe('a page as Markdown', () => {
  it('has snippets and values in their places, and neither imports nor comments', async () => {
    const source =
      '---\ntitle: T\n---\nimport S from "/snippets/s.mdx"\n\n# T\n\n<S name="you" />\n\nexport const a = 1\n\n{/* c */}\n\n{a + 1} ends'
    expect(await markdown(source, { 'snippets/s.mdx': 'Hello **{props.name}**.' })).toBe('Hello **you**.\n\n2 ends\n')
    expect(await markdown('a <!-- b --> c\n\n<!-- d -->', {}, 'page.md')).toBe('a c\n')
  })

  it.each([
    ['words', '*a* **b** ~~c~~ `d|e` [f](/g) ![h](/i.png)', '*a* **b** ~~c~~ `d|e` [f](/g) ![h](/i.png)\n'],
    ['headings and rules', '## A `b`\n\n---\n\n### C', '## A `b`\n\n---\n\n### C\n'],
    ['lists', '- a\n- b\n  1. c\n  2. d\n\n3. e', '- a\n- b\n  1. c\n  2. d\n\n3. e\n'],
    ['tasks', '- [x] a\n- [ ] b', '- [x] a\n- [ ] b\n'],
    ['quotes', '> a\n>\n> - b\n>\n>   c', '> a\n>\n> - b\n>\n>   c\n'],
    ['tables', '| a | b |\n| :-: | - |\n| c | `d\\|e` |', '| a | b |\n| :-: | --- |\n| c | `d\\|e` |\n'],
    ['code', '```js title="a.js" {1}\nconst a = "<b>"\n\nb\n```', '```js a.js\nconst a = "<b>"\n\nb\n```\n'],
    ['code with fences', '````md\n```js\n```\n````', '````md\n```js\n```\n````\n'],
    ['diagrams', '```mermaid\ngraph TD; A-->B\n```', '```mermaid\ngraph TD; A-->B\n```\n'],
    ['formulas', 'Area $a^2 < b$:\n\n$$\n\\frac{a}{b}\n$$', 'Area $a^2 < b$:\n\n$$\n\\frac{a}{b}\n$$\n'],
    ['notes at the foot', 'a[^n].\n\n[^n]: Said *so*.', 'a[^n].\n\n[^n]: Said *so*.\n'],
    ['breaks', 'a\\\nb', 'a\\\nb\n'],
    [
      'text that looks like Markdown',
      '\\# a \\*b\\* \\_c\\_ \\<Card> d_e 1 * 2',
      '\\# a \\*b\\* \\_c\\_ \\<Card> d_e 1 * 2\n',
    ],
    ['text that begins like a list', '\\- a\n\n1\\. b', '\\- a\n\n1\\. b\n'],
  ])('keeps %s', async (_what, source, expected) => {
    expect(await markdown(source)).toBe(expected)
  })

  it.each([
    [
      'callouts',
      '<Warning title="Careful">\nHot **pan**\n</Warning>',
      '> [!WARNING]\n> **Careful**\n>\n> Hot **pan**\n',
    ],
    [
      'cards',
      '<CardGroup>\n<Card title="One" icon="flag" href="/one">First</Card>\n<Card title="Two" href="/two" />\n</CardGroup>',
      '- [One](/one): First\n- [Two](/two)\n',
    ],
    [
      'steps',
      '<Steps>\n<Step title="Get it">\n```sh\nnpm i\n```\n</Step>\n<Step title="Run it">Now</Step>\n</Steps>',
      '1. **Get it**\n\n   ```sh\n   npm i\n   ```\n\n2. **Run it**\n\n   Now\n',
    ],
    ['tabs', '<Tabs>\n<Tab title="npm">a</Tab>\n<Tab title="yarn">b</Tab>\n</Tabs>', '**npm**\n\na\n\n**yarn**\n\nb\n'],
    [
      'code groups',
      '<CodeGroup>\n```js a.js\na\n```\n```py\nb\n```\n</CodeGroup>',
      '**a.js**\n\n```js\na\n```\n\n**Python**\n\n```py\nb\n```\n',
    ],
    ['accordions', '<Accordion title="Why" description="short">Because</Accordion>', '**Why**: short\n\nBecause\n'],
    [
      'parameters',
      '<ParamField query="limit" type="number" required default={10}>How many</ParamField>\n<ResponseField name="id" type="string">Which</ResponseField>',
      '- `limit` (number, query, required, default: `10`): How many\n- `id` (string): Which\n',
    ],
    ['frames', '<Frame caption="A *cat*"><img src="/cat.png" alt="Cat" /></Frame>', '![Cat](/cat.png)\n\n*A cat*\n'],
    ['updates', '<Update label="v2" description="May">New</Update>', '## v2\n\nMay\n\nNew\n'],
    [
      'trees',
      '<Tree><Tree.Folder name="src"><Tree.File name="a.ts" comment="start" /></Tree.Folder></Tree>',
      '- src\n  - a.ts (start)\n',
    ],
    ['tooltips', 'An <Tooltip tip="Interface">API</Tooltip> here', 'An API (Interface) here\n'],
    ['HTML', '<div><details><summary>More</summary>Text</details><b>x</b></div>', '**More**\n\nText\n\n**x**\n'],
    ['video', '<video src="/v.mp4" title="Tour"></video>', '[Tour](/v.mp4)\n'],
  ])('writes %s as Markdown', async (_what, source, expected) => {
    expect(await markdown(source)).toBe(expected)
  })

  it('has what is for agents, and the page what is for humans', async () => {
    const page = await render(
      'a\n\n<Visibility for="humans">click</Visibility>\n\n<Visibility for="agents">\n<Card title="call" />\n</Visibility>',
    )
    expect(page.markdown).toBe('a\n\n- call\n')
    expect(page.artifact.html).toContain('click')
    expect(page.artifact.html).not.toMatch(/call|<!--/)
  })

  it('begins no block that the text does not have', async () => {
    expect(await markdown('a\n\n<p>{"# b"}</p>\n\n<p>{"> c"}</p>\n\n<p>{"```"}</p>\n\n<p>{"<Card />"}</p>')).toBe(
      'a\n\n\\# b\n\n\\> c\n\n\\`\\`\\`\n\n\\<Card />\n',
    )
  })
})

describe('the Markdown of hostile HTML', () => {
  const most = 2 * 1024 * 1024 + 200
  inDepth.each([
    ['quotes in each other', `${'<blockquote>'.repeat(150)}<p>${'a<br>'.repeat(300_000)}</p>`],
    ['lists in each other', '<ul><li>a'.repeat(5_000)],
    ['empty lines in quotes', `${'<blockquote>'.repeat(150)}<pre><code>${'\n'.repeat(1_000_000)}</code></pre>`],
    ['marks of code', `<p>${'`'.repeat(1_500_000)}</p>`],
    ['cells', `<table>${`<tr>${'<td>a</td>'.repeat(1_000)}</tr>`.repeat(900)}</table>`],
  ])('is bounded: %s', (_what, html) => {
    const text = wholly(markdownOf(html))
    expect(text.length).toBeGreaterThan(1_000)
    expect(text.length).toBeLessThan(most)
  })

  it('says where the rest is left out', () => {
    expect(wholly(markdownOf(`<p>${'`'.repeat(1_500_000)}</p><p>end</p>`))).toMatch(/left out: it is too long\.\)\n$/)
  })

  it('stands what is not closed', () => {
    expect(wholly(markdownOf('<p>a<b>b<svg><path>c'))).toBe('a**b**\n')
    expect(wholly(markdownOf('<figure class="q-code"><pre><code>a'))).toBe('```\n\n```\n')
    expect(wholly(markdownOf('</p></div>a<td>b</td>'))).toBe('ab\n')
  })
})
