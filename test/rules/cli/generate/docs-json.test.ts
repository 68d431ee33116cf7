import { describe, expect, it } from 'vitest'
import { updateDocsJson } from '#cli/generate/docs-json.ts'
import type { PlacedPage } from '#cli/generate/plan.ts'

const page = (path: string, ...groups: string[]): PlacedPage => ({
  path,
  title: path,
  description: path,
  purpose: path,
  sources: ['a.ts'],
  groups,
})
const update = (text: string | undefined, pages: PlacedPage[], placed: Record<string, string[]> = {}): string =>
  updateDocsJson(text, { name: 'kettle', pages, placed: new Map(Object.entries(placed)) })
const groupsOf = (text: string): unknown => (JSON.parse(text) as { navigation: { groups: unknown } }).navigation.groups

describe('docs.json of generated pages', () => {
  it('is made with a name and our groups, in groups too', () => {
    const made = update(undefined, [page('index', 'Start'), page('a', 'Guides'), page('b', 'Guides', 'Deep')])
    expect(JSON.parse(made)).toEqual({
      name: 'kettle',
      navigation: {
        groups: [
          { group: 'Start', pages: ['index'] },
          { group: 'Guides', pages: ['a', { group: 'Deep', pages: ['b'] }] },
        ],
      },
    })
    expect(update(made, [page('index', 'Start'), page('a', 'Guides'), page('b', 'Guides', 'Deep')])).toBe(made)
  })

  it('keeps the user’s own pages, settings, order and comments', () => {
    const mine = `{
    // Ours
    "name": "Mine",
    "navigation": { "groups": [
        { "group": "Home", "pages": ["welcome"] },
        { "group": "Guides", "icon": "book", "pages": ["own", "a"] }
    ] },
    "colors": { "primary": "#123456" }
}
`
    const after = update(mine, [page('a', 'Guides'), page('b', 'Guides'), page('c', 'Reference')], { a: ['Guides'] })
    expect(after).toContain('// Ours')
    expect(after).toContain('"primary": "#123456"')
    expect(groupsOf(after.replace('// Ours', ''))).toEqual([
      { group: 'Home', pages: ['welcome'] },
      { group: 'Guides', icon: 'book', pages: ['own', 'a', 'b'] },
      { group: 'Reference', pages: ['c'] },
    ])
  })

  it('takes out pages that are gone, with the groups that only they were in', () => {
    const before = update(undefined, [page('index', 'Start'), page('a', 'Old', 'Deep')])
    const after = update(before, [page('index', 'Start')], { index: ['Start'], a: ['Old', 'Deep'] })
    expect(groupsOf(after)).toEqual([{ group: 'Start', pages: ['index'] }])
  })

  it('moves a page with the plan, unless the user has moved it', () => {
    const before = update(undefined, [page('a', 'One'), page('b', 'One')])
    const moved = update(before, [page('a', 'Two'), page('b', 'One')], { a: ['One'], b: ['One'] })
    expect(groupsOf(moved)).toEqual([
      { group: 'Two', pages: ['a'] },
      { group: 'One', pages: ['b'] },
    ])
    const users = '{"navigation":{"groups":[{"group":"Mine","pages":["a"]}]}}'
    expect(update(users, [page('a', 'Two')], { a: ['One'] })).toBe(users)
  })

  it('leaves a page out that the user took out of navigation', () => {
    const users = '{"navigation":{"groups":[{"group":"One","pages":["b"]}]}}'
    expect(update(users, [page('a', 'One'), page('b', 'One')], { a: ['One'], b: ['One'] })).toBe(users)
  })

  it('finds a place within tabs', () => {
    const tabs = '{"navigation":{"tabs":[{"tab":"Guide","groups":[{"group":"Home","pages":["x"]}]}]}}'
    expect(JSON.parse(update(tabs, [page('a', 'Home')]))).toEqual({
      navigation: { tabs: [{ tab: 'Guide', groups: [{ group: 'Home', pages: ['x', 'a'] }] }] },
    })
  })

  it('refuses what it cannot read', () => {
    for (const text of ['[]', '{"navigation": "x"}', '{"a": ']) expect(() => update(text, [])).toThrow('docs.json')
  })
})
