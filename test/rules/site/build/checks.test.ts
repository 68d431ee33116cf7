import { describe, expect, test } from 'vitest'
import { countOf, rules } from '#contract/rules.ts'
import { TestProject } from '#test/support/site/support/project.ts'

const navigated = (pages: unknown, more: object = {}) =>
  JSON.stringify({ name: 'Docs', navigation: { pages }, ...more })

/** Places of the warnings of a rule. */
async function found(
  project: TestProject,
  files: Record<string, string>,
  rule: keyof typeof rules,
): Promise<unknown[]> {
  const { errors, warnings } = await project.build(files)
  expect(errors).toEqual([])
  return warnings.filter((warning) => warning.rule === rule).map(({ path }) => path)
}

describe('pages that nothing leads to', () => {
  const orphans = (files: Record<string, string>) => found(new TestProject(), files, 'page-orphan')

  test('are told where docs.json has a navigation', async () => {
    const files = { 'index.md': '# Home', 'lost.md': '# Lost\n[self](lost.md)' }
    expect(await orphans({ ...files, 'docs.json': navigated(['index']) })).toEqual(['lost.md'])
    expect(await orphans(files)).toEqual([])
    expect(await orphans({ ...files, 'docs.json': '{}' })).toEqual([])
  })

  test('are none when a page links to them, docs.json names them, they are known by their names, or hidden on purpose', async () => {
    const pages = ['a', { group: 'G', hidden: true, pages: ['shut'] }]
    const more = {
      navbar: { links: [{ label: 'B', href: '/barred' }] },
      redirects: [
        { source: '/old', destination: '/moved' },
        { source: '/v1/:page*', destination: '/v2/:page*' },
      ],
    }
    expect(
      await orphans({
        'docs.json': navigated(pages, more),
        'index.md': '# Home',
        'a.md': '# A\n[b](/linked.md#x)',
        'linked.md': '# Linked',
        'shut.md': '# Shut',
        'barred.md': '# Barred',
        'moved.md': '# Moved',
        'v2/start.md': '# Two',
        'changelog/index.md': '# What is new',
        'hidden.md': '---\nhidden: true\n---\nx',
        'unlisted.md': '---\nnoindex: true\n---\nx',
        'skill.md': '# For agents',
        'skills/api/SKILL.md': '# For agents',
        'community/README.md': '# For those who write',
      }),
    ).toEqual([])
  })

  test('are none where all pages are in the search', async () => {
    const files = { 'index.md': '# Home', 'lost.md': '# Lost' }
    expect(await orphans({ ...files, 'docs.json': navigated(['index'], { seo: { indexing: 'all' } }) })).toEqual([])
  })

  test('come and go with the links of one page, while all others stay as they are', async () => {
    const project = new TestProject()
    const files = { 'docs.json': navigated(['a', 'b']), 'a.md': '# A', 'b.md': '# B', 'lost.md': '# Lost' }
    const linked = { ...files, 'a.md': '# A\n[l](lost.md)' }
    const twice = { ...linked, 'b.md': '# B\n[l](/lost) [again](/lost#x)' }
    for (const [state, expected] of [
      [files, ['lost.md']],
      [linked, []],
      [twice, []],
      [{ ...twice, 'a.md': '# A' }, []],
      [files, ['lost.md']],
    ] as const)
      expect(await found(project, state, 'page-orphan')).toEqual(expected)
    expect(project.pool.rendered).toEqual(['b.md'])
  })
})

describe('pages that look the same', () => {
  test('are told beside each other in the navigation, and not elsewhere', async () => {
    const page = '---\ntitle: Overview\n---\nx'
    const files = {
      'docs.json': navigated(['a/one', 'a/two', { group: 'B', pages: ['b/one'] }]),
      'a/one.md': page,
      'a/two.md': page,
      'b/one.md': page,
    }
    expect(await found(new TestProject(), files, 'title-repeated')).toEqual(['a/two.md'])
  })
})

test('every warning has the name of a rule and says what to do', async () => {
  const { warnings } = await new TestProject().build({
    'docs.json': navigated(['index', 'none'], { navbar: { link: [], primary: { lable: 'x', href: '/' } }, theme: 'x' }),
    'index.md': '# Home\n[a](/gone) [b](#gone) ![c](/gone.png)',
    'x.exe': 'x',
  })
  expect(warnings.map(({ rule, pointer }) => [rule, pointer])).toEqual([
    ['file-unpublished', undefined],
    ['navigation-missing', '/navigation/pages/1'],
    ['setting-unknown', '/navbar/link'],
    ['setting-unknown', '/navbar/primary/lable'],
    ['setting-ignored', '/theme'],
    ['link-broken', undefined],
    ['anchor-broken', undefined],
    ['file-missing', undefined],
  ])
  for (const { rule = '', hint } of warnings) {
    expect(Object.keys(rules)).toContain(rule)
    expect(hint).toMatch(/\.$/)
  }
})

test('of more than a thousand warnings the others are counted', async () => {
  const links = Array.from({ length: 1200 }, (_, index) => `[x](/gone-${index})`).join('\n')
  const { warnings } = await new TestProject().build({ 'index.md': links })
  expect([warnings.length, countOf(warnings)]).toEqual([1001, 1200])
})

describe('a site of another documentation system', () => {
  const page = { 'docs/intro.md': '# Intro' }
  const messages = async (files: Record<string, string>): Promise<string[]> => {
    const { warnings } = await new TestProject().build({ ...page, ...files })
    return warnings.filter(({ rule }) => rule === 'framework-found').map(({ message, hint }) => `${message} ${hint}`)
  }

  test.each([
    ['Docusaurus', 'website/docusaurus.config.ts'],
    ['VitePress', 'docs/.vitepress/config.mts'],
    ['MkDocs', 'mkdocs.yml'],
    ['GitBook', '.gitbook.yaml'],
    ['GitBook', 'docs/SUMMARY.md'],
    ['Starlight', 'src/content/docs/index.mdx'],
    ['Nextra', 'content/guide/_meta.ts'],
    ['Docusaurus', 'docs/guide/_category_.json'],
  ])('of %s is told by %s, with the command that moves it', async (name, sign) => {
    const [message, ...others] = await messages({ [sign]: 'x' })
    expect(message).toContain(`This is a site of ${name} (${sign})`)
    expect(message).toContain('quire import <folder> --to docs')
    expect(others).toEqual([])
  })

  test('is one only where there is no docs.json, and no example in a folder is one', async () => {
    expect(await messages({ 'mkdocs.yml': 'x', 'docs.json': navigated(['docs/intro']) })).toEqual([])
    expect(await messages({ 'examples/site/mkdocs.yml': 'x', 'node_modules/a/SUMMARY.md': 'x' })).toEqual([])
  })
})
