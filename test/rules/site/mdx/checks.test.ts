import { describe, expect, it } from 'vitest'
import { render } from '#test/support/site/mdx/render-text.ts'

/** What is told of a page: rule, line and message. */
async function told(text: string, files: Record<string, string> = {}, path?: string): Promise<unknown[]> {
  const { summary } = await render(text, files, path)
  return summary.warnings.map(({ rule, line, message }) => [rule, line, message])
}

describe('pictures without words', () => {
  it('are told, as Markdown and as elements', async () => {
    expect(await told('![](/a.png)\n\n<img src="/b.png" />\n')).toEqual([
      ['alt-missing', 1, 'The picture /a.png has no alternative text.'],
      ['alt-missing', 3, 'The picture /b.png has no alternative text.'],
    ])
    expect(await told('<img src="/b.png">\n', {}, 'page.md')).toHaveLength(1)
  })

  it('are fine where their author decided so, or named them in another way', async () => {
    const fine = [
      '![A chart](/a.png)',
      '<img src="/a.png" alt="" />',
      '<img src="/a.png" alt />',
      '<img src="/a.png" role="presentation" />',
      '<img src="/a.png" aria-hidden="true" />',
      '<img src="/a.png" aria-labelledby="x" />',
      '{["a", "b"].map((name) => <img src={`/${name}.png`} alt={name} />)}',
    ]
    expect(await told(fine.join('\n\n'))).toEqual([])
    expect(await told('<img src="/a.png" alt="">\n', {}, 'page.md')).toEqual([])
  })

  it('are not told where only a browser knows their words', async () => {
    expect(await told('<img src="/a.png" alt={window.name} />')).toEqual([])
  })
})

describe('properties of components', () => {
  it('that there are not are told, with the one that was meant', async () => {
    expect(await told('<Card titel="x" hrf="/a" data-x="1">y</Card>')).toEqual([
      ['component-property', 1, '`<Card>` has no property `titel`: it does nothing. Did you mean `title`?'],
      ['component-property', 1, '`<Card>` has no property `hrf`: it does nothing. Did you mean `href`?'],
      ['component-property', 1, '`<Card>` has no property `data-x`: it does nothing.'],
    ])
  })

  it('whose value is none of their choices are told, with the choices', async () => {
    const { summary } = await render('<Badge color="purpel">x</Badge>')
    expect(summary.warnings).toMatchObject([
      {
        rule: 'component-value',
        message: expect.stringMatching(/^`color` of `<Badge>` cannot be `purpel`: .* one of gray, blue, /),
        hint: 'Write `purple`.',
      },
    ])
  })

  it('that are known under another name, or mean what is done anyway, are fine', async () => {
    const fine = [
      '<Card icon="flag" iconLibrary="lucide" key="a">x</Card>',
      '<ParamField name="a" initialValue="1">x</ParamField>',
      '<Badge size="md" shape="rounded" color="Blue">x</Badge>',
      '<Callout type="success">x</Callout>',
      '<Steps titleSize="p"><Step title="x" titleSize="p">y</Step></Steps>',
    ]
    expect(await told(fine.join('\n\n'))).toEqual([])
  })

  it('are not judged where nobody wrote them there, or where the component is the author’s', async () => {
    const own = 'export const Tip = ({ colour }) => <b>{colour}</b>\n\nexport const all = { title: "t", other: 1 }\n\n'
    expect(
      await told(`${own}<Tip colour="red" />\n\n<Card {...all} />\n\n{[all].map((one) => <Card {...one} />)}`),
    ).toEqual([])
  })
})

describe('fields of the front matter', () => {
  it('that are misspelt are told, with the one that was meant', async () => {
    expect(await told('---\ntitel: A\ndesciption: b\nsidebar_title: c\n---\nx')).toEqual([
      ['front-matter-name', 2, expect.stringContaining('Did you mean `title`?')],
      ['front-matter-name', 3, expect.stringContaining('Did you mean `description`?')],
      ['front-matter-name', 4, expect.stringContaining('Did you mean `sidebarTitle`?')],
    ])
  })

  it('that would restrict a page say that it is not restricted', async () => {
    expect(await told('---\ntitel: A\ngroups: ["admin"]\n---\n![](/a.png)')).toEqual([
      ['front-matter-name', 2, expect.any(String)],
      ['page-unrestricted', 3, expect.stringContaining('whoever may read the site reads this page')],
      ['alt-missing', 5, expect.any(String)],
    ])
    expect(await told('---\ngroups: admin\n---\n{frontmatter.groups}')).toEqual([
      ['page-unrestricted', 2, expect.any(String)],
    ])
    expect(await told('---\ngroups: []\n---\nx')).toEqual([])
  })

  it('that do something elsewhere and nothing here say what that would be', async () => {
    expect(await told('---\npublic: true\nboost: -3\nrelated:\n  - /a\n---\nx')).toEqual([
      ['front-matter-ignored', 2, expect.stringContaining('to everybody')],
      ['front-matter-value', 3, expect.stringContaining('a number above 0')],
      ['front-matter-ignored', 4, expect.stringContaining('list other pages')],
    ])
    expect(await told('---\nrelated: false\n---\nx')).toEqual([])
    expect(await told('---\nrelated: [/a]\n---\n{frontmatter.related}')).toEqual([])
  })

  it('that cannot be read are told, and have no effect', async () => {
    const text = '---\ncanonical: javascript:alert(1)\nlastUpdatedDate: yesterday\ncontextual: none\n---\nx'
    expect(await told(text)).toEqual(
      [2, 3, 4].map((line) => ['front-matter-value', line, expect.stringContaining('it is ignored')]),
    )
    const { artifact, summary } = await render(text)
    expect(artifact).not.toMatchObject({ canonical: expect.anything() as unknown })
    expect(summary.written).toBeUndefined()
  })

  it('that name options which no menu has say what those would do', async () => {
    const page = '---\ncontextual:\n  options: [copy, devin, { title: A, href: /b }]\n---\nx'
    expect(await told(page)).toEqual([
      ['front-matter-ignored', 2, expect.stringContaining('open the page in Devin')],
      ['front-matter-ignored', 2, expect.stringContaining('no option of its own')],
    ])
    expect((await render(page)).artifact.actions).toEqual(['copy'])
  })

  it('that are of the author’s own, or of other generators, are fine', async () => {
    const fields = [
      'tags: [a]',
      'tag: b',
      'author: c',
      'titles: d',
      'slug: e',
      'layout: f',
      'sidebar_position: 1',
      'icons: g',
    ]
    expect(await told(`---\n${fields.join('\n')}\n---\nx`)).toEqual([])
    expect(await told('---\ntitle: A\ntitel: B\n---\nx')).toEqual([])
    expect(await told('---\ntitel: A\n---\n{frontmatter.titel}')).toEqual([])
  })
})

it('tells at most a hundred places of a page, and how many more there are', async () => {
  const warnings = await told(Array.from({ length: 130 }, (_, index) => `![](/${index}.png)\n`).join('\n'))
  expect(warnings).toHaveLength(101)
  expect(warnings.at(-1)).toEqual([undefined, undefined, '… and 30 more here.'])
})
