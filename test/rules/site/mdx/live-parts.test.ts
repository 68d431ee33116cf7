import { describe, expect, it } from 'vitest'
import { render } from '#test/support/site/mdx/render-text.ts'

const codeOf = (page: Awaited<ReturnType<typeof render>>): string =>
  page.islands?.flatMap(({ modules }) => modules.map(({ code }) => code)).join('\n') ?? ''
const island = /<q-island [^>]*data-quire-export="([^"]+)"(?: data-quire-props="([^"]*)")?>(.*?)<\/q-island>/gs

describe('parts of a page that need JavaScript where they stand', () => {
  it('are an element with its handler, around what it holds', async () => {
    const page = await render('<button className="x" onClick={() => alert("hi")}>Press **me**</button>\n')
    expect([...page.artifact.html.matchAll(island)].map((match) => match.slice(1))).toEqual([
      [
        '$$0',
        '{&quot;children&quot;:{&quot;$slot&quot;:0}}',
        '<button class="x" disabled type="button"><q-slot style="display:contents" data-quire-slot="0">Press <strong>me</strong></q-slot></button>',
      ],
    ])
    expect(codeOf(page)).toContain('onClick={() => alert("hi")')
    expect(page.summary.warnings).toEqual([])
  })

  it('are one file for all of a page', async () => {
    const page = await render('<button onClick={() => 1}>a</button>\n\nText.\n\n<b onClick={() => 2}>b</b>\n')
    expect(page.islands).toHaveLength(1)
    expect([...page.artifact.html.matchAll(island)].map(([, name]) => name)).toEqual(['$$0', '$$1'])
  })

  it('stay the same when the words around them change', async () => {
    const [one, other] = [
      await render('<button onClick={() => 1}>a</button>\n'),
      await render('# Title\n\nWords.\n\n<button onClick={() => 1}>other *words*</button>\n'),
    ]
    expect(one.islands).toEqual(other.islands)
  })

  it('keep options in their list', async () => {
    const page = await render(
      '<select onChange={(event) => alert(event.target.value)}>\n  <option value="a">One</option>\n  <option value="b">Two</option>\n</select>\n',
    )
    expect(page.artifact.html).toContain(
      '<select disabled><option value="a">One</option><option value="b">Two</option></select>',
    )
    expect(codeOf(page)).toContain('<option value={"a"}>{"One"}</option>')
  })

  it('give functions to components', async () => {
    const page = await render(
      'export const Demo = ({ render, onPick, children }) => {\n  const [x] = useState(1)\n  return <div onClick={() => onPick(x)}>{render(x)}{children}</div>\n}\n\n<Demo render={(x) => <b>{x}</b>} onPick={(x) => alert(x)}>\n\nSome *words*\n\n</Demo>\n',
    )
    expect([...page.artifact.html.matchAll(island)].map(([, , , shown]) => shown)).toEqual([
      '<div><b>1</b><q-slot style="display:contents" data-quire-slot="0"><p>Some <em>words</em></p></q-slot></div>',
    ])
    expect(page.summary.warnings).toEqual([])
  })

  it('are expressions that make elements with handlers, or that only a browser knows', async () => {
    const page = await render(
      '{[1, 2].map((n) => <button key={n} onClick={() => alert(n)}>{n}</button>)}\n\nIt is {new Date().getFullYear()}.\n',
    )
    expect([...page.artifact.html.matchAll(island)].map(([, , , shown]) => shown)).toEqual([
      '<button disabled type="button">1</button><button disabled type="button">2</button>',
      '',
    ])
  })

  it('know what a snippet was given', async () => {
    const page = await render('import Greet from "/greet.mdx"\n\n<Greet name="Ada" />\n', {
      'greet.mdx': '<button onClick={() => alert(name)}>Greet</button>\n',
    })
    expect(page.artifact.html).toContain('{&quot;$&quot;:{&quot;name&quot;:&quot;Ada&quot;}')
  })

  it('are no buttons where they cannot run, and say so', async () => {
    const page = await render(
      'import { x } from "lodash"\n\nWords.\n\n  <button className="b" onClick={x}>Press</button>\n',
    )
    expect(page.artifact.html).toContain('<span class="b">Press</span>')
    expect(page.islands).toBeUndefined()
    expect(page.summary.warnings).toMatchObject([
      {},
      { path: 'guide/page.mdx', line: 5, column: 3, rule: 'script-needed' },
    ])
  })

  it('do not call what nobody has', async () => {
    const page = await render('Here is {load(1)}.\n')
    expect(page.islands).toBeUndefined()
    expect(page.summary.warnings).toMatchObject([{ rule: 'script-needed', message: expect.stringContaining('`load`') }])
  })

  it('and components cannot run beside an import of a file that is not there, and the page stays', async () => {
    for (const part of ['<button onClick={() => 1}>Press</button>', '<Own />']) {
      const own = 'export const Own = () => { const [n] = useState(1); return <b>{n}</b> }'
      const page = await render(`import { gone } from "/gone.jsx"\n\n${own}\n\n${part}\n`)
      expect(page.islands).toBeUndefined()
      expect(page.summary.warnings).toMatchObject([
        { rule: 'include-missing' },
        { rule: 'script-needed', message: expect.stringContaining('an import of `/gone.jsx`, which is not there') },
      ])
    }
  })

  it('do not ask files for what those do not export', async () => {
    const page = await render('import { gone } from "/a.jsx"\n\n<b onClick={() => gone()}>b</b>\n', {
      'a.jsx': 'export const here = 1\n',
    })
    expect(page.islands).toBeUndefined()
    expect(page.summary.warnings).toMatchObject([{ message: expect.stringContaining('does not export') }])
  })

  it('are none where browsers would put an island elsewhere: in tables, drawings and lists of tabs', async () => {
    for (const [written, shown] of [
      ['<table><tbody><tr onClick={() => 1}><td>a</td></tr></tbody></table>', '<tbody><tr><td>a</td></tr></tbody>'],
      ['<table><tbody><tr><td onClick={() => 1}>a</td></tr></tbody></table>', '<tr><td>a</td></tr>'],
      ['<svg viewBox="0 0 9 9"><circle r="3" onClick={() => 1} /></svg>', '<svg viewBox="0 0 9 9"><circle r="3">'],
      ['<Tabs><Tab title="a" onClick={() => 1}>x</Tab></Tabs>', '<div class="q-tabs" data-tabs><section'],
      ['<Tabs onClick={() => 1}><Tab title="a">x</Tab></Tabs>', '<div class="q-tabs" data-tabs><section'],
    ] as const) {
      const page = await render(`${written}\n`)
      expect(page.artifact.html).toContain(shown)
      expect(page.summary.warnings).toEqual([expect.objectContaining({ rule: 'script-needed' })])
    }
    const inside = await render(
      '<table><tbody><tr><td><button onClick={() => 1}>a</button></td></tr></tbody></table>\n',
    )
    expect(inside.artifact.html).toMatch(/<td><q-island [^>]*><button/)
    expect(inside.summary.warnings).toEqual([])
  })

  it('are shown as they begin where a component with a state stands directly in a table or a drawing, and told', async () => {
    const row = 'export const Row = () => { const [n] = useState(3); return <tr><td><Count />{n}</td></tr> }\n'
    const count = 'export const Count = () => { const [n] = useState(1); return <b>{n}</b> }\n'
    for (const [written, shown] of [
      ['<table><tbody><Row /></tbody></table>', '<tbody><tr><td><b>1</b>3</td></tr></tbody>'],
      ['<table><tbody>{[1].map(() => <Row />)}</tbody></table>', '<tbody><tr><td><b>1</b>3</td></tr></tbody>'],
    ] as const) {
      const page = await render(`${row}${count}\n${written}\n`)
      expect(page.artifact.html).toContain(shown)
      expect(page.summary.warnings.map(({ rule, message }) => [rule, message])).toEqual([
        ['script-needed', expect.stringContaining('cannot stand directly in <tbody>')],
      ])
    }
    const inside = await render(
      `${count}\n<table><tbody><tr><td><Count /></td></tr>{[1].map(() => <tr><td><Count /></td></tr>)}</tbody></table>\n`,
    )
    expect(inside.artifact.html.match(/<td><q-island [^>]*><b>1<\/b>/g)).toHaveLength(2)
    expect(inside.summary.warnings).toEqual([])
  })

  it('show nothing first where only a browser knows what stands in a list', async () => {
    const page = await render(
      'Words\n\n<select onChange={() => 1}><option>{new Date().getFullYear()}</option></select>\n',
    )
    expect([...page.artifact.html.matchAll(island)].map(([, , , shown]) => shown)).toEqual([''])
    expect(codeOf(page)).toContain('{new Date().getFullYear()')
  })

  it('that load something while they run are no button', async () => {
    const page = await render('<button onClick={() => import("/a.js")}>Press</button>\n')
    expect(page.artifact.html).toContain('<span>Press</span>')
    expect(page.summary.warnings[0]?.message).toContain('it imports while it runs')
  })
})
