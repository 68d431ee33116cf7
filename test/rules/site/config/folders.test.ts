import { expect, test } from 'vitest'
import { folderNavigation, humanise } from '#site/config/folders.ts'
import type { NavItem } from '#site/shell.ts'
import { page } from '#test/rules/site/support/config.ts'
import { atOnce } from '#test/support/at-once.ts'

function outline(items: readonly NavItem[]): unknown[] {
  return items.map((item) => (item.kind === 'page' ? item.title : [item.title, item.href ?? null, outline(item.items)]))
}

test('folders become groups, an index page is the group’s own, numbers come first', () => {
  const { sections, home } = atOnce(
    folderNavigation([
      page('index.md', { title: 'Welcome' }),
      page('zebra.md', { title: 'Apple' }),
      page('02-second.md', { title: 'Second' }),
      page('10-tenth.md', { title: 'Tenth' }),
      page('api_reference/index.md', { title: 'The API', sidebarTitle: 'API' }),
      page('api_reference/users.md', { title: 'Users' }),
      page('01-guides/b.md', { title: 'B' }),
      page('01-guides/a.md', { title: 'A' }),
      page('lonely/index.md', { title: 'Lonely' }),
      page('secret/x.md', { hidden: true }),
    ]),
  )
  expect(home).toBe('/')
  expect(outline(sections[0]?.items ?? [])).toEqual([
    'Welcome',
    ['Guides', null, ['A', 'B']],
    'Second',
    'Tenth',
    ['API', '/api_reference', ['Users']],
    'Apple',
    'Lonely',
  ])
})

test('without an index the site begins with its first page', () => {
  expect(atOnce(folderNavigation([page('b.md'), page('a.md')])).home).toBe('/a')
})

test('without pages there is no section', () => {
  expect(atOnce(folderNavigation([]))).toEqual({ sections: [], anchors: [] })
})

test.each([
  ['01-getting_started', 'Getting started'],
  ['api', 'Api'],
  ['2024', '2024'],
  ['3d-models', '3d models'],
])('%s reads %s', (name, text) => {
  expect(humanise(name)).toBe(text)
})
