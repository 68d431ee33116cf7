import { beforeAll, describe, expect, test } from 'vitest'
import type { RenderPool } from '#site/page.ts'
import { sharedRenderPool } from '#test/support/render-pool.ts'
import type { NavItem } from '#site/shell.ts'
import type { Files } from '#test/support/site/support/project.ts'
import { recordingPool } from '#test/support/site/support/recording-pool.ts'
import { TaggedProject } from '#test/support/site/support/tagged-project.ts'
import { pets, siteWith } from '#test/support/site/api/pets.ts'

let pool: RenderPool

beforeAll(async () => {
  pool = await sharedRenderPool()
})

const openapi = JSON.stringify(pets)
const older = openapi.replace('**all**', '*few*').replace('/pets/{id}', '/pets/{name}')
const navigation = { groups: [{ group: 'API', pages: ['index', 'GET /pets'], openapi: 'openapi.json' }] }
const own = siteWith(
  {
    versions: [
      { version: 'v2', ...navigation },
      { version: 'v1', gitTag: 'v1.0.0' },
    ],
  },
  { 'openapi.json': openapi },
)
const tagged = (files: Files, commit = 'c1') => ({ 'v1.0.0': { commit, files } })
const html = (project: TaggedProject, url: string) =>
  (JSON.parse(project.text(url) ?? '{"html":"nothing"}') as { html: string }).html
const newProject = () => new TaggedProject(recordingPool(pool))

function links(items: readonly NavItem[]): string[] {
  return items.flatMap((item) => (item.kind === 'group' ? links(item.items) : 'href' in item ? [item.href ?? ''] : []))
}

describe('a version from a tag', () => {
  const site = siteWith(
    { groups: [{ group: 'API', openapi: 'openapi.json', pages: ['index', 'GET /pets', 'GET /pets/{name}'] }] },
    { 'openapi.json': older },
  )

  test('has the pages that its own navigation asks for of its own description', async () => {
    const project = newProject()
    const { errors, warnings } = await project.with(tagged(site), own)
    expect([errors, warnings]).toEqual([[], []])
    expect(html(project, '/v1/api-reference/pets/list-pets')).toContain('Lists <em>few</em> pets.')
    expect(html(project, '/v1/api-reference/get-a-pet')).toContain('{name}')
    expect(html(project, '/api-reference/pets/list-pets')).toContain('Lists <strong>all</strong> pets.')
    const section = project.shell().sections.find(({ switches }) => switches[0]?.label === 'v1')
    expect(links(section?.items ?? [])).toEqual([
      '/v1',
      '/v1/api-reference/pets/list-pets',
      '/v1/api-reference/get-a-pet',
    ])
  })

  test('is neither read nor rendered again while its tag stays, also by another process', async () => {
    const project = newProject()
    await project.with(tagged(site), own)
    for (const isRestarted of [false, true]) {
      if (isRestarted) project.newBuilder()
      const { pages } = await project.with(tagged(site), { ...own, 'index.mdx': `[more](/) ${isRestarted}` })
      expect([project.pool.rendered, pages.built]).toEqual([['index.mdx'], 1])
      expect(html(project, '/v1/api-reference/pets/list-pets')).toContain('Lists <em>few</em> pets.')
    }
  })

  test('renders of another tag the operations that differ, and of the project those that differ there', async () => {
    const project = newProject()
    await project.with(tagged(site), own)
    const moved = { ...site, 'openapi.json': older.replace('*few*', '*no*') }
    await project.with(tagged(moved, 'c2'), own)
    expect(project.pool.rendered).toEqual(['openapi.json', 'api-reference/pets/list-pets.mdx'])
    expect(html(project, '/v1/api-reference/pets/list-pets')).toContain('Lists <em>no</em> pets.')
    await project.with(tagged(moved, 'c2'), { ...own, 'openapi.json': openapi.replace('**all**', 'most') })
    expect(html(project, '/v1/api-reference/pets/list-pets')).toContain('Lists <em>no</em> pets.')
    expect(html(project, '/api-reference/pets/list-pets')).toContain('Lists most pets.')
  })

  test('knows descriptions that only its pages name', async () => {
    const project = newProject()
    const page = '---\ntitle: Pets\nopenapi: specs/pets.json GET /pets\n---\n'
    const files = { 'index.md': '[pets](/pets)', 'specs/pets.json': older, 'pets.md': page }
    const { errors, warnings } = await project.with(tagged(files), own)
    expect([errors, warnings]).toEqual([[], []])
    expect(html(project, '/v1/pets')).toContain('Lists <em>few</em> pets.')
    for (const isRestarted of [false, true]) {
      if (isRestarted) project.newBuilder()
      const { pages } = await project.with(tagged(files), own)
      expect([project.pool.rendered, pages.built]).toEqual([[], 0])
    }
    await project.with(tagged({ ...files, 'specs/pets.json': openapi }, 'c2'), own)
    expect(html(project, '/v1/pets')).toContain('Lists <strong>all</strong> pets.')
  })

  test('whose description cannot be read is told of by its tag, and is there without it', async () => {
    const project = newProject()
    const { errors, warnings } = await project.with(tagged({ ...site, 'openapi.json': 'openapi: [3.1' }), own)
    expect(errors).toEqual([])
    expect(warnings).toMatchObject([
      {
        rule: 'api-description',
        path: 'docs.json',
        message: expect.stringMatching(/^In the tag v1\.0\.0: .*is no valid YAML/),
      },
    ])
    expect(html(project, '/v1')).not.toBe('nothing')
  })
})
