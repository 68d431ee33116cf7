import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { dist } from '#lib/paths.ts'
import { PathSearch } from '#cli/tui/views/files/path-search.ts'
import { TreePane } from '#cli/tui/panes/tree.ts'
import type { Pty } from '#test/support/pty.ts'
import { exactCpuMs, ownCpuMs, residentMegabytes } from '#scripts/tools/bench/processes.ts'
import { branches, counts, createWorld, files, type World } from './world.ts'

/** Milliseconds of every run, unless the name says something else. */
export interface TuiFigure {
  readonly name: string
  readonly runs: readonly number[]
  /** What is wanted, and of which of the figures. */
  readonly aim?: string
}

type OnFigure = (figure: TuiFigure) => void

const sizes = [
  [120, 40],
  [200, 50],
] as const
const pages = [
  { path: files.page, called: '2,000 lines' },
  { path: files.huge, called: '5 MB' },
]
/** Long enough for what begins when somebody stops typing: drafts, counts, markers. */
const settleMs = 1500
/** From there on nobody does anything: a connection that is kept for 4 s is given up, for one. */
const idleAfterMs = 5_000
const idleMs = 10_000
/** What repeats is in each of them; what V8 does once, when it gives memory back, in one or two. */
const idleCount = 3

/** The built UI in a pseudo-terminal, against a real service: as a person would wait for it. */
export async function benchTui(repeat: number, onFigure: OnFigure): Promise<void> {
  starts(repeat * 4, onFigure)
  trees(repeat * 4, onFigure)
  await paths(repeat, onFigure)
  const world = await createWorld()
  try {
    onFigure({ name: 'start to first paint', runs: await firstPaints(world, repeat * 2), aim: '≤ 350' })
    for (const size of sizes) {
      const where = size.join('×')
      const keys = repeat * 40
      for (const { path, called } of pages)
        await world.at(size, (pty) => inPage(pty, { where: `${called}, ${where}`, path, keys, onFigure }))
      for (const branch of [branches.many, branches.most]) {
        const name = `${counts[branch].toLocaleString('en')} files, ${where}`
        await world.at(size, (pty) => inList(pty, { where: name, branch, keys, onFigure }))
      }
    }
  } finally {
    await world.close()
  }
}

/** `quire --version` and an empty program, in turn. */
function starts(count: number, onFigure: OnFigure): void {
  const run = (...words: readonly string[]): number => {
    const began = performance.now()
    spawnSync(process.execPath, words, { stdio: 'ignore', env: { PATH: process.env['PATH'] } })
    return performance.now() - began
  }
  const figures = { version: [] as number[], empty: [] as number[] }
  for (let n = 0; n < count; n++) {
    figures.empty.push(run('-e', '0'))
    figures.version.push(run(join(dist, 'quire.js'), '--version'))
  }
  onFigure({ name: 'node -e 0', runs: figures.empty })
  onFigure({ name: 'quire --version', runs: figures.version, aim: '≤ 1.3 × node -e 0' })
}

/** More files than a project may have, so in this process: from a list that was read to the lines of a pane. */
function trees(count: number, onFigure: OnFigure): void {
  const all = Array.from({ length: 50_000 }, (_, n) => ({
    path: `guides/part-${n % 200}/chapter-${n % 7}/page-${n}.mdx`,
    status: 'unchanged' as const,
    oid: '0'.repeat(40),
    size: 100,
  }))
  const opened: number[] = []
  const wholly: number[] = []
  for (let n = 0; n < count; n++) {
    const pane = new TreePane({ empty: '', onOpen: () => {} })
    const began = performance.now()
    pane.files = all
    pane.draw({ width: 120, height: 37 })
    opened.push(performance.now() - began)
    pane.reveal('guides/part-199/chapter-3/page-199.mdx')
    pane.draw({ width: 120, height: 37 })
    wholly.push(performance.now() - began)
  }
  onFigure({ name: '50,000 files in a tree', runs: opened, aim: '≤ 100' })
  onFigure({ name: 'the same, and one of them shown', runs: wholly, aim: '≤ 100' })
}

/** As `trees`: the letters of a path are typed and taken back. */
async function paths(count: number, onFigure: OnFigure): Promise<void> {
  const all = Array.from({ length: 50_000 }, (_, n) => `guides/part-${n % 200}/chapter-${n % 7}/page-${n}.mdx`)
  let found = (): void => undefined
  const search = new PathSearch(all, () => found())
  const path = 'part-33/page-4'
  const held: number[] = []
  const wholly: number[] = []
  for (let n = 0; n < count * path.length * 2; n++) {
    const step = n % (path.length * 2)
    const began = performance.now()
    await new Promise<void>((resolve) => {
      found = resolve
      search.search(path.slice(0, step < path.length ? step + 1 : path.length * 2 - step - 1))
      held.push(performance.now() - began)
    })
    wholly.push(performance.now() - began)
  }
  onFigure({ name: 'a letter of a path in 50,000, until the key is free', runs: held, aim: 'p95 ≤ 10' })
  onFigure({ name: 'the same, until all of them were looked at', runs: wholly })
}

async function firstPaints(world: World, count: number): Promise<number[]> {
  const runs: number[] = []
  for (let n = 0; n < count; n++) {
    const began = performance.now()
    await world.at(sizes[0], async (pty) => {
      await pty.shows('Quire')
      runs.push(performance.now() - began)
    })
  }
  return runs
}

