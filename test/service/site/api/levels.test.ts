import { beforeAll, describe, expect, test } from 'vitest'
import type { RenderPool } from '#site/page.ts'
import { sharedRenderPool } from '#test/support/render-pool.ts'
import { markdownOf } from '#site/markdown/markdown.ts'
import { atOnce } from '#test/support/at-once.ts'
import { builtBy, list, one, schemas, sends, toSchema } from '#test/support/site/api/hostile.ts'

let pool: RenderPool

beforeAll(async () => {
  pool = await sharedRenderPool()
})

const object = (names: readonly string[], make: (name: string) => object) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, make(name)])),
})
const names = (count: number, letter: string) => list(count, (index) => `${letter}${index}`)
const text = () => ({ type: 'string' })
const answer = { responses: { 200: { description: 'So', ...sends(toSchema('Answer')).requestBody } } }
const fieldsIn = (html: string): number => html.split('class="q-field"').length - 1

describe('a page that has more fields than it has room for', () => {
  test('shows all that stands first, and says where something deeper is left out', async () => {
    const wide = object(names(60, 'p'), () => object(names(100, 'inner'), text))
    const { html } = await builtBy(
      pool,
      one({ ...sends(wide), ...answer }, schemas({ Answer: object(names(20, 'a'), text) })),
    )
    for (const id of ['body-p0', 'body-p59', 'response-a0', 'response-a19', 'body-p0-inner99'])
      expect(html).toContain(`id="${id}"`)
    expect(html).not.toContain('id="body-p59-inner0"')
    const last = html.slice(html.indexOf('id="body-p59"'), html.indexOf('<h2 id="response"'))
    expect(last).toContain('Not everything is shown here')
  })

  test('shows each schema once and leads to it from where it would be again', async () => {
    const description = one(
      { ...sends(object(names(40, 'p'), () => toSchema('Big'))), ...answer },
      schemas({
        Answer: object(['first', 'second'], () => toSchema('Item')),
        Item: object(['id', 'parent'], (name) => (name === 'id' ? text() : toSchema('Item'))),
        Big: object([...names(60, 'b'), 'deep'], (name) => (name === 'deep' ? toSchema('Deep') : text())),
        Deep: object(['bottom'], text),
      }),
    )
    const { html, said } = await builtBy(pool, description)
    expect(said).toEqual([])
    expect(html).not.toContain('Not everything is shown here')
    expect(html).toContain('id="body-p0-deep-bottom"')
    expect(fieldsIn(html)).toBeLessThan(700)
    const links = [...html.matchAll(/class="q-elsewhere">.*?href="#([^"]+)"/g)].map(([, id]) => id)
    expect(links.length).toBeGreaterThan(20)
    for (const id of new Set(links)) expect(html).toContain(`<a name="${id}">`)
    expect(html).toContain('id="body-p0"><a name="schema-big"></a>')
    // What stands in itself leads to where it begins.
    expect(html).toMatch(/id="response-first-parent">.*?<a href="#schema-item">/)
  })

  test('calls schemas in other files by the names of these, and leads to the one that is meant', async () => {
    const inFile = (path: string) => ({ $ref: path })
    const big = object(names(60, 'b'), text)
    const { html, said } = await builtBy(
      pool,
      one({
        ...sends(object(names(40, 'p'), (name) => inFile(name === 'p1' ? 'small.yml' : 'models/big.json'))),
        responses: { 200: { description: 'So', ...sends(object(['s'], () => inFile('small.yml'))).requestBody } },
      }),
      {
        'models/big.json': JSON.stringify({ ...big, properties: { ...big.properties, own: inFile('../small.yml') } }),
        'small.yml': 'type: object\nproperties: { x: { type: string } }\n',
      },
    )
    expect(said).toEqual([])
    expect(html).toContain('id="body-p0"><a name="schema-big"></a>')
    expect(html).toContain('<a href="#schema-big"><code>big</code></a>')
    const targets = [...html.matchAll(/<a name="(schema[^"]*)">/g)].map(([, name]) => name)
    expect(new Set(targets).size).toBe(targets.length)
  })

  test('leads to a schema that is first shown as a choice, on the page and in its Markdown', async () => {
    const description = one(
      { ...sends(object(names(60, 'p'), (name) => toSchema(name === 'p0' ? 'Wide' : 'Pet'))), responses: {} },
      schemas({
        Wide: object(['choice', ...names(500, 'w')], (name) =>
          name === 'choice' ? { oneOf: [toSchema('Pet')] } : text(),
        ),
        Pet: { oneOf: [toSchema('Cat'), toSchema('Dog')] },
        Cat: object(names(20, 'c'), text),
        Dog: object(names(20, 'd'), text),
      }),
    )
    for (const each of [
      description,
      one(
        { ...sends(toSchema('Tree')) },
        schemas({
          Tree: { oneOf: [toSchema('Leaf'), object(['left', 'right'], () => toSchema('Tree'))] },
          Leaf: object(['colour'], text),
        }),
      ),
    ]) {
      const { html } = await builtBy(pool, each)
      const links = new Set([...html.matchAll(/class="q-elsewhere">.*?href="#([^"]+)"/g)].map(([, id]) => id))
      expect(links.size).toBeGreaterThan(0)
      const markdown = atOnce(markdownOf(html))
      for (const id of links) {
        expect(html).toMatch(new RegExp(`(?:name|id)="${id}"`))
        expect(markdown).toContain(`<a id="${id}"></a>`)
        expect(markdown).toContain(`](#${id})`)
      }
    }
  })
})
