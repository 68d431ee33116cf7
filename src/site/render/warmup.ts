import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dist } from '../../lib/paths.ts'
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

<div style={{ color: 'red' }} className="a rounded-md bg-sky-500 md:p-8 dark:hover:text-white"><svg viewBox="0 0 1 1"><path d="M0 0" /></svg></div>

1. One[^1]
2. Two

[^1]: A note.
`

/** Rounds of the first page: enough for the renderer itself, which all pages have in common. */
const rounds = 8
/** Rounds of the others: the first loads their languages, the second meets what the first has compiled. */
const tours = 2

/**
 * Renders pages of ours, so that the first page of a project meets a compiled renderer that knows the languages of most
 * documentation: the most common come first. A page a step; the first shows that this process can render at all.
 */
export async function* warmUp(): AsyncGenerator<void> {
  await render('guide/first.mdx', '# A\n\n**bold** <Note>text</Note>\n')
  yield
  for (let round = 0; round < rounds; round++) {
    await render('guide/warm.mdx', page)
    await render('guide/warm.md', '# A\n\n<b>bold</b> text\n')
    yield
  }
  const folder = join(dist, 'warmup')
  // Without the folder all the work is left to the first pages.
  if (!existsSync(folder)) return
  const names = (await readdir(folder)).sort()
  for (let tour = 0; tour < tours; tour++) {
    for (const name of names) {
      const text = await readFile(join(folder, name), 'utf8')
      await render(`guide/${name}`, tour === 0 ? text : altered(text))
      yield
    }
  }
}

/** Other code, since the same is remembered. */
function altered(text: string): string {
  return text.replaceAll(/acme|item|name|order|user|value/gi, '$&2')
}

async function render(path: string, source: string): Promise<void> {
  const renderer = new PageRenderer(() => Promise.resolve(null))
  const outcome = await renderer.render({ path, oid: '', source: Buffer.from(source) })
  if (!outcome.ok) throw new Error(`the renderer does not render its own page: ${JSON.stringify(outcome.errors)}`)
}
