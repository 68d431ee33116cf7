import { beforeAll, describe, expect, test } from 'vitest'
import type { RenderPool } from '#site/page.ts'
import { sharedRenderPool } from '#test/support/render-pool.ts'
import type { NavItem } from '#site/shell.ts'
import { TestProject } from '#test/support/site/support/project.ts'
import { recordingPool } from '#test/support/site/support/recording-pool.ts'
import { siteWith } from '#test/support/site/api/pets.ts'

let pool: RenderPool

beforeAll(async () => {
  pool = await sharedRenderPool()
})

function outline(items: readonly NavItem[]): unknown[] {
  return items.map((item) => (item.kind === 'group' ? [item.title, outline(item.items)] : item.title))
}

const described = (paths: object, more: object = {}) =>
  JSON.stringify({ openapi: '3.1.0', info: { title: 'Plants', version: '1' }, paths, ...more })
const operation = (summary: string, more: object = {}) => ({ get: { summary, tags: ['plants'], ...more } })

async function built(
  openapi: string | undefined,
  api: object = { openapi: 'openapi.json' },
  files: Record<string, string> = {},
) {
  const project = new TestProject(recordingPool(pool))
  const tabs = [
    { tab: 'Start', pages: ['index'] },
    { tab: 'API', ...api },
  ]
  const { errors, warnings } = await project.build(
    siteWith({ tabs }, { ...(openapi === undefined ? {} : { 'openapi.json': openapi }), ...files }),
  )
  expect(errors).toEqual([])
  const outlined = outline(project.shell().sections[1]?.items ?? [])
  return { project, warnings, outlined }
}

const html = (project: TestProject, url: string) =>
  (JSON.parse(project.text(url) ?? '{"html":"nothing"}') as { html: string }).html

describe('operations that say who may see them', () => {
  const secret = described(
    {
      '/plants': operation('List plants'),
      '/hidden': operation('Hidden plants', { 'x-hidden': true }),
      '/secret': operation('Secret plants', { 'x-excluded': true }),
    },
    {
      webhooks: {
        grown: { post: { summary: 'A plant has grown' } },
        withered: { post: { summary: 'A plant has withered', 'x-hidden': true } },
        stolen: { post: { summary: 'A plant was stolen', 'x-excluded': true } },
      },
    },
  )

  test('have a page and no entry with x-hidden, and neither with x-excluded', async () => {
    const { project, outlined, warnings } = await built(secret)
    expect(warnings).toEqual([])
    expect(outlined).toEqual([
      ['plants', ['List plants']],
      ['Webhooks', ['A plant has grown']],
    ])
    expect(html(project, '/api-reference/plants/hidden-plants')).toContain('/hidden')
    expect(html(project, '/api-reference/a-plant-has-withered')).not.toBe('nothing')
    const routes = Object.keys(project.last?.routes ?? {}).join('\n')
    expect(routes).not.toMatch(/secret|stolen/)
    for (const list of ['/sitemap.xml', '/llms.txt'])
      expect(project.text(list)).not.toMatch(/hidden|withered|secret|stolen/)
  })

  test('are not there for pages that name them either, with x-excluded', async () => {
    const page = '---\ntitle: Secret\nopenapi: GET /secret\n---\n'
    const api = { openapi: 'openapi.json', pages: ['GET /plants', 'secret'] }
    const { project, warnings } = await built(secret, api, { 'secret.md': page })
    expect(html(project, '/secret')).toContain('data-word="partMissing"')
    expect(warnings).toMatchObject([{ path: 'secret.md', rule: 'api-unknown' }])
  })
})

test('operations without tags are in a group by the title of their description, beside those with one', async () => {
  const { outlined } = await built(
    described({ '/plants': operation('List plants'), '/health': { get: { summary: 'Health' } } }),
  )
  expect(outlined).toEqual([
    ['plants', ['List plants']],
    ['Plants', ['Health']],
  ])
})

describe('a group with pages of its own and a description', () => {
  const files = {
    'openapi.json': described({ '/plants': operation('List plants') }),
    'api/index.md': '# Begin',
  }
  const list = { 'api/list.md': '---\ntitle: Own\nopenapi: GET /plants\n---\n' }

  test('that says where pages of operations are to be made has them after its own', async () => {
    const group = { group: 'API', pages: ['api/index'], openapi: { source: 'openapi.json', directory: 'api' } }
    const { project, outlined, warnings } = await built(undefined, group, files)
    expect([warnings, outlined]).toEqual([[], ['Begin', 'List plants']])
    expect(html(project, '/api/plants/list-plants')).toContain('>/plants<')
  })

  test.each([
    ['says so of those that it names', { source: 'openapi.json', directory: 'api' }, ['api/index', 'api/list']],
    ['names one for operations in its list', 'openapi.json', ['api/index']],
  ])('has those alone that %s', async (_what, openapi, pages) => {
    const { outlined } = await built(undefined, { group: 'API', pages, openapi }, { ...files, ...list })
    expect(outlined).toEqual(pages.length === 2 ? ['Begin', 'Own'] : ['Begin'])
  })
})

