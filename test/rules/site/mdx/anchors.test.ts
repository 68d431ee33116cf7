import { describe, expect, it } from 'vitest'
import { html, render } from '#test/support/site/mdx/render-text.ts'

/** Names of the element with an id, in its order. */
const namesOf = (page: string, id: string): string[] => {
  const [, names = ''] = new RegExp(` id="${id}"[^>]*>(?:<summary>)?((?:<a name="[^"]*"></a>)*)`).exec(page) ?? []
  return [...names.matchAll(/name="([^"]*)"/g)].map(([, name = '']) => name)
}

describe('a heading', () => {
  it.each([
    ['Config.json options', 'configjson-options', 'config-json-options'],
    ["What's new?", 'whats-new', 'what’s-new'],
    ['Read/write access', 'readwrite-access', 'read/write-access'],
    ['Rate limits (per minute), in short!', 'rate-limits-per-minute-in-short', undefined],
    ['Step 1: the `@tool` of $ref', 'step-1-the-tool-of-ref', 'step-1:-the-@tool-of-$ref'],
    ['Rules in .quire/rules/', 'rules-in-quirerules', 'rules-in-quire/rules/'],
    ['Launch 🚀 now', 'launch--now', 'launch-🚀-now'],
    ['The "own" way', 'the-own-way', 'the-“own”-way'],
  ])('“%s” has GitHub’s id, and Mintlify’s name where that is another', async (text, id, name) => {
    const page = await render(`## ${text}\n`)
    expect(page.artifact.headings.map((heading) => heading.id)).toEqual([id])
    expect(namesOf(page.artifact.html, id)).toEqual(name === undefined ? [] : [name])
    expect(page.summary.anchors).toEqual([id, ...(name === undefined ? [] : [name])])
  })

  it('is found by its whole slug where its id is without the marks at its ends', async () => {
    expect(namesOf(await html('## `_meta`\n'), 'meta')).toEqual(['_meta'])
  })

  it('with an ampersand is found by its name with and without the word', async () => {
    expect(namesOf(await html('## Fees & billing\n'), 'fees--billing')).toEqual([
      'fees-and-billing',
      'fees-&amp;-billing',
    ])
  })

  it('keeps its id where another has it as a further name, and each name is there once', async () => {
    const page = await html('## Overview\n\n## Overview\n\n## Overview\n\n## Overview 3\n\n## A.b\n\n## A-b\n')
    const given = [...page.matchAll(/ (?:id|name)="([^"]*)"/g)].map(([, name]) => name)
    expect(new Set(given).size).toBe(given.length)
    expect(given).toEqual(['overview', 'overview-1', 'overview-2', 'overview-3', 'ab', 'a-b', 'a-b-2'])
  })

  it('that is the second of its name is found by the number that either counts with', async () => {
    const page = await html('## Setup\n\n<Tabs><Tab title="One">\n\n### Setup\n\n</Tab></Tabs>\n')
    expect(namesOf(page, 'setup-1')).toEqual(['setup-2'])
  })

  it('with an id of its author has that alone', async () => {
    expect(await html('## What is v1.2 {#versions}\n')).not.toContain('<a name')
  })

  it('that is written as a tag is found by its text, too', async () => {
    const page = await render('<div>\n  <h2 className="big">Get it.now</h2>\n  <h3 id="own-id">Own</h3>\n</div>\n')
    expect(page.artifact.html).toContain('<h2 id="get-itnow" class="big"><a name="get-it-now"></a>Get it.now</h2>')
    expect(page.summary.anchors).toEqual(['get-itnow', 'own-id', 'get-it-now'])
  })
})

describe('a component', () => {
  it('that is a field is found by its name, as Mintlify and as readers write it', async () => {
    const page = await html(
      '<ParamField query="qstashClient" type="string" />\n\n<ResponseField name="host_email" type="string" />\n\n<ResponseField name="hostEmail" type="string" />\n',
    )
    expect(namesOf(page, 'param-qstash-client')).toEqual(['qstashclient'])
    expect(namesOf(page, 'param-host-email')).toEqual(['host_email'])
    expect(namesOf(page, 'param-host-email-1')).toEqual(['hostemail'])
  })

  it('gives way to a heading of the same name', async () => {
    const page = await html('<ParamField query="limit" />\n\n<Tabs><Tab title="Limit">x</Tab></Tabs>\n\n## Limit\n')
    expect(page).toContain('<h2 id="limit">')
    expect(page).not.toContain('<a name="limit">')
  })

  it('that is a tab, a fold, a step or an update is found by its title', async () => {
    const page = await html(
      '<Tabs><Tab title="Node.js">a</Tab></Tabs>\n\n<Accordion title="What\'s it?">b</Accordion>\n\n<Steps><Step title="Run v1.2">c</Step></Steps>\n\n<Update label="v2.0">d</Update>\n',
    )
    expect(namesOf(page, 'tab-1')).toEqual(['nodejs', 'node-js'])
    expect(namesOf(page, 'whats-it')).toEqual(['what’s-it'])
    expect(page).toContain('<summary><a name="what’s-it"></a>')
    expect(namesOf(page, 'run-v12')).toEqual(['run-v1-2'])
    expect(namesOf(page, 'v20')).toEqual(['v2-0'])
  })
})
