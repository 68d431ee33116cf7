/**
 * `npm run load`: what one service does for many projects at once, at rising concurrency.
 *
 *     npm run load -- --projects 200 --pages 3 --seconds 10 --concurrency 1,4,16 --json figures.json
 *
 * Prints a table; `--json` writes the figures, too. Takes the time of its parts: seconds × concurrencies × seven.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs, promisify } from 'node:util'
import { get, startPlain } from '#scripts/tools/bench/against-plain.ts'
import { machine } from '#scripts/tools/bench/machine.ts'
import { ownCpuMs, residentMegabytes, treeCpuMs } from '#scripts/tools/bench/processes.ts'
import { descendants } from '#test/support/process-tree.ts'
import { startService, unlimited, type ServiceProcess } from '#test/support/service-process.ts'
import { fillService, reading, worksOf, type Work } from './work.ts'

interface Figure {
  readonly work: string
  readonly concurrency: number
  readonly done: number
  readonly perSecond: number
  /** Milliseconds on the client. */
  readonly p50: number
  readonly p99: number
  readonly errors: number
  /** Milliseconds of processor time each: of the service, and of all that it starts. */
  readonly serviceMs: number
  readonly childrenMs: number
  /** Of the service afterwards, resident. */
  readonly megabytes: number
}

const { values } = parseArgs({
  options: {
    projects: { type: 'string', default: '60' },
    pages: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    concurrency: { type: 'string', default: '1,4,16' },
    json: { type: 'string' },
  },
})
const whole = (text: string, most: number): number => {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1 || number > most)
    throw new Error(`${text} is no number from 1 to ${most}`)
  return number
}
const projects = whole(values.projects, 5000)
const pages = whole(values.pages, 500)
const seconds = whole(values.seconds, 600)
const levels = values.concurrency.split(',').map((text) => whole(text, 256))

/** Does the work as often as it can for the time, and sees what that cost when all is idle again. */
async function measure(work: Work, concurrency: number, { service, all }: Watched): Promise<Figure> {
  const before = { own: ownCpuMs(service), all: treeCpuMs(all) }
  const began = performance.now()
  const waits: number[] = []
  let [turn, errors] = [0, 0]
  const client = async (): Promise<void> => {
    while (performance.now() - began < seconds * 1000) {
      const asked = performance.now()
      await work.once(turns + turn++).then(
        () => waits.push(performance.now() - asked),
        () => errors++,
      )
    }
  }
  await Promise.all(Array.from({ length: concurrency }, client))
  const elapsed = (performance.now() - began) / 1000
  await idle(all)
  turns += turn
  const done = waits.length
  const sorted = waits.toSorted((a, b) => a - b)
  const own = ownCpuMs(service) - before.own
  return {
    work: work.name,
    concurrency,
    done,
    perSecond: done / elapsed,
    p50: sorted[Math.floor(done / 2)] ?? NaN,
    p99: sorted[Math.ceil(done * 0.99) - 1] ?? NaN,
    errors,
    serviceMs: own / done,
    childrenMs: (treeCpuMs(all) - before.all - own) / done,
    megabytes: residentMegabytes(service),
  }
}

/** Of all works: no two write the same. */
let turns = 0

interface Watched {
  /** Process of the service. */
  readonly service: number
  /** That above it. */
  readonly all: number
}

/** Waits until the processes have done nothing for a second, half a minute at most. */
async function idle(pid: number): Promise<void> {
  for (let round = 0, before = -1, now = treeCpuMs(pid); now - before > 20 && round < 30; round++) {
    await sleep(1000)
    before = now
    now = treeCpuMs(pid)
  }
}

function watchedOf({ child }: ServiceProcess): Watched {
  const all = child.pid ?? 0
  return { all, service: descendants(all)[0] ?? all }
}

/** Page reads while the service starts anew: how many failed, and how long the longest took. */
async function measureRestart(service: ServiceProcess, page: Work['once']): Promise<string> {
  let [read, failed, longest] = [0, 0, 0]
  const over = new AbortController()
  const reader = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const asked = performance.now()
      await page(read).catch(() => failed++)
      longest = Math.max(longest, performance.now() - asked)
      read += 1
    }
  }
  const readers = Promise.all([reader(), reader(), reader(), reader()])
  const began = performance.now()
  service.child.kill('SIGHUP')
  while (!service.log().includes('has taken over')) await sleep(10)
  const took = performance.now() - began
  await sleep(2000)
  over.abort()
  await readers
  return `A restart by SIGHUP took ${took.toFixed(0)} ms: ${read} pages read meanwhile, ${failed} failed, the longest ${longest.toFixed(0)} ms.`
}

/** How long a service takes with this data until it answers, and what it takes of memory then. */
async function measureStart(before: ServiceProcess, data: string): Promise<string> {
  await before.stop()
  const began = performance.now()
  const service = await startService(data, settings, undefined, { program: 'server' })
  const took = performance.now() - began
  const megabytes = residentMegabytes(watchedOf(service).service)
  await service.stop()
  return `A start took ${took.toFixed(0)} ms until the first answer, with ${megabytes.toFixed(0)} MB of memory then.`
}

/** Megabytes on the disk; what several names lead to is there once. */
async function diskMegabytes(folder: string): Promise<number> {
  const { stdout } = await promisify(execFile)('du', ['-s', '-B1', folder])
  return Number.parseInt(stdout, 10) / 1_000_000
}

const rowOf = (figure: Figure): Record<string, string | number> => ({
  work: figure.work,
  at: figure.concurrency,
  '1/s': figure.perSecond.toFixed(1),
  'p50 ms': figure.p50.toFixed(1),
  'p99 ms': figure.p99.toFixed(1),
  errors: figure.errors,
  'service ms': figure.serviceMs.toFixed(1),
  'children ms': figure.childrenMs.toFixed(1),
  MB: figure.megabytes.toFixed(0),
})

const settings = { ...unlimited, LOG_LEVEL: 'error' }
const directory = await mkdtemp(join(tmpdir(), 'quire-load-'))
const data = join(directory, 'data')
const service = await startService(data, settings, undefined, { program: 'server' })
try {
  console.log(
    `${machine()}\n${projects} projects of ${pages} pages, ${seconds} s each; processor time until all is idle again`,
  )
  const filled = await fillService(service.url, projects, pages)
  const watched = watchedOf(service)
  await idle(watched.all)
  console.log(`The data directory takes ${(await diskMegabytes(data)).toFixed(0)} MB.`)
  const works = worksOf(service.url, filled, { pages, directory })
  const figures: Figure[] = []
  for (const work of works)
    for (const level of work.isAlone === true ? [1] : levels) {
      figures.push(await measure(work, level, watched))
      console.error(`measured: ${work.name}, ${level} at a time`)
    }
  const answer = await get(service.port, '/', { host: `project-0.localhost:${service.port}` })
  const plain = await startPlain(answer)
  try {
    const page = { name: 'page, plain server', once: reading(plain.port, () => ({ host: 'localhost', path: '/' })) }
    for (const level of levels) figures.push(await measure(page, level, { service: plain.pid, all: plain.pid }))
  } finally {
    plain.stop()
  }
  console.table(figures.map(rowOf))
  const page = works.find(({ name }) => name === 'page')
  if (page !== undefined) console.log(await measureRestart(service, page.once))
  console.log(await measureStart(service, data))
  if (values.json !== undefined)
    await writeFile(
      values.json,
      `${JSON.stringify({ machine: machine(), projects, pages, seconds, figures }, null, 2)}\n`,
    )
} finally {
  await service.stop()
  await rm(directory, { recursive: true, force: true })
}
process.exit()
