import xterm from '@xterm/headless'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { widthOf } from '#cli/tui/canvas/width.ts'
import type { Line, Style } from '#cli/tui/canvas/style.ts'
import { Screen } from '#cli/tui/terminal/screen.ts'
import type { Frame } from '#cli/tui/terminal/terminal.ts'
import { createTheme } from '#cli/tui/terminal/theme.ts'

const theme = createTheme({ depth: '256', shade: 'dark', italic: true })
const size = { width: 20, height: 4 }

/** A screen whose writes are kept; slow: until `drained` is called. */
function kept(options: { readonly size?: { width: number; height: number }; readonly slow?: boolean } = {}) {
  const writes: string[] = []
  const waiting: (() => void)[] = []
  const screen = new Screen(
    {
      write: (text, written) => {
        writes.push(text)
        if (options.slow === true) waiting.push(written)
        else written()
      },
    },
    theme,
    options.size ?? size,
  )
  screen.start()
  return { screen, writes, drained: () => waiting.shift()?.() }
}

function input(screen: Screen, frame: Frame): void {
  screen.hold()
  screen.draw(frame)
  screen.release()
}

const text = (...rows: readonly string[]): Line[] => rows.map((row) => [{ text: row }])

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a change', () => {
  it('is written without what stands already', () => {
    const { screen, writes } = kept()
    input(screen, { rows: text('Hello, world', 'second'), cursor: { row: 0, column: 5 } })
    input(screen, { rows: text('Hello, World', 'second'), cursor: { row: 0, column: 6 } })
    expect(writes[1]).toBe('\u001B[?25l\u001B[1;8H\u001B[mW\u001B[1;7H\u001B[?25h')
  })

  it('of nothing writes nothing', () => {
    const { screen, writes } = kept()
    input(screen, { rows: text('a'), cursor: { row: 0, column: 0 } })
    input(screen, { rows: text('a'), cursor: { row: 0, column: 0 } })
    expect(writes).toHaveLength(1)
  })

  it('of the cursor alone moves it', () => {
    const { screen, writes } = kept()
    input(screen, { rows: text('abc'), cursor: { row: 0, column: 0 } })
    input(screen, { rows: text('abc'), cursor: { row: 0, column: 2 } })
    expect(writes[1]).toBe('\u001B[1;3H')
    input(screen, { rows: text('abc') })
    expect(writes[2]).toBe('\u001B[?25l')
  })

  it('is one synchronised batch where the terminal knows it', () => {
    const { screen, writes } = kept()
    screen.synchronized = true
    input(screen, { rows: text('abc'), cursor: { row: 0, column: 0 } })
    input(screen, { rows: text('abd'), cursor: { row: 0, column: 0 } })
    expect(writes[1]).toBe('\u001B[?2026h\u001B[1;3H\u001B[md\u001B[1;1H\u001B[?2026l')
  })

  it('costs few bytes for a letter, however large the screen is', () => {
    const { screen, writes } = kept({ size: { width: 300, height: 80 } })
    const rows = Array.from({ length: 80 }, (_, row) => `${'word '.repeat(50)}${row}`)
    const style: Style = { color: 'heading', background: 'selected', bold: true }
    const frame = (first: string): Frame => ({
      rows: rows.map((row, index) => [{ text: index === 40 ? first : '', style }, { text: row }]),
      cursor: { row: 40, column: 1 },
    })
    input(screen, frame('a'))
    input(screen, frame('b'))
    expect(writes[1]?.length).toBeLessThan(80)
  })

  it('never clears the screen', () => {
    const { screen, writes } = kept()
    for (const row of ['one', 'two', '', '漢字', '👩‍🚀'])
      input(screen, { rows: text(row), cursor: { row: 0, column: 0 } })
    expect(writes.join('')).not.toMatch(/\[\d*J/)
  })
})

describe('pace', () => {
  it('shows what an input did at once, and what nobody waits for 60 times a second', () => {
    const { screen, writes } = kept()
    input(screen, { rows: text('key') })
    expect(writes).toHaveLength(1)
    for (const row of ['spin 1', 'spin 2', 'spin 3']) screen.draw({ rows: text(row) })
    expect(writes).toHaveLength(1)
    vi.advanceTimersByTime(20)
    expect(writes).toHaveLength(2)
    expect(writes[1]).toContain('spin 3')
    screen.draw({ rows: text('spin 4') })
    input(screen, { rows: text('key again') })
    expect(writes).toHaveLength(3)
    vi.advanceTimersByTime(100)
    expect(writes).toHaveLength(3)
  })

  it('makes one frame of inputs that came together', () => {
    const { screen, writes } = kept()
    screen.hold()
    for (const row of ['a', 'ab', 'abc']) screen.draw({ rows: text(row) })
    screen.release()
    expect(writes).toHaveLength(1)
    expect(writes[0]).toContain('abc')
  })

  it('drops frames that a slow line has not taken: the last one wins', () => {
    const { screen, writes, drained } = kept({ slow: true })
    for (const row of ['a', 'b', 'c', 'd']) input(screen, { rows: text(row) })
    expect(writes).toHaveLength(1)
    drained()
    expect(writes).toHaveLength(2)
    expect(writes[1]).toContain('d')
    drained()
    expect(writes).toHaveLength(2)
  })
})

