import { describe, expect, it } from 'vitest'
import { fillVariables, pageOptions } from '#site/build/page-options.ts'
import { Problems } from '#site/config/problems.ts'
import { PageRenderer } from '#site/mdx/page.ts'
import { TestProject } from '#test/support/site/support/project.ts'

const filled = (source: string, variables: Record<string, string | number>): string =>
  fillVariables(Buffer.from(source), pageOptions({ settings: { variables } })).toString()

describe('variables', () => {
  it('stand wherever their names do: in text, code, attributes and front matter', () => {
    const source = '---\ntitle: Kettle {{ version }}\n---\n`{{api-url}}/a` <A href="{{api-url}}" /> {{version}}'
    expect(filled(source, { version: 2, 'api-url': 'https://a.example' })).toBe(
      '---\ntitle: Kettle 2\n---\n`https://a.example/a` <A href="https://a.example" /> 2',
    )
  })

  it('leave other braces as they are', () => {
    const source = "<a style={{ color: 'red' }}>{{other}} { {version} } {{}}</a>"
    expect(filled(source, { version: '2' })).toBe(source)
  })

  it('are not looked for in what they stand for', () => {
    expect(filled('{{a}}', { a: '{{b}}', b: '{{a}}' })).toBe('{{b}}')
  })

  it('make no page longer than it may be, and no work beyond its length', () => {
    const source = '{{a}}'.repeat(100_000)
    expect(filled(source, { a: 'x'.repeat(2000) }).length).toBeLessThan(5 * 1024 * 1024)
    expect(filled('{{'.repeat(500_000), { a: 'x' })).toHaveLength(1_000_000)
  })

  it('with names that no page can write are a warning', () => {
    const problems = new Problems()
    pageOptions({ settings: { variables: { 'two words': 'x', ok: 'y' } } }, problems)
    expect(problems.warnings).toMatchObject([{ pointer: '/variables/two words' }])
  })

  it('build pages anew when they change, and only then', async () => {
    const project = new TestProject()
    const files = (version: string) => ({
      'docs.json': JSON.stringify({ variables: { version } }),
      'index.mdx': '{{version}}',
    })
    expect((await project.build(files('1'))).pages.built).toBe(1)
    expect((await project.build(files('1'))).pages.built).toBe(0)
    expect((await project.build(files('2'))).pages.built).toBe(1)
    expect(
      (await project.build({ ...files('2'), 'docs.json': '{"variables":{"version":"2"},"name":"x"}' })).pages.built,
    ).toBe(0)
  })
})

describe('the library of icons', () => {
  const rendered = async (icons?: string): Promise<string> => {
    const renderer = new PageRenderer(() => Promise.resolve(null))
    const job = { path: 'a.mdx', oid: 'a', source: Buffer.from('<Icon icon="house" />') }
    const outcome = await renderer.render({ ...job, ...(icons === undefined ? {} : { icons }) })
    return outcome.ok ? outcome.page.artifact.html : ''
  }

  it('is looked through first, on the pages of that site alone', async () => {
    expect(await rendered()).not.toContain('stroke')
    expect(await rendered('lucide')).toContain('stroke')
    expect(await rendered()).not.toContain('stroke')
  })
})
