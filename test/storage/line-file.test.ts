import { readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { openLineFile, type LineFile, type Position } from '../../src/storage/line-file.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { failingFileSystem } from './failing-file-system.ts'

async function freshPath(): Promise<string> {
  return join(await temporaryDirectory(), 'below', 'lines.jsonl')
}

async function openAt(path: string, fs = failingFileSystem()): Promise<LineFile> {
  const file = await openLineFile(path, fs)
  onTestFinished(() => file.close())
  return file
}

async function scanned(file: LineFile): Promise<{ text: string; position: Position }[]> {
  const lines: { text: string; position: Position }[] = []
  await file.scan((text, position) => lines.push({ text, position }))
  return lines
}

const texts = async (file: LineFile): Promise<string[]> => (await scanned(file)).map(({ text }) => text)

test('lines come back by their place and by a scan, in order, also after the file is opened again', async () => {
  const path = await freshPath()
  // Longer than a chunk of the scan, and with characters of two to four bytes.
  const line = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.replaceAll('\n', ' '))
  const long = fc.integer({ min: 60_000, max: 140_000 }).map((length) => 'é'.repeat(length))
  let written: string[] = []
  const file = await openAt(path)
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 20, arbitrary: line }, { weight: 1, arbitrary: long })),
      async (lines) => {
        const positions = await file.append(lines)
        written = [...written, ...lines]
        expect(await Promise.all(positions.map((position) => file.read(position)))).toEqual(lines)
      },
    ),
    { numRuns: 30 },
  )
  expect(await texts(file)).toEqual(written)
  await file.close()
  const again = await openAt(path)
  const all = await scanned(again)
  expect(all.map(({ text }) => text)).toEqual(written)
  for (const { text, position } of all) expect(await again.read(position)).toBe(text)
})

test('lines that many append at once are all there, those of one call together', async () => {
  const file = await openAt(await freshPath())
  const calls = Array.from({ length: 200 }, (_, at) => [`${at} a`, `${at} b`])
  await Promise.all(calls.map((lines) => file.append(lines)))
  expect(await texts(file)).toEqual(calls.flat())
})

test.each([
  ['a line without its end', 'whole\nha', ['whole']],
  ['nothing but a line without its end', 'ha', []],
  ['zeros that the file was stretched by', `whole\n${'\0'.repeat(70_000)}`, ['whole']],
])('what a crash left, %s, is cut off at the next opening', async (_name, left, kept) => {
  const path = await freshPath()
  await (await openAt(path)).close()
  await writeFile(path, left)
  const file = await openAt(path)
  await file.append(['next'])
  expect(await texts(file)).toEqual([...kept, 'next'])
})

test('a file cut at any byte keeps every line that is whole', async () => {
  const path = await freshPath()
  const first = await openAt(path)
  await first.append(['one', 'two', 'three'])
  await first.close()
  const bytes = await readFile(path)
  for (let length = 0; length <= bytes.length; length++) {
    await writeFile(path, bytes)
    await truncate(path, length)
    const file = await openAt(path)
    const whole = bytes.subarray(0, length).toString().split('\n').slice(0, -1)
    expect(await texts(file)).toEqual(whole)
    await file.close()
  }
})

test.each(['write', 'short', 'append', 'sync'] as const)(
  'a disk that fails at %s refuses the lines and leaves no trace of them',
  async (step) => {
    const path = await freshPath()
    const fs = failingFileSystem()
    const file = await openAt(path, fs)
    await file.append(['before'])
    // A flush fails once: cutting back flushes too, and that is another test.
    fs.failAt(step, step === 'sync' ? 1 : undefined)
    await expect(file.append(['a line that is lost', 'and another'])).rejects.toMatchObject({ code: 'unavailable' })
    fs.failAt(null)
    expect(await readFile(path, 'utf8')).toBe('before\n')
    await file.append(['after'])
    expect(await texts(file)).toEqual(['before', 'after'])
  },
)

test('half a write that cannot be taken back is taken back before the next one', async () => {
  const path = await freshPath()
  const fs = failingFileSystem()
  const file = await openAt(path, fs)
  await file.append(['before'])
  fs.failAt('cut')
  await expect(file.append(['a line of which half is written'])).rejects.toMatchObject({ code: 'unavailable' })
  expect(await readFile(path, 'utf8')).not.toBe('before\n')
  await expect(file.append(['another'])).rejects.toMatchObject({ code: 'unavailable' })
  expect(await texts(file)).toEqual(['before'])
  fs.failAt(null)
  await file.append(['after'])
  expect(await readFile(path, 'utf8')).toBe('before\nafter\n')
})

test.each(['open', 'directory'] as const)('a new file is refused while the disk fails at %s', async (step) => {
  const path = await freshPath()
  const fs = failingFileSystem()
  fs.failAt(step)
  await expect(openLineFile(path, fs)).rejects.toMatchObject({ code: 'unavailable' })
  fs.failAt(null)
  const file = await openAt(path, fs)
  await file.append(['line'])
  expect(await texts(file)).toEqual(['line'])
})

test('a closed file, a line with an end in it and a place beyond the end are mistakes of the program', async () => {
  const path = await freshPath()
  const file = await openAt(path)
  await expect(file.append(['a\nb'])).rejects.toThrow('line feed')
  await expect(file.read({ offset: 0, length: 1 })).rejects.toThrow(RangeError)
  const last = file.append(['last'])
  await file.close()
  await last
  await expect(file.append(['c'])).rejects.toThrow('closed')
  expect(await readFile(path, 'utf8')).toBe('last\n')
})
