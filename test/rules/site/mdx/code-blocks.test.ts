import { describe, expect, it } from 'vitest'
import { render } from '#test/support/site/mdx/render-text.ts'

const python = 'export const py = "import os\\nprint(\\"<a> & b\\")\\n"\n\n'

describe('code that an expression gives', () => {
  it('is coloured as a fence of the same is', async () => {
    const { artifact } = await render(
      `${python}<CodeBlock filename="run.py" language="Python" lines highlight="[2]">\n  {py}\n</CodeBlock>`,
    )
    const fence = await render('```python run.py lines {2}\nimport os\nprint("<a> & b")\n```')
    expect(artifact.html).toBe(fence.artifact.html)
    expect(artifact.features).toEqual(fence.artifact.features)
  })

  it('is a tab of its group under its name, and is found in components of the page', async () => {
    const { artifact, markdown } = await render(
      `${python}export const Mine = ({ name, children }) => <CodeBlock filename={name} language="python">{children}</CodeBlock>\n\n` +
        '<CodeGroup>\n  <CodeBlock filename="One" language="python">\n    {py}\n  </CodeBlock>\n' +
        '  <CodeBlock filename="Two" language="js">\n    {"const a = 1"}\n  </CodeBlock>\n</CodeGroup>\n\n<Mine name="three.py">{py}</Mine>',
    )
    expect(artifact.html.match(/q-tab-title|data-tab|role="tab"|<summary/g)?.length ?? 0).toBeGreaterThan(0)
    for (const name of ['One', 'Two', 'three.py']) expect(artifact.html).toContain(name)
    expect(artifact.html.match(/data-language="python"/g)).toHaveLength(2)
    expect(markdown).toContain('```python')
    expect(markdown).toContain('print("<a> & b")')
  })

  it('may be a fence within it, a diagram, or nothing', async () => {
    const { artifact, summary } = await render(
      '<CodeBlock>\n```js\na\n```\n</CodeBlock>\n\n<CodeBlock language="mermaid">{"flowchart LR"}</CodeBlock>\n\n<CodeBlock language="js" />',
    )
    expect(summary.warnings).toEqual([])
    expect(artifact.html).toContain('data-language="js"')
    expect(artifact.html).toContain('data-mermaid')
    expect(artifact.features).toContain('mermaid')
  })

  it('leaves no way out of its words, and is bounded', async () => {
    const { artifact } = await render(
      '<CodeBlock filename={\'a" onclick="x\'} language={"js\\" onclick=\\"x"}>{"</code><script>alert(1)</script>"}</CodeBlock>',
    )
    expect(artifact.html).not.toMatch(/<script| onclick="/)
    const blocks = [1, 2, 3, 4, 5].map((n) => `<CodeBlock language="js">{"${n}" + "a".repeat(150000)}</CodeBlock>`)
    const long = (await render(blocks.join('\n\n'))).artifact.html
    expect(long.match(/<figure/g)).toHaveLength(5)
    expect(long.match(/data-language/g)).toHaveLength(3)
  })
})