describe('a stop', () => {
  it('writes nothing until the start, then everything', () => {
    const { screen, writes } = kept()
    input(screen, { rows: text('a') })
    screen.stop()
    input(screen, { rows: text('b') })
    vi.advanceTimersByTime(100)
    expect(writes).toHaveLength(1)
    screen.start()
    vi.advanceTimersByTime(100)
    expect(writes).toHaveLength(2)
    expect(writes[1]).toContain('b')
  })
})

const styles = fc.constantFrom<Style | undefined>(
  undefined,
  { color: 'heading', bold: true },
  { background: 'selected' },
  { color: 'muted', italic: true },
)
const words = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom('漢字', 'é', 'かな', 'ｗｉｄｅ', '─│', '한글', '   ', ' trailing   '),
)
const line = fc.array(
  fc
    .record({ text: words, style: styles })
    .map((span) => (span.style === undefined ? { text: span.text } : span) as Line[number]),
  { maxLength: 4 },
)
const frames = fc.array(
  fc.record({
    rows: fc.array(line, { maxLength: 6 }),
    cursor: fc.option(fc.record({ row: fc.nat(3), column: fc.nat(19) }), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 6 },
)

describe('any frames', () => {
  /** What a terminal shows after some writes: text and colours. */
  async function shownBy(writes: readonly string[]): Promise<string[]> {
    const terminal = new xterm.Terminal({ cols: size.width, rows: size.height, allowProposedApi: true })
    // As the UI has it.
    await new Promise<void>((resolve) => terminal.write(`\u001B[?7l${writes.join('')}`, resolve))
    const { active } = terminal.buffer
    const rows = Array.from({ length: size.height }, (_, row) => {
      const of = active.getLine(row)
      return Array.from({ length: size.width }, (__, column) => {
        const cell = of?.getCell(column)
        const look = `${cell?.getFgColor()}/${cell?.getBgColor()}/${cell?.isBold()}/${cell?.isItalic()}`
        return `${cell?.getChars() || (cell?.getWidth() === 0 ? '' : ' ')}${look}`
      }).join(' ')
    })
    terminal.dispose()
    return rows
  }

  it('stand on the terminal as if the last had been written alone', async () => {
    vi.useRealTimers()
    await fc.assert(
      fc.asyncProperty(frames, fc.boolean(), async (all, synchronized) => {
        const [changing, alone] = [kept(), kept()]
        changing.screen.synchronized = synchronized
        for (const frame of all) input(changing.screen, frame)
        input(alone.screen, all.at(-1) ?? { rows: [] })
        expect(await shownBy(changing.writes)).toEqual(await shownBy(alone.writes))
      }),
    )
  })

  it('never write beyond the screen, nor what a terminal would obey', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (wild) => {
        const { screen, writes } = kept()
        input(screen, { rows: [[{ text: wild }]] })
        // eslint-disable-next-line no-control-regex
        const rest = writes.join('').replaceAll(/\u001B\[[?\d;]*[A-Za-z]/g, '')
        expect(rest).not.toMatch(/\p{Cc}/u)
      }),
    )
    const { screen, writes } = kept()
    input(screen, { rows: [[{ text: '漢'.repeat(30) }], [], [], [], [{ text: 'beyond' }]] })
    expect(writes.join('')).not.toContain('beyond')
    expect(widthOf(/[漢]+/.exec(writes.join(''))?.[0] ?? '')).toBe(20)
  })
})

describe('a character whose width terminals disagree about', () => {
  it('has its column named behind it, and the row behind it is written again', () => {
    const { screen, writes } = kept()
    input(screen, { rows: text('a👩‍🚀b tail') })
    input(screen, { rows: text('c👩‍🚀b tail') })
    expect(writes[1]).toContain('\u001B[1;1H\u001B[mc  \u001B[2G👩‍🚀\u001B[4Gb tail\u001B[K')
  })
})