/** Leads to the files of a branch: the key is of one project, which opens by itself. @returns how long its list took */
async function openBranch(pty: Pty, branch: string): Promise<number> {
  await pty.shows(branch)
  await pty.settled(300)
  const rows = pty.rows()
  const [first, wanted] = ['main', branch].map((name) => rows.findIndex((row) => row.trimStart().startsWith(name)))
  for (let row = first ?? 0; row < (wanted ?? 0); row++) await pressed(pty, 'down')
  await pty.settled(300)
  const began = performance.now()
  pty.key('enter')
  await pty.shows('docs.json')
  return performance.now() - began
}

/** Opens a file by its path, as somebody does who knows it. */
async function openFile(pty: Pty, path: string): Promise<void> {
  await pty.settled(300)
  pty.key('/')
  await pty.settled()
  pty.type(path)
  await pty.settled(300)
  pty.key('enter')
  await pty.until(() => /\d+:\d+/.test(pty.rows().at(-2) ?? ''), `${path} to be opened`)
}

/** From a key to its effect on the screen. */
async function pressed(pty: Pty, chord: string): Promise<number> {
  return await pty.answered(() => pty.key(chord))
}

async function each(count: number, measure: (n: number) => Promise<number>): Promise<number[]> {
  const runs: number[] = []
  for (let n = 0; n < count; n++) {
    runs.push(await measure(n))
    // A person who types fast, and what else is to be done in between.
    await sleep(15)
  }
  return runs
}

/** The end of a list answers no key. */
function thereAndBack(n: number, there: string, back: string): string {
  return n % 8 < 4 ? there : back
}

interface Part {
  /** Begins the names of the figures. */
  readonly where: string
  readonly keys: number
  readonly onFigure: OnFigure
}

async function inPage(pty: Pty, { where, path, keys, onFigure }: Part & { readonly path: string }): Promise<void> {
  await openBranch(pty, branches.pages)
  await openFile(pty, path)
  await pty.settled(settleMs)
  const words = 'These words are typed one letter after the other. '
  const scrolled = await each(keys, (n) => pressed(pty, thereAndBack(n, 'pagedown', 'pageup')))
  onFigure({ name: `${where}: page down`, runs: scrolled, aim: 'p95 ≤ 16 (60 a second)' })
  await pty.settled()
  for (let line = 0; line < 3; line++) await pressed(pty, 'down')
  await pty.settled(settleMs)
  const [before, cpu] = [pty.bytes, ownCpuMs(pty.pid)]
  const runs = await each(keys, (n) => pressed(pty, words[n % words.length] ?? 'x'))
  const bytes = (pty.bytes - before) / keys
  onFigure({ name: `${where}: typing`, runs, aim: 'p95 ≤ 10' })
  onFigure({ name: `${where}: bytes a key`, runs: [bytes] })
  onFigure({ name: `${where}: processor time a key`, runs: [(ownCpuMs(pty.pid) - cpu) / keys] })
  onFigure({ name: `${where}: undo`, runs: await each(10, () => pressed(pty, 'ctrl+z')), aim: 'p95 ≤ 10' })
  await idle(pty, where, onFigure)
}

async function inList(
  pty: Pty,
  { where, branch, keys, onFigure }: Part & { readonly branch: keyof typeof counts },
): Promise<void> {
  onFigure({ name: `${where}: opened, with what the service needs`, runs: [await openBranch(pty, branch)] })
  await pty.settled(settleMs)
  const began = performance.now()
  pty.key('/')
  await pty.shows('file-0.txt')
  onFigure({ name: `${where}: all in one list`, runs: [performance.now() - began], aim: '≤ 100' })
  await pty.settled(settleMs)
  onFigure({
    name: `${where}: down`,
    runs: await each(keys, (n) => pressed(pty, thereAndBack(n, 'down', 'up'))),
    aim: 'p95 ≤ 10',
  })
  onFigure({
    name: `${where}: page down`,
    runs: await each(20, (n) => pressed(pty, thereAndBack(n, 'pagedown', 'pageup'))),
    aim: 'p95 ≤ 16',
  })
  await pty.settled()
  const path = 'part-33/file-4'
  const cpu = ownCpuMs(pty.pid)
  const found = await each(keys, (n) =>
    pressed(pty, n % (path.length * 2) < path.length ? (path[n % path.length] ?? 'x') : 'backspace'),
  )
  onFigure({ name: `${where}: finding a path, a key`, runs: found, aim: 'p95 ≤ 10' })
  onFigure({ name: `${where}: processor time a key`, runs: [(ownCpuMs(pty.pid) - cpu) / keys] })
  await idle(pty, where, onFigure)
}

/** What it takes when nobody does anything. */
async function idle(pty: Pty, where: string, onFigure: OnFigure): Promise<void> {
  await pty.settled(settleMs)
  onFigure({ name: `${where}: memory, MB`, runs: [residentMegabytes(pty.pid)], aim: '≤ 120' })
  await sleep(idleAfterMs)
  const { bytes } = pty
  const runs: number[] = []
  while (runs.length < idleCount) {
    const cpu = exactCpuMs(pty.pid)
    await sleep(idleMs)
    runs.push(exactCpuMs(pty.pid) - cpu)
  }
  onFigure({ name: `${where}: processor time in 10 s`, runs, aim: 'median 0' })
  if (pty.bytes !== bytes) onFigure({ name: `${where}: bytes written in 30 s`, runs: [pty.bytes - bytes], aim: '0' })
}

/** A figure as text: runs, median, 95th percentile, worst, aim. */
export function rowOfTui({ name, runs, aim = '' }: TuiFigure): string[] {
  const text = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(1))
  const sorted = runs.toSorted((a, b) => a - b)
  const at = (part: number): string => text(sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? NaN)
  return runs.length === 1
    ? [name, '1', at(0.5), '', '', aim]
    : [name, String(runs.length), at(0.5), at(0.95), at(1), aim]
}
