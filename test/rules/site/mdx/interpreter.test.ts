import { describe, expect, it } from 'vitest'
import { errors, html, render } from '#test/support/site/mdx/render-text.ts'

/** Expression → what a reader sees. */
const shown: readonly (readonly [expression: string, text: string])[] = [
  ['1 + 2 * 3', '7'],
  ['"a" + 1', 'a1'],
  ['`x${1 + 1}y`', 'x2y'],
  ['[1, 2, 3].map((n) => n * 2).join("-")', '2-4-6'],
  ['[1, 2, 3, 4].filter((n) => n % 2 === 0).length', '2'],
  ['["b", "a"].sort().join()', 'a,b'],
  ['[3, 1, 2].sort((a, b) => a - b)[0]', '1'],
  ['[[1], [2]].flat().reduce((sum, n) => sum + n, 0)', '3'],
  ['"Hello".toUpperCase().slice(1, 3)', 'EL'],
  ['"a,b".split(",")[1]', 'b'],
  ['"aXbX".replaceAll("X", "$&")', 'a$&amp;b$&amp;'],
  ['({ a: { b: "deep" } }).a.b', 'deep'],
  ['({ a: 1 })?.b?.c ?? "none"', 'none'],
  ['null?.x.y.z', ''],
  ['true && "yes"', 'yes'],
  ['false', ''],
  ['0 || "zero"', 'zero'],
  ['(({ a, ...rest }) => Object.keys(rest).join())({ a: 1, b: 2, c: 3 })', 'b,c'],
  ['((a, b = 2, ...more) => a + b + more.length)(1, undefined, 7, 8)', '5'],
  ['(() => { const [x, y] = [1, 2]; if (x > y) return "gt"; return "le" })()', 'le'],
  ['Object.entries({ a: 1 }).map(([key, value]) => `${key}=${value}`)', 'a=1'],
  ['JSON.stringify({ a: [1, "x", null] })', '{&quot;a&quot;:[1,&quot;x&quot;,null]}'],
  ['Math.max(1, 5, 3)', '5'],
  ['[..."héllo"].length', '5'],
  ['typeof {}', 'object'],
  ['(1234.5).toFixed(2)', '1234.50'],
  ['["a", "", "b"].filter(Boolean).length', '2'],
  ['[1, 2].includes(2) ? "has" : "has not"', 'has'],
  ['Array.isArray([]) && !Array.isArray({})', ''],
]

/** Expressions that need a JavaScript engine, and what the warning says of them. */
const refused: readonly (readonly [expression: string, reason: RegExp])[] = [
  ['process.env.SECRET', /uses `process`/],
  ['globalThis', /uses `globalThis`/],
  ['fetch("http://127.0.0.1")', /uses `fetch`/],
  ['[].constructor', /reads `constructor`/],
  ['[]["con" + "structor"]', /reads `constructor`/],
  ['"".__proto__', /reads `__proto__`/],
  ['({}).constructor.constructor("return 1")()', /`constructor`/],
  ['(() => {}).prototype', /reads `prototype`/],
  ['(() => {}).call()', /calls something/],
  ['"x".constructor("y")', /calls `constructor`/],
  ['({ __proto__: { a: 1 } })', /sets `__proto__`/],
  ['({ ["__proto__"]: { a: 1 } })', /sets `__proto__`/],
  ['Object.fromEntries([["__proto__", 1]])', /something else than pairs/],
  ['Object.getPrototypeOf({})', /uses `Object.getPrototypeOf`/],
  ['Object.assign({}, {})', /uses `Object.assign`/],
  ['/a+/.test("a")', /regular expression/],
  ['new Map()', /`new`/],
  ['(() => { for (;;) {} })()', /for statement/],
  ['(() => { while (true) {} })()', /while statement/],
  ['(() => { let x = 1; x = 2; return x })()', /assigns/],
  ['(() => { let x = 1; return x++ })()', /assigns/],
  ['(async () => 1)()', /async/],
  ['(function* () {})()', /generator/],
  ['(class {})', /class/],
  ['this', /this/],
  ['import("fs")', /imports/],
  ['import.meta.url', /import\.meta/],
  ['`${{}}`', /no text/],
  ['({ a: 1 })', /shows an object/],
  ['(() => 1)', /shows a function/],
  ['"a".match("b")', /calls `match`/],
  ['[1].push(2)', /calls `push`/],
  ['undefined.x', /reads `x` of undefined/],
  ['String.raw`x`', /tagged template/],
  ['10n', /big integer/],
  ['delete {}.a', /`delete`/],
]

