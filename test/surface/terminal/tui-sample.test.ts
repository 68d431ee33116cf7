import { describeInDepth, inDepth } from '#test/support/depth.ts'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Pty, type PtyOptions } from '#test/support/pty.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

/** The UI in its sample project, for which nobody signs in and no service runs, at the branches. */
async function openSample(options: PtyOptions = {}, ...words: readonly string[]): Promise<Pty> {
  const home = await temporaryDirectory()
  const pty = new Pty(['ui', '--sample', ...words], { ...options, environment: { HOME: home, ...options.environment } })
  onTestFinished(() => pty.dispose())
  await pty.shows('plain-words')
  return pty
}

/** On to its first page. */
async function openPage(pty: Pty): Promise<void> {
  pty.key('enter')
  await pty.shows('accordions.mdx')
  pty.key('down', 'enter')
  await pty.shows('title: Accordions')
}

function expectRestored(pty: Pty): void {
  expect(pty.isAlternate).toBe(false)
  expect(pty.modes).toMatchObject({ bracketedPasteMode: false, mouseTrackingMode: 'none', wraparoundMode: true })
}

test('leads from the branches to a page, back, and out', async () => {
  const pty = await openSample()
  await openPage(pty)
  pty.key('escape')
  await pty.lacks('title: Accordions')
  pty.key('ctrl+q')
  expect(await pty.ended()).toBe(0)
  expectRestored(pty)
})

inDepth.each([
  [['--sample']],
  [['--project', 'docs', '--url', 'http://127.0.0.1:1', 'ui', '--sample']],
  [[]],
  [['--project', 'docs', '--url', 'http://127.0.0.1:1']],
])('opens with the words: %j', async (words) => {
  const pty = new Pty(words, { environment: { HOME: await temporaryDirectory() } })
  onTestFinished(() => pty.dispose())
  await pty.shows(words.includes('--sample') ? 'plain-words' : 'Sign in')
  pty.key('ctrl+q')
  expect(await pty.ended()).toBe(0)
})

describeInDepth('sizes', () => {
  test('a window that is too small says so, and a larger one has everything again', async () => {
    const pty = await openSample()
    await openPage(pty)
    pty.resize(40, 12)
    await pty.shows('this window is 40×12')
    pty.resize(80, 24)
    await pty.shows('title: Accordions')
    expect(pty.rows()[0]).toContain('accordions.mdx')
  })

  test.each([
    [80, 24],
    [300, 80],
  ])('%i × %i is filled from the first row to the last', async (width, height) => {
    const pty = await openSample({ width, height })
    expect(pty.rows()[0]).toMatch(/^ Quire {2}Projects › sample/)
    expect(pty.rows()[0]).toHaveLength(width - 1)
    expect(pty.rows().at(-1)).toContain('F1')
  })

  test('a storm of resizes leaves the screen as it would have been without', async () => {
    const [pty, calm] = [await openSample({ width: 100, height: 30 }), await openSample({ width: 100, height: 30 })]
    await Promise.all([openPage(pty), openPage(calm)])
    for (let n = 0; n < 80; n++) pty.resize(30 + ((n * 37) % 150), 8 + ((n * 13) % 50))
    pty.resize(100, 30)
    await calm.settled(300)
    await pty.until(() => pty.screen() === calm.screen(), 'the screen of the calm one')
    expect(pty.cursor).toEqual(calm.cursor)
  })
})

inDepth('a key writes little, and nothing is cleared on the way', async () => {
  const pty = await openSample({ width: 200, height: 50 })
  await openPage(pty)
  await pty.settled(300)
  const before = pty.output.length
  for (let n = 0; n < 20; n++) {
    const { bytes } = pty
    await pty.answered(() => pty.key(n % 4 < 2 ? 'right' : 'left'))
    await pty.settled(20)
    expect(pty.bytes - bytes).toBeLessThan(1500)
  }
  expect(pty.output.slice(before)).not.toContain('\u001B[2J')
  expect(pty.output.slice(before)).not.toContain('\u001B[J')
})

describeInDepth('colours', () => {
  test('are none with NO_COLOR, and what is selected is seen all the same', async () => {
    const pty = await openSample({ environment: { NO_COLOR: '1', COLORTERM: 'truecolor' } })
    expect(pty.output).not.toContain('Warning')
    const cells = pty.rows().flatMap((_, row) => pty.cells(row))
    expect(cells.filter(({ color, background }) => color !== undefined || background !== undefined)).toEqual([])
    expect(pty.cellOf('main').inverse).toBe(true)
  })

  test.each([{ NO_COLOR: '1' }, { NODE_DISABLE_COLORS: '1' }])(
    'are no reason for Node to write a warning into the screen: %o',
    async (environment) => {
      const pty = await openSample({ environment })
      await pty.settled(300)
      expect(pty.output).not.toContain('Warning')
      expect(pty.rows()[0]).toContain('Quire')
    },
  )

  test.each([
    ['dark', '1616/1818/1d1d'],
    ['light', 'ffff/ffff/ffff'],
  ])('follow a %s terminal', async (shade, background) => {
    const asked = await openSample({ environment: { COLORTERM: 'truecolor' }, background })
    const told = await openSample({ environment: { COLORTERM: 'truecolor' } }, '--theme', shade)
    await Promise.all([asked.settled(300), told.settled(300)])
    expect(asked.cellOf('main')).toEqual(told.cellOf('main'))
  })
})

test('a screen reader gets lines, one after another', async () => {
  const home = await temporaryDirectory()
  const pty = new Pty(['ui', '--sample', '--screen-reader'], { environment: { HOME: home }, width: 200 })
  onTestFinished(() => pty.dispose())
  await pty.shows(/main.*1 of 2/)
  pty.key('down')
  await pty.shows(/plain-words.*2 of 2/)
  expect(pty.isAlternate).toBe(false)
  expect(pty.output).not.toContain('\u001B[1;1H')
  pty.key('ctrl+q')
  expect(await pty.ended()).toBe(0)
})

inDepth(
  'colours and the mouse that are chosen inside act at once; --no-mouse leaves the mouse where it is',
  async () => {
    const home = await temporaryDirectory()
    await mkdir(join(home, '.config', 'quire'), { recursive: true })
    await writeFile(join(home, '.config', 'quire', 'ui.json'), '{"mouse":true,"theme":"dark","toured":true}')
    const pty = await openSample({ environment: { HOME: home, COLORTERM: 'truecolor' } }, '--no-mouse')
    expect(pty.modes.mouseTrackingMode).toBe('none')
    pty.key('ctrl+p')
    await pty.shows('Commands')
    pty.type('mouse')
    await pty.shows('Switch the mouse on')
    pty.key('enter')
    await pty.until(() => pty.modes.mouseTrackingMode === 'drag', 'the mouse to be taken')
  },
)
