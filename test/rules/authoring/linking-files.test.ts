import { expect, test } from 'vitest'
import { configFilesOf, filesMentioning } from '#authoring/linking-files.ts'

const present = ['docs.json', 'nav.json', 'openapi.json', 'index.mdx', 'guides/my page.mdx', 'guides/more.mdx', 'a.png']
const config = new Set(['docs.json', 'nav.json'])
const readable = ['docs.json', 'nav.json', 'index.mdx', 'guides/my page.mdx', 'guides/more.mdx']

const found = (truncated: boolean, ...paths: string[]) => ({
  items: paths.map((path) => ({ path, line: 1, column: 1, text: '', start: 0, end: 0 })),
  truncated,
})

test('beside the configuration, what may lead to a page has the last word of its address, as it is or escaped', async () => {
  const asked: string[] = []
  const files = await filesMentioning('guides/my page.mdx', { present, config }, async (q) => {
    asked.push(q)
    return found(false, q === 'my page' ? 'index.mdx' : 'guides/more.mdx', 'openapi.json', 'a.png')
  })
  expect(asked).toEqual(['my page', 'my%20page'])
  expect(files).toEqual(['docs.json', 'nav.json', 'index.mdx', 'guides/more.mdx'])
})

test('all texts may lead to a page whose search did not find all', async () => {
  const files = await filesMentioning('guides/more.mdx', { present, config }, async () => found(true, 'index.mdx'))
  expect(files).toEqual(readable)
})

test('all texts may lead to the first page, however many there are', async () => {
  const pages = Array.from({ length: 400 }, (_, at) => `page-${at}.mdx`)
  const files = await filesMentioning('index.mdx', { present: [...present, ...pages], config }, async () => {
    throw new Error('Nothing is to be looked for.')
  })
  expect(files).toEqual([...readable, ...pages])
})

test('the configuration is docs.json and what it includes, as far as it is there', async () => {
  const texts: Record<string, string> = {
    'docs.json': '{ "navigation": { "$ref": "./nav.json" }, "more": { "$ref": "gone.json" } }',
    'nav.json': '{ "pages": [] }',
  }
  expect(await configFilesOf(present, async (path) => texts[path])).toEqual(config)
})
