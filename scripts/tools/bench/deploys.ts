import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { blobOid } from '#contract/blob-oid.ts'
import type { Deploy, DeployFile } from '#contract/deploys.ts'
import { deployStages } from '#contract/deploys.ts'
import { contract } from '#contract/index.ts'
import { createProject, startService, type ProjectAccess, type ServiceProcess } from '#test/support/service-process.ts'
import type { Corpus } from './corpus.ts'
import { median } from './machine.ts'
import { watchMemory, type MemoryPeaks } from './processes.ts'

interface Run {
  readonly deploy: Deploy
  /** Milliseconds from the start of the request to the whole reply, on the client. */
  readonly wall: number
}

export interface Row {
  readonly name: string
  readonly runs: readonly Run[]
  readonly memory: MemoryPeaks
}

/** Files whose content the service has go as ids, the others inline: what the command line sends. */
class Site {
  readonly #known = new Set<string>()
  readonly files: Corpus
  readonly #project: ProjectAccess

  constructor(project: ProjectAccess, files: Corpus) {
    this.#project = project
    this.files = new Map(files)
  }

  get project(): ProjectAccess {
    return this.#project
  }

  async sendAhead(): Promise<void> {
    let batch: { content: string }[] = []
    let bytes = 0
    const flush = async (): Promise<void> => {
      if (batch.length > 0) await this.#project.client.call(contract.deploys.putObjects, { body: { objects: batch } })
      batch = []
      bytes = 0
    }
    for (const text of this.files.values()) {
      if (bytes + text.length * 1.3 > 8_000_000) await flush()
      batch.push({ content: text })
      bytes += text.length * 1.3
      this.#known.add(blobOid(Buffer.from(text)))
    }
    await flush()
  }

