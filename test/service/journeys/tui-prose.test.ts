import { inDepth } from '#test/support/depth.ts'
import { afterAll, expect, it } from 'vitest'
import { ProseRenderer } from '#cli/tui/mdx/prose.ts'

const renderer = new ProseRenderer()
afterAll(() => renderer.close())

const shown = async (text: string): Promise<readonly [string[], readonly string[]]> => {
  const { rows, notes } = await renderer.render({ text, format: 'mdx', width: 40 })
  return [rows.map(({ line }) => line.map((span) => span.text).join('')), notes]
}

it('renders a page in a process of its own, however long it is', async () => {
  expect(await shown('# Hello')).toEqual([['Hello', '━━━━━'], []])
  const [rows] = await shown('a\n\n'.repeat(2_000))
  expect(rows).toHaveLength(3_999)
})

inDepth('survives pages that are made to end it, or to keep it busy', async () => {
  const open = '{['
  for (const text of [
    `<a b={${'['.repeat(25_000)} />`,
    open.repeat(50_000),
    '<a>'.repeat(30_000),
    '> '.repeat(20_000),
  ]) {
    await shown(text)
    expect(await shown('fine')).toEqual([['fine'], []])
  }
})

inDepth('answers all who ask at once, each with its own page', async () => {
  const pages = await Promise.all(['one', '<a b={' + '['.repeat(25_000), 'three'].map(shown))
  expect(pages[0]?.[0]).toEqual(['one'])
  expect(pages[2]?.[0]).toEqual(['three'])
})

it('says so where it cannot be started', async () => {
  const { rows, notes } = await new ProseRenderer('/no/such/program.js').render({ text: 'a', format: 'md', width: 9 })
  expect(rows).toEqual([])
  expect(notes).toEqual(['The preview of this page failed.'])
})
