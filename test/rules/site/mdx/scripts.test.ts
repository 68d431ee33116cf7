import { describe, expect, it } from 'vitest'
import { errors, html, render } from '#test/support/site/mdx/render-text.ts'

describe('components in files of their own', () => {
  it('are shown as those of a page, by their names and by default', async () => {
    const files = {
      'snippets/price.jsx':
        'const unit = "EUR"\nfunction Small({ children }) {\n  return <small>{children}</small>\n}\n\nexport const Price = ({ amount }) => <b>{amount} <Small>{unit}</Small></b>\nexport default function Free() {\n  return <i>free</i>\n}\n',
    }
    const page =
      'import Free, { Price as Cost } from "/snippets/price.jsx"\nimport * as all from "../snippets/price"\n\n<Cost amount={5} />\n\n<Free />\n\n<all.Price amount={6} />\n'
    expect(await html(page, files)).toBe('<b>5 <small>EUR</small></b>\n<i>free</i>\n<b>6 <small>EUR</small></b>')
  })

  it('may be TypeScript', async () => {
    const files = {
      'snippets/list.tsx':
        'import type { ReactNode } from "react"\ninterface Entry { name: string; at?: number }\ntype Props = { entries: Entry[]; children?: ReactNode }\n\nexport function List<T extends Entry>({ entries, children }: Props & { kind?: T }): ReactNode {\n  const names = entries.map((entry: Entry) => (entry as Entry).name!) satisfies string[]\n  return <ul>{names.map((name) => <li key={name}>{name}</li>)}{children}</ul>\n}\n',
    }
    expect(
      await html(
        'import { List } from "/snippets/list.tsx"\n\n<List entries={[{ name: "a" }, { name: "b" }]} />',
        files,
      ),
    ).toBe('<ul><li>a</li><li>b</li></ul>')
  })

  it('hand on what other files have', async () => {
    const files = {
      'snippets/all.js': 'export { A as B } from "./a.jsx"\n',
      'snippets/a.jsx': 'export const A = () => <b>a</b>\n',
    }
    expect(await html('import { B } from "/snippets/all.js"\n\n<B />', files)).toBe('<b>a</b>')
  })

  it('that cannot be read are named with their line', async () => {
    const files = {
      'snippets/x.jsx': 'export const X = () => {\n  return <b>\n}\n',
      'snippets/y.tsx': 'const a: = 1\n',
      'snippets/z.jsx': 'const a = f(0\n  return 1\n',
    }
    expect((await errors('import { Z } from "/snippets/z.jsx"\n\n<Z />', files))[0]).toBe(
      'snippets/z.jsx:2:3 This is not valid JavaScript: Unexpected token.',
    )
    expect((await errors('import { X } from "/snippets/x.jsx"\n\n<X />', files))[0]).toMatch(
      /^snippets\/x\.jsx:\d+:\d+ This is not valid JavaScript/,
    )
    expect((await errors('import { Y } from "/snippets/y.tsx"\n\n<Y />', files))[0]).toMatch(
      /^snippets\/y\.tsx:1:10 This is not valid TypeScript/,
    )
  })

  it('are dependencies of their page', async () => {
    const files = {
      'snippets/a.jsx': 'import { b } from "./b"\nexport const A = () => <b>{b}</b>\n',
      'snippets/b.ts': 'export const b: number = 1',
    }
    const page = await render('import { A } from "/snippets/a.jsx"\n\n<A />', files)
    expect(page.dependencies).toEqual(
      [
        ['snippets/a.jsx', 'oid of snippets/a.jsx'],
        ['snippets/b.jsx', null],
        ['snippets/b.js', null],
        ['snippets/b.ts', 'oid of snippets/b.ts'],
        ['snippets/b.tsx', null],
      ].sort(([a], [b]) => ((a ?? '') < (b ?? '') ? -1 : 1)),
    )
  })
})
