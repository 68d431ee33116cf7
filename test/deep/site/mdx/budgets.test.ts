import type { Expression } from 'estree-jsx'
import { describe, expect, it } from 'vitest'
import { makeGlobals } from '#site/mdx/interpreter/globals.ts'
import { Interpreter } from '#site/mdx/interpreter/interpreter.ts'
import { listMethods, numberMethods, textMethods } from '#site/mdx/interpreter/operations.ts'
import { Budget, BudgetExceeded, Native, NeedsScript, Scope, type Item } from '#site/mdx/interpreter/values.ts'
import { errors, html, render } from '#test/support/site/mdx/render-text.ts'

/** Processor time that the calls below may take, in milliseconds: several times what the dearest take. */
const mostCpuMs = 2000
/**
 * Milliseconds of the clock for hundreds of such calls: a machine that others use gives a tenth of its time. It is the
 * processor's that is judged.
 */
const patienceMs = 600_000
/** A tenth of what a page can call within its steps: enough to see what is not charged. */
const mostCalls = 1500

const noJsx = {
  jsx: () => {
    throw new Error('there is no markup here')
  },
}

const place = { loc: { start: { line: 1, column: 0 } }, start: 0, end: 0 } as const
const named = (name: string) => ({ type: 'Identifier', name, ...place }) as const

/** Calls something again and again, as a page would, until its budget is used up. Processor time in milliseconds. */
function exhaust(values: Readonly<Record<string, Item>>, expression: Expression): number {
  const interpreter = new Interpreter(new Budget(), noJsx)
  const scope = new Scope()
  for (const [name, value] of Object.entries(values)) scope.define(name, value)
  const before = process.cpuUsage()
  const spentMs = (): number => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
  for (let calls = 0; calls < mostCalls && spentMs() < mostCpuMs; calls++) {
    try {
      interpreter.evaluate(expression, scope)
    } catch (error) {
      if (error instanceof BudgetExceeded || error instanceof NeedsScript) break
      throw error
    }
  }
  return spentMs()
}

function methodCall(name: string, count: number): Expression {
  const callee = {
    type: 'MemberExpression',
    object: named('self'),
    property: named(name),
    computed: false,
    optional: false,
  }
  const list = Array.from({ length: count }, (_, index) => named(`a${index}`))
  return { type: 'CallExpression', callee, arguments: list, optional: false, ...place } as unknown as Expression
}

/** Ten members in each of so many levels, all the same list: small to write, large to walk. */
function nested(levels: number, leaf: Item): Item {
  let list = leaf
  for (let level = 0; level < levels; level++) list = Array.from({ length: 10 }, () => list)
  return list
}

const long = 'a'.repeat(199_000)
const needle = `${'a'.repeat(99_000)}b`
const members = Array.from({ length: 9000 }, (_, index) => `${long}${index}`)

/** What methods are called on. */
const selves: Readonly<Record<string, Item>> = {
  'a long text': long,
  'a text of pairs': '\u{1F600}'.repeat(90_000),
  'no text': '',
  'a list of long texts': members,
  'lists in lists': nested(7, 'x'),
  'empty lists in lists': nested(7, []),
  'an empty list': [],
  'a number': 1.5,
  'a large number': 1e308,
}

/** What they are called with. */
const odd: readonly Item[] = [undefined, null, true, Number.NaN, Infinity, -1, 0.5, 1e9, 1e308]
const texts: readonly Item[] = ['', 'a', needle, long, '1e999', nested(7, 'x'), nested(7, []), members]
const argumentLists: readonly (readonly Item[])[] = [
  [],
  ...[...odd, ...texts].map((one) => [one]),
  ...odd.flatMap((one) => [
    [one, 'ab'],
    [needle, one],
  ]),
  ['a', needle],
  ['', 'ab'],
  [nested(7, 'x'), nested(7, 'x')],
  [new Native('String', ([item]) => item)],
]

const methods = [...new Set([...textMethods.keys(), ...listMethods.keys(), ...numberMethods.keys()])]

/** Functions with names of their own: `Object.keys`, and those that can be called themselves. */
const functions = [...makeGlobals(new Interpreter(new Budget(), noJsx))].flatMap(([name, item]) => {
  if (!(item instanceof Native)) return []
  const called = [...item.members].flatMap(([member, inner]) => (inner instanceof Native ? [`${name}.${member}`] : []))
  return item.call === undefined ? called : [name, ...called]
})

describe('a budget', () => {
  it.each([Number.NaN, Infinity, -Infinity, -1])('refuses %s of anything, and goes on counting', (amount) => {
    for (const charge of ['text', 'list', 'work', 'html'] as const) {
      const budget = new Budget()
      expect(() => budget[charge](amount, () => ({ path: '', line: 1, column: 1 }))).toThrow(BudgetExceeded)
      expect(() => {
        for (let count = 0; count <= 50_000; count++) budget.step(() => ({ path: '', line: 1, column: 1 }))
      }).toThrow('more than 50000 steps')
    }
  })
})

