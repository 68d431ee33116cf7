import { expect, it } from 'vitest'
import { patched } from '#authoring/patch.ts'
import { presentDiff } from '#branching/present.ts'
import { fork } from '#test/support/content/workshop.ts'

const numbers = (count: number, edits: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: count }, (_, index) => `${edits[index + 1] ?? index + 1}\n`).join('')

const cases: readonly (readonly [name: string, before: string, after: string])[] = [
  ['a new file', '', 'one\ntwo\n'],
  ['a file without a line feed at its end', 'one\ntwo', 'one\nthree'],
  ['a line feed that comes', 'one', 'one\n'],
  ['a line feed that goes', 'one\n', 'one'],
  ['carriage returns', 'one\r\ntwo\r\n', 'one\r\nthree\r\nfour\r\n'],
  ['changes far apart', numbers(90), numbers(90, { 2: 'two', 45: 'a\nb', 90: 'last' })],
  ['lines that come between', numbers(40), numbers(40, { 20: '20\nmore' })],
  ['lines that come first', numbers(40), `zero\n${numbers(40)}`],
  ['lines that go', numbers(40), numbers(40).replace('20\n21\n', '')],
  ['all lines gone', numbers(3), ''],
  ['only a carriage return within a line', 'a\rb\nc\n', 'a\rB\nc\n'],
]

it('a text with the changes of a diff is the other side’s', async () => {
  const known = cases.filter(([, before]) => before !== '').map(([name, before]) => [name, before])
  const edited = cases.map(([name, , after]) => [name, after])
  const { repository, base, branch } = await fork(Object.fromEntries(known), {}, Object.fromEntries(edited))
  const files = new Map((await repository.diff(base, branch)).map((file) => [file.path, file]))
  for (const [name, before, after] of cases) {
    const file = files.get(name)
    expect(file === undefined ? undefined : patched(before, presentDiff(file).hunks), name).toBe(after)
  }
})
