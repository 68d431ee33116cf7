import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { blobOid } from '#contract/blob-oid.ts'
import type { Branch } from '#contract/branches.ts'
import { contract } from '#contract/index.ts'
import { createProject, startService, type ProjectAccess, type ServiceProcess } from '#test/support/service-process.ts'
import { getSite } from '#test/support/site.ts'
import { benchClone } from './clone.ts'
import type { Corpus } from './corpus.ts'
import { timed, type Timing } from './timing.ts'

const settings = { LOG_LEVEL: 'error' }
/** Long enough for the build children to be warm. */
const settle = 4000
const patience = 60_000
const writersAtOnce = 12
const filesOfPublish = 20

/** Saves, previews and publishes on a large site, and clones of a long history. */
export async function benchBranches(pages: Corpus, repeat: number, onTiming: (timing: Timing) => void): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-bench-branches-'))
  const service = await startService(directory, settings)
  try {
    const desk = new Desk(service, await createProject(service.url, `b${randomUUID().slice(0, 8)}`), pages)
    await desk.deploy()
    await sleep(settle)
    onTiming(await saves(desk, repeat * 40))
    onTiming(await savesAtOnce(desk, repeat * 10))
    onTiming(await previews(desk, repeat * 4))
    onTiming(await publishes(desk, repeat))
    await benchClone({ service, directory, repeat, onTiming })
  } finally {
    await service.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

/** One site and who edits it. */
class Desk {
  readonly #service: ServiceProcess
  readonly #project: ProjectAccess
  readonly #pages: Corpus
  readonly paths: readonly string[]
  readonly size: string

  constructor(service: ServiceProcess, project: ProjectAccess, pages: Corpus) {
    this.#service = service
    this.#project = project
    this.#pages = pages
    this.paths = [...pages.keys()].filter((path) => !path.includes('snippets/'))
    this.size = pages.size.toLocaleString('en')
  }

  /** Content goes ahead in requests under the limit. */
  async deploy(): Promise<void> {
    const { client } = this.#project
    const texts = [...this.#pages.values()]
    const batch = 400
    for (let at = 0; at < texts.length; at += batch) {
      const objects = texts.slice(at, at + batch).map((content) => ({ content }))
      await client.call(contract.deploys.putObjects, { body: { objects } })
    }
    const files = [...this.#pages].map(([path, text]) => ({ path, oid: blobOid(Buffer.from(text)) }))
    await client.call(contract.deploys.create, { body: { files } })
  }

  branch(): Promise<Branch> {
    const { client, slug } = this.#project
    const name = `n${randomUUID().slice(0, 8)}`
    return client.call(contract.branches.create, { params: { slug }, body: { name } })
  }

  async save({ id }: Branch, path: string, text: string): Promise<void> {
    const { client, slug } = this.#project
    await client.call(contract.branches.saveFile, {
      params: { slug, id, path },
      body: { content: `${this.#pages.get(path) ?? ''}\n\n${text}\n` },
      headers: { 'if-match': '*' },
    })
  }

  async saveMany({ id }: Branch, paths: readonly string[], text: string): Promise<void> {
    const { client, slug } = this.#project
    const changes = paths.map((path) => ({ path, content: `${this.#pages.get(path) ?? ''}\n\n${text}\n` }))
    await client.call(contract.branches.commit, { params: { slug, id }, body: { changes } })
  }

  async publish({ id }: Branch): Promise<void> {
    const { client, slug } = this.#project
    await client.call(contract.branches.publish, { params: { slug }, body: { branchId: id } })
  }

  /** Until the preview of a branch shows its head. */
  async settled({ id }: Branch): Promise<void> {
    const { client, slug } = this.#project
    await until(async () => {
      const { head, preview } = await client.call(contract.branches.read, { params: { slug, id } })
      return preview.served === head
    })
  }

  /** Until readers of the preview get a text. */
  async shows({ previewUrl }: Branch, path: string, text: string): Promise<void> {
    const { hostname } = new URL(previewUrl)
    const address = `/${path.replace(/(?:^|\/)index\.mdx?$|\.mdx?$/, '')}`
    await until(async () => (await getSite(this.#service.port, hostname, address)).text.includes(text))
  }
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + patience
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`nothing came of it in ${patience / 1000} s`)
    await sleep(2)
  }
}

async function saves(desk: Desk, count: number): Promise<Timing> {
  const branch = await desk.branch()
  const runs: number[] = []
  for (let run = 0; run < count; run++) {
    const path = desk.paths[(run * 7) % desk.paths.length] ?? ''
    runs.push(await timed(() => desk.save(branch, path, `Save ${run}.`)))
  }
  return { name: `save acknowledged, ${desk.size} files, previews being built`, runs }
}

async function savesAtOnce(desk: Desk, each: number): Promise<Timing> {
  const runs: number[] = []
  const started = performance.now()
  await Promise.all(
    Array.from({ length: writersAtOnce }, async (_, writer) => {
      const branch = await desk.branch()
      const path = desk.paths[writer] ?? ''
      for (let run = 0; run < each; run++) runs.push(await timed(() => desk.save(branch, path, `Save ${run}.`)))
    }),
  )
  const perSecond = (runs.length / (performance.now() - started)) * 1000
  const note = `${perSecond.toFixed(0)} saves/s`
  return { name: `save acknowledged, ${writersAtOnce} writers at once on branches of their own`, runs, note }
}

async function previews(desk: Desk, count: number): Promise<Timing> {
  const branch = await desk.branch()
  await desk.settled(branch)
  const runs: number[] = []
  for (let run = 0; run < count; run++) {
    const path = desk.paths[(run * 11) % desk.paths.length] ?? ''
    const text = `Preview ${run} ${randomUUID()}.`
    runs.push(
      await timed(async () => {
        await desk.save(branch, path, text)
        await desk.shows(branch, path, text)
      }),
    )
    await desk.settled(branch)
  }
  return { name: `save until its preview shows it, ${desk.size} files`, runs }
}

async function publishes(desk: Desk, count: number): Promise<Timing> {
  const runs: number[] = []
  for (let run = 0; run < count; run++) {
    const branch = await desk.branch()
    const paths = desk.paths.slice(run * filesOfPublish, (run + 1) * filesOfPublish)
    await desk.saveMany(branch, paths, `Publish ${run} ${randomUUID()}.`)
    await desk.settled(branch)
    runs.push(await timed(() => desk.publish(branch)))
  }
  return { name: `publish of a branch of ${filesOfPublish} files on ${desk.size} files, live`, runs }
}
