import { expect, test } from 'vitest'
import { navigationPlaces } from '#authoring/navigation.ts'

const docs = `{
  // Kept as it is.
  "name":   "Docs",
  "navigation": {
    "tabs": [
      { "tab": "Learn", "groups": [
          { "group": "Guides", "pages": [
              "index",
              "guides/start",
              { "group": "More", "pages": ["guides/more/one"] },
              "guides/end" ] },
          { "group": "Empty", "pages": [] }
      ] }
    ]
  }
}
`

test('a page is offered first where the pages of its folder are, after the last of them', () => {
  const { places, has } = navigationPlaces(docs, 'guides/new.mdx')
  expect(has).toBe(undefined)
  expect(places.map(({ label, after }) => [label, after])).toEqual([
    ['Learn › Guides', 'guides/end'],
    ['Learn › Guides › More', 'guides/more/one'],
    ['Learn › Empty', undefined],
  ])
  const text = places[0]?.insert() ?? ''
  expect(text).toBe(docs.replace('"guides/end"', '"guides/end",\n              "guides/new"'))
  expect(places[2]?.insert()).toBe(docs.replace('[] }', '["guides/new"] }'))
})

test('a list on one line stays on one line', () => {
  const text = '{ "navigation": { "pages": ["index", "a/one"] } }'
  const [place] = navigationPlaces(text, 'a/two.mdx').places
  expect(place?.label).toBe('the first level')
  expect(place?.insert()).toBe('{ "navigation": { "pages": ["index", "a/one", "a/two"] } }')
})

test('line ends and tabs stay as they are', () => {
  const text = '{\r\n\t"navigation": {\r\n\t\t"pages": [\r\n\t\t\t"index"\r\n\t\t]\r\n\t}\r\n}\r\n'
  expect(navigationPlaces(text, 'a.mdx').places[0]?.insert()).toBe(text.replace('"index"', '"index",\r\n\t\t\t"a"'))
})

test('a page that is there already is known, with its ending or a slash before it', () => {
  expect(navigationPlaces(docs.replace('"index"', '"/index.mdx"'), 'index.mdx').has).toBe('Learn › Guides')
})

test('a docs.json that is not in order is told', () => {
  expect(() => navigationPlaces('{ "navigation": ', 'a.mdx')).toThrow('not in order')
})
