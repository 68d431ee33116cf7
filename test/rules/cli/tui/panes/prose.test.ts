import { describe, expect, it } from 'vitest'
import { plainRows } from '#cli/tui/mdx/prose/render.ts'
import type { ProseRenderer, ProseRequest, RenderedProse } from '#cli/tui/mdx/prose.ts'
import { ProsePane } from '#cli/tui/panes/prose.ts'

/** Renders when it is told to. */
class HeldRenderer {
  readonly requests: ProseRequest[] = []
  readonly #answers: (() => void)[] = []

  render(request: ProseRequest): Promise<RenderedProse> {
    this.requests.push(request)
    const notes = request.text.includes('!') ? ['Line 1: no.'] : []
    return new Promise((resolve) => {
      this.#answers.push(() => resolve({ rows: plainRows(request.text, request.width), notes }))
    })
  }

  async answer(): Promise<void> {
    this.#answers.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function paneWith(options: { readonly follow?: boolean } = {}): {
  pane: ProsePane
  renderer: HeldRenderer
  changes: () => number
} {
  const renderer = new HeldRenderer()
  let changes = 0
  const pane = new ProsePane({ onChange: () => changes++, renderer: renderer as unknown as ProseRenderer, ...options })
  return { pane, renderer, changes: () => changes }
}

const drawn = (pane: ProsePane, height = 3): string[] =>
  pane.draw({ width: 21, height }).map((line) => line.map(({ text }) => text).join(''))
const key = (name: string) => ({ type: 'key' as const, key: { name, ctrl: false, alt: false, shift: false } })
const numbers = (to: number): string => Array.from({ length: to }, (_, index) => String(index)).join('\n')

describe('the prose pane', () => {
  it('shows a text when it is rendered, for its width', async () => {
    const { pane, renderer, changes } = paneWith()
    pane.show('one')
    drawn(pane)
    await renderer.answer()
    expect(renderer.requests).toEqual([{ text: 'one', format: 'mdx', width: 20 }])
    expect(drawn(pane)).toEqual(['one'])
    expect(changes()).toBe(1)
  })

  it('keeps what was there until the newest is ready, and leaves out what came between', async () => {
    const { pane, renderer } = paneWith()
    pane.show('one')
    drawn(pane)
    await renderer.answer()
    pane.show('two')
    pane.show('three')
    pane.show('four')
    expect(drawn(pane)).toEqual(['one'])
    await renderer.answer()
    await renderer.answer()
    expect(drawn(pane)).toEqual(['four'])
    expect(renderer.requests.map(({ text }) => text)).toEqual(['one', 'two', 'four'])
  })

  it('scrolls by keys and wheel, never beyond its ends', async () => {
    const { pane, renderer } = paneWith()
    pane.show(numbers(10))
    drawn(pane)
    await renderer.answer()
    pane.input(key('down'))
    expect(drawn(pane)).toEqual(['1', '2', '3'])
    pane.input(key('end'))
    expect(drawn(pane)).toEqual(['7', '8', '9'])
    const mouse = { button: 'none', row: 0, column: 0, shift: false, ctrl: false, alt: false } as const
    pane.input({ type: 'mouse', mouse: { ...mouse, action: 'wheelUp' } })
    expect(drawn(pane)).toEqual(['4', '5', '6'])
    pane.input(key('home'))
    expect(drawn(pane)).toEqual(['0', '1', '2'])
    expect(pane.input(key('x'))).toBe(false)
  })

  it('goes along with a line of the source, also when that is rendered later', async () => {
    const { pane, renderer } = paneWith()
    pane.show(numbers(20))
    pane.scrollTo(12)
    drawn(pane)
    await renderer.answer()
    expect(drawn(pane)).toEqual(['11', '12', '13'])
    pane.scrollTo(5)
    expect(drawn(pane)).toEqual(['4', '5', '6'])
  })

  it('stays at the end of a text that grows, unless somebody has scrolled up', async () => {
    const { pane, renderer } = paneWith({ follow: true })
    pane.append(numbers(5))
    drawn(pane)
    await renderer.answer()
    expect(drawn(pane)).toEqual(['2', '3', '4'])
    pane.append('\n5')
    await renderer.answer()
    expect(drawn(pane)).toEqual(['3', '4', '5'])
    pane.input(key('home'))
    pane.append('\n6')
    await renderer.answer()
    expect(drawn(pane)).toEqual(['0', '1', '2'])
  })

  it('tells above the text what was not understood', async () => {
    const { pane, renderer } = paneWith()
    pane.show('a!')
    drawn(pane)
    await renderer.answer()
    expect(drawn(pane)).toEqual(['! Line 1: no.', 'a!'])
  })
})
