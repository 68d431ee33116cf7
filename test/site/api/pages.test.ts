import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RenderPool } from '../../../src/site/page.ts'
import { openRenderPool } from '../../../src/site/render/pool.ts'
import type { NavItem } from '../../../src/site/shell.ts'
import { TestProject } from '../support/project.ts'
import { recordingPool } from '../support/recording-pool.ts'
import { pets, siteWith } from './pets.ts'

let pool: RenderPool

beforeAll(async () => {
  pool = await openRenderPool({ children: 2 })
})
afterAll(() => pool.close())

const newProject = () => new TestProject(recordingPool(pool))
const html = (project: TestProject, url: string) =>
  (JSON.parse(project.text(url) ?? '{"html":"nothing"}') as { html: string }).html
const openapi = JSON.stringify(pets)

/** Titles of the navigation with what is below them. */
function outline(items: readonly NavItem[]): unknown[] {
  return items.map((item) => (item.kind === 'group' ? [item.title, outline(item.items)] : item.title))
}

describe('operations that navigation asks for', () => {
  test('have a page each, in groups by their tags, where a tab names nothing but a description', async () => {
    const project = newProject()
    const { errors, warnings } = await project.build(
      siteWith(
        {
          tabs: [
            { tab: 'Start', pages: ['index'] },
            { tab: 'API', openapi: 'openapi.json' },
          ],
        },
        { 'openapi.json': openapi },
      ),
    )
    expect([errors, warnings]).toEqual([[], []])
    const [, api] = project.shell().sections
    expect(outline(api?.items ?? [])).toEqual([
      ['All about pets', ['List pets', 'Add a pet']],
      ['Pets', ['Get a pet']],
      ['Webhooks', ['A pet was adopted']],
    ])
    expect(html(project, '/api-reference/pets/list-pets')).toContain('Lists <strong>all</strong> pets.')
  })

  test('stand where their entries stand, among pages of their author', async () => {
    const project = newProject()
    await project.build(
      siteWith(
        { groups: [{ group: 'API', openapi: 'api/openapi.json', pages: ['index', 'POST /pets', 'GET /pets/{id}'] }] },
        { 'api/openapi.json': openapi },
      ),
    )
    expect(outline(project.shell().sections[0]?.items ?? [])).toEqual([['API', ['Home', 'Add a pet', 'Get a pet']]])
  })

  test('are rendered anew where they have changed, and nowhere else', async () => {
    const project = newProject()
    const navigation = { groups: [{ group: 'API', openapi: 'openapi.json' }] }
    await project.build(siteWith(navigation, { 'openapi.json': openapi }))
    await project.build(siteWith(navigation, { 'openapi.json': openapi.replace('**all**', '*most*') }))
    expect(project.pool.rendered).toEqual(['openapi.json', 'api-reference/pets/list-pets.mdx'])
    await project.build(siteWith(navigation, { 'openapi.json': openapi.replace('**all**', '*most*'), 'other.md': '' }))
    expect(project.pool.rendered).toEqual(['other.md'])
  })
})

describe('the page of an operation', () => {
  test('shows what is sent and what comes back', async () => {
    const project = newProject()
    await project.build(siteWith({ groups: [{ group: 'API', openapi: 'openapi.json' }] }, { 'openapi.json': openapi }))
    const list = html(project, '/api-reference/pets/list-pets')
    expect(list).toContain('data-method="GET"')
    for (const part of ['limit', 'How many', '1 ≤ x ≤ 100', 'X-Key', 'From your account', 'The pets', 'There are none'])
      expect(list).toContain(part)
    const add = html(project, '/api-reference/pets/add-a-pet')
    for (const part of ['name', 'What it answers to', 'cat', 'dog', 'Person', 'email', 'Shelter', 'city'])
      expect(add).toContain(part)
  })
})

describe('pages that name an operation', () => {
  test('show it before their own words', async () => {
    const project = newProject()
    const { warnings } = await project.build({
      'index.md': '[users](users.md)',
      'openapi.json': openapi,
      'users.md': '---\ntitle: Users\nopenapi: GET /pets\n---\n\nMore of it.\n',
    })
    expect(warnings).toEqual([])
    expect(html(project, '/users')).toMatch(/Lists <strong>all<\/strong> pets.*More of it/s)
  })

  test.each([
    'file:///etc/passwd GET /x',
    '../../secret.json GET /x',
    'absent.json GET /x',
    '/absent.json POST /<x>',
    'users',
  ])('%s is said to be unknown', async (named) => {
    const project = newProject()
    const files = { 'index.md': '[users](users.md)', 'users.md': `---\nopenapi: "${named}"\n---\n` }
    const { errors, warnings } = await project.build(files)
    expect(errors).toEqual([])
    expect(warnings).toMatchObject([{ path: 'users.md', line: 1, rule: 'api-unknown' }])
    expect(project.reads).toHaveLength(2)
  })
})