describe('files with spaces in their names', () => {
  const files = {
    'API specs/v1 of it.json': described({ '/plants': operation('List plants', { description: 'All *green* ones.' }) }),
  }

  test.each([
    ['a path', 'API specs/v1 of it.json'],
    ['a source', { source: '/API specs/v1 of it.json', directory: 'api' }],
  ])('make pages from the navigation, as %s', async (_what, openapi) => {
    const { project, outlined, warnings } = await built(undefined, { openapi }, files)
    expect([warnings, outlined]).toEqual([[], [['plants', ['List plants']]]])
    const folder = typeof openapi === 'string' ? 'api-reference' : 'api'
    expect(html(project, `/${folder}/plants/list-plants`)).toContain('All <em>green</em> ones.')
  })

  test.each(['API specs/v1 of it.json GET /plants', '"API specs/v1 of it.json" GET /plants', 'v1 of it GET /plants'])(
    'are named by entries and pages: %s',
    async (named) => {
      const page = `---\ntitle: Own\nopenapi: ${JSON.stringify(named)}\n---\n`
      const { project, outlined, warnings } = await built(
        undefined,
        { pages: [named, 'own'] },
        { ...files, 'own.md': page },
      )
      expect([warnings, outlined]).toEqual([[], ['List plants', 'Own']])
      for (const url of ['/own', '/api-reference/plants/list-plants'])
        expect(html(project, url)).toContain('All <em>green</em> ones.')
    },
  )
})

test('braces of a title are shown as they are, whatever variables stand for', async () => {
  const project = new TestProject(recordingPool(pool))
  const docs = {
    name: 'Docs',
    variables: { name: 'a "quoted" \\ one' },
    navigation: {
      groups: [
        { group: 'API', pages: ['index'] },
        { group: 'Plants', openapi: 'openapi.json' },
      ],
    },
  }
  const { errors, warnings } = await project.build({
    'docs.json': JSON.stringify(docs),
    'index.md': '{{name}}',
    'openapi.json': described({ '/plants': operation('List {{name}} and {{{name}}}') }),
  })
  expect([errors, warnings]).toEqual([[], []])
  const titles = project.shell().sections.flatMap(({ items }) => outline(items))
  expect(JSON.stringify(titles)).toContain('List {{name}} and {{{name}}}')
  expect(html(project, '/')).toContain('a &quot;quoted&quot;')
})

describe('findings of pages that nobody wrote', () => {
  const broken = described({
    '/plants': operation('List plants', {
      description: 'See [more](/nowhere).',
      'x-mint': { content: 'And [this](/gone).' },
    }),
  })

  test('name the operation, and the file that describes it', async () => {
    const { warnings } = await built(broken)
    expect(warnings).toMatchObject([
      {
        path: 'openapi.json',
        rule: 'link-broken',
        message: expect.stringMatching(/^GET \/plants: The link \/gone leads/),
      },
      {
        path: 'openapi.json',
        rule: 'link-broken',
        message: expect.stringMatching(/^GET \/plants: The link \/nowhere leads/),
      },
    ])
    for (const warning of warnings) expect(warning).not.toHaveProperty('line')
  })

  test('are of the page where an author has written it', async () => {
    const page = '---\ntitle: Own\nopenapi: GET /plants\n---\n'
    const { warnings } = await built(
      broken,
      { openapi: 'openapi.json' },
      { 'api-reference/plants/list-plants.mdx': page },
    )
    expect(warnings).toMatchObject([{ path: 'api-reference/plants/list-plants.mdx', rule: 'link-broken' }])
  })

  test('also as errors', async () => {
    const project = new TestProject(recordingPool(pool))
    const openapi = described({ '/plants': operation('List plants', { 'x-mint': { content: '<Card' } }) })
    const { errors } = await project.build(
      siteWith({ groups: [{ group: 'API', openapi: 'specs/plants.json' }] }, { 'specs/plants.json': openapi }),
    )
    expect(errors).toMatchObject([
      { path: 'specs/plants.json', rule: 'page-syntax', message: expect.stringMatching(/^GET \/plants: /) },
    ])
  })
})
