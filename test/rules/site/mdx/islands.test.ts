import { describe, expect, it } from 'vitest'
import { render } from '#test/support/site/mdx/render-text.ts'

const counter = `export const Counter = ({ start = 0, children }) => {
  const [count, setCount] = useState(start)
  useEffect(() => {
    document.title = String(count)
  }, [count])
  return (
    <div className="box">
      <button onClick={() => setCount(count + 1)}>Add</button> {count}
      {children}
    </div>
  )
}
`
const element =
  /<q-island style="display:contents" data-quire-island="([\da-f]{16})" data-quire-export="([^"]+)"(?: data-quire-props="([^"]*)")?>(.*)<\/q-island>/s

describe('components with JavaScript', () => {
  it('show at first what they begin with, with controls that do nothing yet', async () => {
    const page = await render(`${counter}\n<Counter start={3} />\n`)
    const [, id, name, props, shown] = element.exec(page.artifact.html) ?? []
    expect([name, props, shown]).toEqual([
      '$Counter',
      '{&quot;start&quot;:3}',
      '<div class="box"><button disabled type="button">Add</button> 3</div>',
    ])
    expect(page.islands?.map((source) => source.id)).toEqual([id])
    expect(page.summary.warnings).toEqual([])
  })

  it('are made of the code alone: what is written around them changes nothing', async () => {
    const [one, other, third] = [
      await render(`${counter}\n<Counter />\n`),
      await render(`# Title\n\nText.\n\n${counter}\nMore.\n\n<Counter start={9} />\n`),
      await render(`${counter.replace('Add', 'More')}\n<Counter />\n`),
    ]
    expect(other.islands).toEqual(one.islands)
    expect(third.islands?.[0]?.id).not.toBe(one.islands?.[0]?.id)
  })

  it('bring all files that they import, each once', async () => {
    const files = {
      'snippets/a.jsx':
        'import React, { useState } from "react"\nimport { b } from "./b"\nimport "./style.css"\nimport logo from "/logo.png"\nexport default function A() {\n  const [x] = React.useState(b)\n  useEffect(() => {})\n  return <i>{x}{logo}</i>\n}\n',
      'snippets/b.ts': 'export const b: number = 1\n',
      'snippets/style.css': '',
      'logo.png': '',
    }
    const page = await render('import A from "/snippets/a.jsx"\n\n<A />\n\n<A />\n', files)
    expect(page.artifact.html.match(element)?.slice(2, 4)).toEqual(['default', undefined])
    expect(page.islands).toHaveLength(1)
    expect(page.islands?.[0]?.modules.map(({ path, imports }) => [path, imports])).toEqual([
      [
        'snippets/a.jsx',
        {
          react: 'react',
          './b': 'snippets/b.ts',
          './style.css': 'asset:/snippets/style.css',
          '/logo.png': 'asset:/logo.png',
        },
      ],
      ['snippets/b.ts', {}],
    ])
  })

  it('get markup in slots, and text as text', async () => {
    const page = await render(
      `${counter}\n<Counter start={1}>\n\n**Strong**\n\n</Counter>\n\n<Counter>just text</Counter>\n`,
    )
    expect(page.artifact.html).toContain(
      'data-quire-props="{&quot;start&quot;:1,&quot;children&quot;:{&quot;$slot&quot;:0}}"',
    )
    expect(page.artifact.html).toContain(
      '<q-slot style="display:contents" data-quire-slot="0"><p><strong>Strong</strong></p></q-slot></div></q-island>',
    )
    expect(page.artifact.html).toContain('data-quire-props="{&quot;children&quot;:&quot;just text&quot;}"')
  })

  it('keep markup that they do not show at first', async () => {
    const toggle =
      'export const Toggle = ({ children }) => {\n  const [open, set] = useState(false)\n  return <div><button onClick={() => set(!open)}>x</button>{open && children}</div>\n}\n'
    const page = await render(`${toggle}\n<Toggle>\n\n**In**\n\n</Toggle>\n`)
    expect(page.artifact.html).toContain(
      '</div><template><q-slot style="display:contents" data-quire-slot="0"><p><strong>In</strong></p></q-slot></template></q-island>',
    )
  })

  it('that only a browser can run have nothing to show at first', async () => {
    const page = await render('export const Year = () => <b>{new Date().getFullYear()}</b>\n\n<Year />\n')
    expect(page.artifact.html).toMatch(element)
    expect(element.exec(page.artifact.html)?.[4]).toBe('')
  })

  it('that only a browser can run show at first what they hold', async () => {
    const page = await render(
      'export const Year = ({ children }) => <b>{new Date().getFullYear()}{children}</b>\n\n<Year>\n\nSome **words**\n\n</Year>\n',
    )
    expect(element.exec(page.artifact.html)?.[4]).toBe(
      '<q-slot style="display:contents" data-quire-slot="0"><p>Some <strong>words</strong></p></q-slot>',
    )
  })

  it('are one island with the components that they use', async () => {
    const page = await render(
      `${counter}\nexport const Two = () => {\n  const [x] = useState(1)\n  return <div><Counter start={x} /><Counter /></div>\n}\n\n<Two />\n`,
    )
    expect(page.artifact.html.match(/data-quire-island/g)).toHaveLength(1)
  })

  it('are islands of their own in components without JavaScript', async () => {
    const page = await render(
      `${counter}\nexport const Two = ({ at }) => <div><Counter start={at} /><Counter start={at + 1} /></div>\n\n<Card title="x"><Two at={4} /></Card>\n`,
    )
    expect(page.artifact.html.match(/data-quire-props="[^"]*"/g)).toEqual([
      'data-quire-props="{&quot;start&quot;:4}"',
      'data-quire-props="{&quot;start&quot;:5}"',
    ])
  })

  it('that ask for what is not there are left out, with a warning', async () => {
    const page = await render(
      'import { x } from "lodash"\nexport const A = () => {\n  useEffect(() => x())\n  return <b>a</b>\n}\n\n<A />\n\nexport const B = () => { useEffect(() => import("./b.js")); return <b>b</b> }\n\n<B />\n',
    )
    expect(page.islands).toBeUndefined()
    expect(page.artifact.html).not.toContain('q-island ')
    expect(page.summary.warnings.map(({ line, rule }) => [line, rule])).toEqual([
      [1, 'script-needed'],
      [7, 'script-needed'],
    ])
  })

  it('do not let a page write what an island is made with', async () => {
    const page = await render(
      '<div data-quire-island="0123456789abcdef" data-quire-export="$X">a</div>\n\n<q-island data-quire-props="{}">b</q-island>\n',
    )
    expect(page.artifact.html).not.toContain('data-quire-')
  })
})
