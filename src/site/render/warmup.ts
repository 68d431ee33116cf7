import { PageRenderer } from '../mdx/page.ts'

const page = `---
title: Warm
description: A page of the kind that documentation has
---

export const words = ['one', 'two']

## Install {#install}

A paragraph with **bold**, _emphasis_, \`code\`, a [link](./other.mdx#part), an ![image](/a.png) and $a^2$.

<Note>Words in a *note*.</Note>

<Steps>
  <Step title="First">
    - a list
    - of things
  </Step>
</Steps>

<CardGroup cols={2}>
  {words.map((word) => (
    <Card key={word} title={word} href={\`/\${word}\`} icon="star">
      {word.toUpperCase()}
    </Card>
  ))}
</CardGroup>

<Tabs>
  <Tab title="A">text</Tab>
</Tabs>

| a | b |
| - | :-: |
| 1 | 2 |

\`\`\`js title="x.js" {1}
const answer = 42
\`\`\`

<CodeGroup>
\`\`\`bash npm
npm install it
\`\`\`
</CodeGroup>

<div style={{ color: 'red' }} className="a"><svg viewBox="0 0 1 1"><path d="M0 0" /></svg></div>

1. One[^1]
2. Two

[^1]: A note.
`

/**
 * Renders a page of ours a few times, so that the first page of a project meets a compiled renderer. A step a round;
 * the first shows that this process can render at all.
 */
export async function* warmUp(): AsyncGenerator<void> {
  for (let round = 0; round < 24; round++) {
    const renderer = new PageRenderer(() => Promise.resolve(null))
    const outcome = await renderer.render({ path: 'guide/warm.mdx', oid: String(round), source: Buffer.from(page) })
    if (!outcome.ok) throw new Error(`the renderer does not render its own page: ${JSON.stringify(outcome.errors)}`)
    const markdown = await renderer.render({
      path: 'guide/warm.md',
      oid: String(round),
      source: Buffer.from('# A\n\n<b>bold</b> text\n'),
    })
    if (!markdown.ok) throw new Error(`the renderer does not render its own page: ${JSON.stringify(markdown.errors)}`)
    yield
  }
}