/** Expressions that ask for too much. */
const exceeded: readonly (readonly [expression: string, message: RegExp])[] = [
  ['"a".repeat(100 * 1024 * 1024)', /text of more than 200000/],
  ['"a".padEnd(1e9)', /text of more than 200000/],
  ['"ab".repeat(100000).split("")', /list of more than 10000/],
  ['((f) => f(f))((f) => f(f))', /more than 200 deep/],
  ['[..."a".repeat(300)].map((a) => [..."b".repeat(300)].map((b) => b).length)', /more than 50000 steps/],
  [
    '(() => { const a = [..."x".repeat(200)]; const b = a.map(() => a); return b.map(() => b).flat(3).length })()',
    /list of more than 10000/,
  ],
  ['(() => { const a = "x".repeat(200000); return [..."y".repeat(200)].map(() => a + "").length })()', /characters/],
]

describe('expressions', () => {
  it.each(shown)('shows %s as %s', async (expression, text) => {
    expect(await html(`X{${expression}}X`)).toBe(`<p>X${text}X</p>`)
  })

  it.each(refused)('leaves %s out', async (expression, reason) => {
    const page = await render(`X {${expression}} Y`)
    expect(page.artifact.html).toBe('<p>X <span class="q-island">…</span> Y</p>')
    expect(page.refused).toHaveLength(1)
    expect(page.summary.warnings[0]?.message).toMatch(reason)
    expect(page.summary.warnings[0]).toMatchObject({ path: 'guide/page.mdx', line: 1, column: 3 })
  })

  it.each(exceeded)('refuses %s', async (expression, message) => {
    expect((await errors(`# x\n\n{${expression}}`))[0]).toMatch(message)
    expect((await errors(`# x\n\n{${expression}}`))[0]).toMatch(/^guide\/page\.mdx:3:\d+ /)
  })

  it('evaluates exports when something uses them', async () => {
    const source = 'export const bad = window.x\nexport const good = [1, 2]\n\n{good.length}\n'
    const page = await render(source)
    expect(page.artifact.html).toBe('2')
    expect(page.summary.warnings).toEqual([])
  })

  it('runs components that are pure functions', async () => {
    const source =
      'export const Price = ({ amount, unit = "EUR", children }) => {\n  const text = `${amount} ${unit}`\n  return <b className="price">{text}{children}</b>\n}\n\n<Price amount={5}> a month</Price>\n'
    expect(await html(source)).toBe('<b class="price">5 EUR a month</b>')
  })

  it('sees the components that an expression makes', async () => {
    const written = await html('<Tabs>{["A", "B"].map((name) => <Tab title={name} key={name}>{name}!</Tab>)}</Tabs>')
    expect(written).toContain('A!')
    expect(written.match(/role="tab"/g) ?? written.match(/q-tab/g)).not.toBeNull()
  })

  it('does not take a title that only a browser could know', async () => {
    const page = await render('# {process.x}', {}, 'a-page.mdx')
    expect(page.artifact).toMatchObject({ title: 'A page', html: expect.stringMatching(/^<h1 .*q-island/) })
    expect(page.refused).toHaveLength(1)
  })

  it('knows the front matter as data', async () => {
    expect(await html('---\ntitle: T\nlist: [a, b]\n---\n\n{frontmatter.title} is {frontmatter.list.join("+")}')).toBe(
      '<p>T is a+b</p>',
    )
  })

  it('keeps prototypes of the host out of reach and clean', async () => {
    await render('{Object.prototype.polluted = "x"}\n\n{({}).__proto__.polluted}')
    expect(({} as { polluted?: string }).polluted).toBeUndefined()
    expect(await html('X{({}).toString ?? "none"}{[].push ?? "none"}X')).toBe('<p>XnonenoneX</p>')
  })
})
