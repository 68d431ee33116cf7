import type { PromptMessage } from '../../src/contract/generation.ts'
import type { Material } from './material.ts'
import { hrefOf, type PlacedPage } from './plan.ts'
import { dataRule, jsonBlock } from './prompt.ts'

const rules = `You write one page of the documentation of a software project, in MDX, from its source. Readers are developers who use the project.

How to write
- Plain, exact, short. Say what something is for, then how it is used, then the details. Examples that would run as they stand.
- Only what the sources show. What they do not show is left out, never guessed.
- Begin with a paragraph, not with a heading; the title and the description are printed above it. No front matter.
- Divide the page by "## " headings. Code in fenced blocks with their language.

Sources
- After each paragraph, list or example that claims something, name what it rests on, on a line of its own:
  {/* source: src/config.ts:12-30 */}
  Several: {/* source: src/config.ts:12-30, src/load.ts:4 */}. Paths and lines exactly as in the page outline; lines are those printed before each "|".
- Every section (a "## " heading and what follows) needs at least one such comment, and so does a page without sections.

MDX
- No import, no export, no expressions in braces beside those comments. Outside of code write \\{ and \\< for { and <; a type such as Map<string, number> belongs between backticks.
- Components you may use, as tags on lines of their own with an empty line before and after their content: <Note>, <Tip>, <Info>, <Warning>; <Steps> with <Step title="…">; <Tabs> with <Tab title="…">; <CodeGroup> around code blocks; <Accordion title="…">; <CardGroup cols={2}> with <Card title="…" href="/path">; <ParamField body="name" type="string" required>; <ResponseField name="name" type="string">. No other tags.
- Link only to pages of the list, as [words](/path), without an anchor, and to no other address that the sources do not give.

${dataRule}

Answer with the MDX of the page and nothing else.`

/** What is asked for a page. The same page from the same sources is the same request. */
export function pagePrompt(
  page: PlacedPage,
  material: Material,
  site: { readonly name: string; readonly pages: readonly PlacedPage[] },
): PromptMessage[] {
  const outline = {
    project: site.name,
    page: { path: page.path, title: page.title, description: page.description, purpose: page.purpose },
    sources: material.files,
    pages: site.pages
      .filter(({ path }) => path !== page.path)
      .map(({ path, title, description }) => ({ href: hrefOf(path), title, description })),
  }
  const mark = `===== ${material.hash.slice(0, 12)}`
  const excerpts = material.excerpts.map(({ path, text }) => `${mark} ${JSON.stringify(path)}\n${text}`)
  return [
    { role: 'system', content: rules },
    {
      role: 'user',
      content: [
        `Write the page ${JSON.stringify(page.title)} of the documentation of ${JSON.stringify(site.name)}.`,
        jsonBlock('page-outline', outline),
        'The sources, with the numbers of their lines; … stands for lines that are not shown:',
        ...excerpts,
        `${mark} end`,
      ].join('\n\n'),
    },
  ]
}

const maxNamed = 30

/** The question again, with what is wrong with the answer. */
export function repairPrompt(
  messages: readonly PromptMessage[],
  answer: string,
  problems: readonly string[],
): PromptMessage[] {
  const named = problems.slice(0, maxNamed).map((problem) => `- ${problem}`)
  const rest = problems.length > maxNamed ? [`- … and ${problems.length - maxNamed} more.`] : []
  return [
    ...messages,
    { role: 'assistant', content: answer === '' ? '(nothing)' : answer },
    {
      role: 'user',
      content: [
        'That cannot be used as it is:',
        [...named, ...rest].join('\n'),
        'Answer again, with all of it, mended.',
      ].join('\n\n'),
    },
  ]
}