describe('whatever it is called on and with,', { timeout: patienceMs }, () => {
  it.each(methods)('`%s` ends within the budget of a page', (name) => {
    for (const [what, self] of Object.entries(selves)) {
      for (const args of argumentLists) {
        const values = Object.fromEntries([['self', self], ...args.map((arg, index) => [`a${index}`, arg] as const)])
        const cpuMs = exhaust(values, methodCall(name, args.length))
        expect(cpuMs, `${what}, argument ${argumentLists.indexOf(args)}`).toBeLessThan(mostCpuMs)
      }
    }
  })

  it.each(functions)('`%s` ends within the budget of a page', (name) => {
    const [first = '', member] = name.split('.')
    const callee =
      member === undefined
        ? named(first)
        : { type: 'MemberExpression', object: named(first), property: named(member), computed: false, optional: false }
    const pairs = Array.from({ length: 9000 }, (_, index) => [`k${index}`, 1])
    const object = Object.assign(Object.create(null), Object.fromEntries(pairs)) as Item
    for (const self of [...Object.values(selves), ...odd, ...texts, pairs, object]) {
      const expression = { type: 'CallExpression', callee, arguments: [named('self')], optional: false, ...place }
      expect(exhaust({ self }, expression as unknown as Expression)).toBeLessThan(mostCpuMs)
    }
  })

  it.each(['===', '!==', '==', '!=', '<', '>=', '+', '-', '**'])(
    '`%s` ends within the budget of a page',
    (operator) => {
      const expression = { type: 'BinaryExpression', operator, left: named('a'), right: named('b'), ...place }
      for (const [a, b] of [
        [long, `${long.slice(1)}a`],
        [`${long}1`, `${long}2`],
        [nested(7, 'x'), nested(7, 'x')],
        [long, 1],
        ['9'.repeat(199_000), '9'.repeat(199_000)],
      ] as const)
        expect(exhaust({ a, b }, expression as unknown as Expression)).toBeLessThan(mostCpuMs)
    },
  )
})

describe('what a page shows', { timeout: patienceMs }, () => {
  /** Seven lists in each other, each ten times the same: ten million members. */
  const nesting = Array.from({ length: 8 }, (_, level) => {
    const inner = level === 0 ? '"x"' : `l${level - 1}`
    return `export const l${level} = [${Array.from({ length: 10 }, () => inner).join(', ')}]`
  }).join('\n')
  const tooMuch = /more than \d+ steps|read, compare and copy too much|MB of HTML|characters|members/

  it.each([
    ['lists in lists', '{l7}'],
    ['lists in lists of empty lists', '{l7.map((one) => [l6, []])}'],
    ['lists as a property', '<Card title={l7}>x</Card>'],
    ['lists as an attribute', '<b className={l7} title={l7}>x</b>'],
    ['lists in a fragment', '{<>{l7}</>}'],
    ['lists through a component', '{(() => { const C = ({ children }) => <>{children}</>; return <C>{l7}</C> })()}'],
    ['lists as text', '{`${l7}`}'],
    ['lists as JSON', '{JSON.stringify(l7)}'],
  ])('of %s is charged', async (_what, shown) => {
    const before = process.cpuUsage()
    const messages = await errors(`${nesting}\n\n${shown}\n`).catch(() => ['it is shown'])
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(mostCpuMs)
    if (!_what.includes('attribute')) expect(messages[0]).toMatch(tooMuch)
  })

  it('of fragments in fragments is charged', async () => {
    const doubling = Array.from(
      { length: 40 },
      (_, level) => `export const f${level + 1} = <>{f${level}}{f${level}}</>`,
    )
    const source = `export const f0 = <b>text</b>\n${doubling.join('\n')}\n\n{f40}\n`
    expect((await errors(source))[0]).toMatch(tooMuch)
  })

  it('of long texts again and again is charged', async () => {
    const source = `export const text = "a".repeat(200000)\nexport const many = [..."x".repeat(1000)]\n\n{many.map(() => text)}\n`
    expect((await errors(source))[0]).toMatch(tooMuch)
    const markup = `export const part = <b>{"a".repeat(200000)}</b>\nexport const many = [..."x".repeat(1000)]\n\n{many.map(() => part)}\n`
    expect((await errors(markup))[0]).toMatch(tooMuch)
  })

  it('of a text that is padded to no length is the text', async () => {
    expect(await html(`{'x'.padEnd(0/0)}{'y'.padStart(-5)}{'z'.padEnd(3, '.')}`)).toBe('x\ny\nz..')
    expect(
      (await errors(`{'x'.padEnd(0/0)}{[...'a'.repeat(9000)].map(() => [...'a'.repeat(9000)].length)}`))[0],
    ).toMatch(tooMuch)
  })

  it('of an ordinary page is far within the budget', async () => {
    const rows = Array.from({ length: 200 }, (_, index) => `{ name: "row ${index}", text: "${'word '.repeat(40)}" }`)
    const source = `export const rows = [${rows.join(', ')}]

{rows.filter(({ name, text }) => name.includes("row") && text.indexOf("word") === 0).map(({ name, text }) => (
  <Card key={name} title={name.toUpperCase()}>{text.split(" ").slice(0, 5).join(" ").padEnd(30)}</Card>
))}
`
    const page = await render(source)
    expect(page.artifact.html).toContain('ROW 199')
  })
})
