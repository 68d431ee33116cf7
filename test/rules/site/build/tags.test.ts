import { describe, expect, it } from 'vitest'
import { limits } from '#contract/limits.ts'
import { oidOf, type Files } from '#test/support/site/support/project.ts'
import { type Tag, TaggedProject as AnyTaggedProject } from '#test/support/site/support/tagged-project.ts'

const navigation = (...versions: object[]) => ({ versions: [{ version: 'v2', pages: ['index'] }, ...versions] })
const docs = (value: object) => JSON.stringify({ name: 'Docs', ...value })
const own: Files = {
  'docs.json': docs({ navigation: navigation({ version: 'v1', gitTag: 'v1.0.0' }) }),
  'index.md': '# Home',
}

class TaggedProject extends AnyTaggedProject {
  override files = own
}

const first: Tag = {
  commit: 'c1',
  files: {
    'docs.json': docs({ navigation: { pages: ['index', 'a'] } }),
    'index.md': '# Old home\n[gone](/gone)',
    'a.md': '---\ntitle: A\nwarn: old\ninclude: snippets/s.md\n---\n',
    'snippets/s.md': 'A part.',
    'notes.psd': 'x',
  },
}

describe('a version from a tag', () => {
  it('is listed, read and rendered once while its tag stays, and told no warnings of', async () => {
    const project = new TaggedProject()
    const { warnings, errors, pages, site } = await project.with({ 'v1.0.0': first })
    expect([warnings, errors, pages.built]).toEqual([[], [], 3])
    expect(site?.tags).toEqual({ 'v1.0.0': 'c1' })
    expect(Object.keys(site?.routes ?? {})).toEqual(expect.arrayContaining(['/', '/v1', '/v1/a', '/v1/a.md']))
    const again = await project.with({ 'v1.0.0': first }, { ...own, 'index.md': '# Home again' })
    expect([again.pages.built, project.listed]).toEqual([1, []])
    expect(project.reads.filter((oid) => oid !== oidOf('# Home again'))).toEqual([])
    project.newBuilder()
    const restarted = await project.with({ 'v1.0.0': first }, { ...own, 'index.md': '# Home again' })
    expect([restarted.pages.built, project.listed]).toEqual([0, ['c1']])
  })

  it('renders of another tag what differs, with what it includes', async () => {
    const project = new TaggedProject()
    await project.with({ 'v1.0.0': first })
    const moved = { commit: 'c2', files: { ...first.files, 'snippets/s.md': 'Another part.' } }
    const { pages, site } = await project.with({ 'v1.0.0': moved })
    expect([pages.built, project.pool.rendered, site?.tags]).toEqual([1, ['a.md'], { 'v1.0.0': 'c2' }])
  })

  it('shows pages of a folder anew that moved into a tag: their links lead elsewhere', async () => {
    const project = new TaggedProject()
    const page = { 'a.md': '# A\n[home](/)' }
    const versions = navigation({ version: 'v1', pages: ['v1/a'] })
    await project.with({}, { ...own, 'docs.json': docs({ navigation: versions }), 'v1/a.md': page['a.md'] })
    const { pages } = await project.with({ 'v1.0.0': { commit: 'c1', files: page } })
    expect(pages).toMatchObject({ total: 2, built: 1 })
  })

  it('without docs.json has the navigation of its folders', async () => {
    const project = new TaggedProject()
    const files = { 'README.md': '# Old', 'guide/b.md': '# B', 'guide/a.md': '# A' }
    const { errors } = await project.with({ 'v1.0.0': { commit: 'c1', files } })
    expect(errors).toEqual([])
    const section = project.shell().sections.find(({ switches }) => switches[0]?.label === 'v1')
    expect(section).toMatchObject({
      href: '/v1',
      items: [
        { title: 'Old', href: '/v1' },
        { title: 'Guide', items: [{ href: '/v1/guide/a' }, { href: '/v1/guide/b' }] },
      ],
    })
  })

  it('brings its redirects, and no anchors, tags or versions of its own', async () => {
    const project = new TaggedProject()
    const inner = {
      navigation: {
        global: { anchors: [{ anchor: 'Blog', href: 'https://example.com' }] },
        versions: [
          { version: 'old', gitTag: 'v0' },
          {
            version: 'new',
            default: true,
            tabs: [
              { tab: 'T', pages: ['index'] },
              { tab: 'Out', href: '/a' },
            ],
          },
        ],
      },
      redirects: [
        { source: '/was', destination: '/a' },
        { source: '/far', destination: 'https://example.com/' },
      ],
    }
    const { errors, site } = await project.with({
      'v1.0.0': { commit: 'c1', files: { ...first.files, 'docs.json': docs(inner) } },
    })
    expect(errors).toEqual([])
    expect(site?.redirects).toEqual(
      expect.arrayContaining([
        { from: '/v1/was', to: '/v1/a', status: 308 },
        { from: '/v1/far', to: 'https://example.com/', status: 308 },
      ]),
    )
    const { sections, anchors } = project.shell()
    expect(anchors).toEqual([])
    expect(sections.map(({ switches, href }) => [switches.map(({ label }) => label).join(' '), href])).toEqual([
      ['v2', '/'],
      ['v1 T', '/v1'],
      ['v1 Out', '/v1/a'],
    ])
  })

  it('is an error at its place where it cannot be shown, and left out where nobody can tell', async () => {
    const project = new TaggedProject()
    const gone = await project.with({})
    expect(gone.errors).toMatchObject([
      {
        path: 'docs.json',
        pointer: '/navigation/versions/1/gitTag',
        message: expect.stringContaining('no tag v1.0.0'),
      },
    ])
    const linking = {
      ...own,
      'index.md': '# Home\n[old](/v1/a) [wrong](/v2/a)',
      'docs.json': docs({
        navigation: navigation({ version: 'v1', gitTag: 'v1.0.0' }),
        redirects: [{ source: '/old', destination: '/v1/a' }],
      }),
    }
    const unknown = await project.with({ 'v1.0.0': undefined }, linking)
    expect([unknown.errors, unknown.pages.total]).toEqual([[], 1])
    // What it may have nobody can miss.
    expect(unknown.warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('v1.0.0 cannot be looked at here'),
      expect.stringContaining('/v2/a leads nowhere'),
    ])
    const broken = { commit: 'c1', files: { 'index.md': 'BROKEN' } }
    expect((await project.with({ 'v1.0.0': broken })).errors).toEqual([
      { path: 'v1/index.md', line: 1, column: 1, message: 'In the tag v1.0.0: It is broken.' },
    ])
    const withConfig = (config: object) =>
      project.with({ 'v1.0.0': { commit: docs(config), files: { 'index.md': '# Old', 'docs.json': docs(config) } } })
    expect((await withConfig({ redirects: [{ source: 1 }] })).errors).toMatchObject([
      { message: expect.stringContaining('docs.json of the tag v1.0.0 has an error') },
    ])
    // Of the settings that are not used nothing is asked.
    expect((await withConfig({ colors: { primary: 'red' }, navigation: { pages: ['index'] } })).errors).toEqual([])
    const many = Object.fromEntries(Array.from({ length: limits.files }, (_, index) => [`${index}.txt`, 'x']))
    expect((await project.with({ 'v1.0.0': { commit: 'c1', files: many } })).errors).toMatchObject([
      { message: expect.stringContaining(`more than ${limits.files} files`) },
    ])
    const taken = await project.with({ 'v1.0.0': first }, { ...own, 'V1/x.md': '# X' })
    expect(taken.errors).toMatchObject([{ message: expect.stringContaining('where the project has a folder') }])
    const clash = await project.with({ 'v1.0.0': first }, { ...own, 'v1.md': '# One' })
    expect(clash.errors).toMatchObject([{ message: expect.stringContaining('index.md of the tag v1.0.0 and v1.md') }])
  })

  it('counts with all other tags as one docs.json does', async () => {
    const project = new TaggedProject()
    const half = Array.from({ length: limits.configValues / 2 + 10 }, () => 'index')
    const tag = (commit: string) => ({
      commit,
      files: { 'index.md': '# Old', 'docs.json': docs({ navigation: { pages: half } }) },
    })
    const files = {
      ...own,
      'docs.json': docs({
        navigation: navigation({ version: 'v1', gitTag: 'one' }, { version: 'v0', gitTag: 'two' }),
      }),
    }
    const both = { one: tag('c1'), two: tag('c2') }
    expect((await project.with(both, files)).errors).toMatchObject([
      { message: expect.stringContaining(`The docs.json of the tag two has an error`) },
    ])
    const tabs = Array.from({ length: 999 }, (_, index) => ({ tab: `t${index}`, href: '/' }))
    const wide = { commit: 'c3', files: { 'index.md': '# Old', 'docs.json': docs({ navigation: { tabs } }) } }
    expect((await project.with({ one: wide, two: tag('c2') }, files)).errors).toMatchObject([
      { message: expect.stringContaining('more than 1000 tabs') },
    ])
  })
})