  async deploy(): Promise<Run> {
    const files: DeployFile[] = []
    for (const [path, text] of this.files) {
      const oid = blobOid(Buffer.from(text))
      files.push(this.#known.has(oid) ? { path, oid } : { path, content: text })
      this.#known.add(oid)
    }
    const started = performance.now()
    const deploy = await this.#project.client.call(contract.deploys.create, { body: { files } })
    return { deploy, wall: performance.now() - started }
  }
}

function touch(site: Site, index: number, text: string): void {
  const path = [...site.files.keys()].filter((name) => name.endsWith('.md') || name.endsWith('.mdx'))[index]
  if (path === undefined) throw new Error('no such page')
  site.files.set(path, `${site.files.get(path) ?? ''}\n\n${text}\n`)
}

const slugOf = (): string => `b${randomUUID().slice(0, 8)}`
const settings = { LOG_LEVEL: 'error' }
/** Long enough for spare children to be warm again between runs on new projects. */
const settle = 12_000

/** Runs all deploy measurements, one service for each group. */
export async function benchDeploys(
  pages500: Corpus,
  pages5000: Corpus,
  repeat: number,
  onRow: (row: Row) => void,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-bench-'))
  try {
    onRow(await coldProcess(join(directory, 'cold'), pages500, Math.min(repeat, 5)))
    const service = await startService(join(directory, 'warm'), settings)
    try {
      await sleep(settle)
      await measure500(service, pages500, repeat, onRow)
    } finally {
      await service.stop()
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
  await benchGrowth([pages5000], repeat, onRow)
}

/** Sites of different sizes, each on a service of its own: the whole site, then small changes of it. */
export async function benchGrowth(sites: readonly Corpus[], repeat: number, onRow: (row: Row) => void): Promise<void> {
  for (const pages of sites) {
    const directory = await mkdtemp(join(tmpdir(), 'quire-bench-'))
    try {
      const service = await startService(directory, settings)
      try {
        await sleep(settle)
        await measureSite(service, pages, repeat, onRow)
      } finally {
        await service.stop()
      }
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  }
}

/** From the start of the server's process to the site being live, nothing cached. */
async function coldProcess(directory: string, pages: Corpus, repeat: number): Promise<Row> {
  const runs: Run[] = []
  let memory: MemoryPeaks = { server: 0, children: 0, total: 0 }
  for (let run = 0; run < repeat; run++) {
    const data = `${directory}-${run}`
    let service = await startService(data, settings)
    const project = await createProject(service.url, slugOf())
    await service.stop()
    const started = performance.now()
    service = await startService(data, settings, service.port)
    const watch = watchMemory(service.child.pid ?? 0)
    const { deploy } = await new Site(project, pages).deploy()
    runs.push({ deploy, wall: performance.now() - started })
    memory = watch.peaks()
    watch.stop()
    await service.stop()
  }
  return { name: '500 pages, cold process, empty caches', runs, memory }
}

async function measure500(
  service: ServiceProcess,
  pages: Corpus,
  repeat: number,
  onRow: (row: Row) => void,
): Promise<void> {
  const watch = watchMemory(service.child.pid ?? 0)
  const row = measured(watch, onRow)
  let site: Site | undefined
  await row('500 pages, server running, empty caches', Math.min(repeat, 5), async () => {
    await sleep(settle)
    site = new Site(await createProject(service.url, slugOf()), pages)
    return site.deploy()
  })
  if (site === undefined) throw new Error('no site')
  const live = site
  await row('500 pages, all changed, warm', Math.min(repeat, 5), (run) => {
    for (const path of live.files.keys()) live.files.set(path, `${live.files.get(path) ?? ''}\nRun ${run}.\n`)
    return live.deploy()
  })
  await smallChanges(live, 500, repeat, row)
  watch.stop()
}

async function measureSite(
  service: ServiceProcess,
  pages: Corpus,
  repeat: number,
  onRow: (row: Row) => void,
): Promise<void> {
  const watch = watchMemory(service.child.pid ?? 0)
  const row = measured(watch, onRow)
  const site = new Site(await createProject(service.url, slugOf()), pages)
  await site.sendAhead()
  await row(`${pages.size.toLocaleString('en')} pages, server running, empty caches`, 1, () => site.deploy())
  await smallChanges(site, pages.size, repeat, row)
  watch.stop()
}

type Measure = (name: string, count: number, work: (run: number) => Promise<Run>) => Promise<void>

/** Makes a row of each measurement, with the memory of its own runs. */
function measured(watch: ReturnType<typeof watchMemory>, onRow: (row: Row) => void): Measure {
  return async (name, count, work) => {
    watch.reset()
    const runs: Run[] = []
    for (let run = 0; run < count; run++) runs.push(await work(run))
    onRow({ name, runs, memory: watch.peaks() })
  }
}

async function smallChanges(site: Site, size: number, repeat: number, row: Measure): Promise<void> {
  const label = size.toLocaleString('en')
  await row(`1 page of ${label} changed`, repeat * 3, (run) => {
    touch(site, (run * 7) % size, `Change ${run} ${randomUUID()}.`)
    return site.deploy()
  })
  await row(`docs.json only, ${label} pages`, repeat * 3, (run) => {
    site.files.set(
      'docs.json',
      JSON.stringify({ name: `Bench ${run} ${randomUUID()}`, colors: { primary: '#0055aa' } }),
    )
    return site.deploy()
  })
  await row(`nothing changed, ${label} pages`, repeat * 3, () => site.deploy())
}

/** A row as text: median and worst wall, the service's own time, its stages, and memory. */
export function format(row: Row): string[] {
  const ms = (value: number): string => (Number.isNaN(value) ? '–' : value >= 100 ? value.toFixed(0) : value.toFixed(1))
  const of = (pick: (run: Run) => number): string => ms(median(row.runs.map(pick)))
  return [
    row.name,
    String(row.runs.length),
    of((run) => run.wall),
    ms(Math.max(...row.runs.map((run) => run.wall))),
    of((run) => run.deploy.durationMs ?? NaN),
    ...deployStages.map((stage) => of((run) => run.deploy.stages[stage] ?? NaN)),
    row.memory.server.toFixed(0),
    row.memory.children.toFixed(0),
  ]
}
