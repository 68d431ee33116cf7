import { execFileSync } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import type { CheckReport } from '#contract/operator.ts'
import { deskOf, type Desk } from '#test/support/branching/support.ts'
import { quire } from '#test/support/command-line.ts'
import { createProject, startService, unlimited, type ServiceProcess } from '#test/support/service-process.ts'
import { getSite } from '#test/support/site.ts'
import { removeDirectory } from '#test/support/temporary.ts'

let home: string
let data: string
let service: ServiceProcess
let elsewhere: ServiceProcess | undefined
let office: Office | undefined

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'quire-backup-'))
  data = join(home, 'data')
  // Garbage is collected again and again, also while a backup reads.
  service = await startService(data, { ...unlimited, GC_EVERY: '20' })
  elsewhere = undefined
  office = undefined
})
afterEach(async () => {
  await office?.close()
  await elsewhere?.stop()
  await service.stop()
  await removeDirectory(home)
})

const desk = async (slug: string): Promise<Desk> =>
  deskOf({ port: service.port, directory: data }, await createProject(service.url, slug))

async function admin(...words: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await quire(['admin', ...words, '--json'])
  expect({ code, stderr, stdout: code === 0 ? '' : stdout }).toEqual({ code: 0, stderr: '', stdout: '' })
  return JSON.parse(stdout)
}

const check = async (directory: string): Promise<CheckReport> =>
  (await admin('--data', directory, 'check')) as CheckReport

/** People at work until they are told to stop. */
class Office {
  readonly saves: { readonly slug: string; readonly commit: string }[] = []
  readonly #people: Promise<void>[] = []
  #closed = false

  employ(work: (turn: number) => Promise<void>): void {
    const busy = async (): Promise<void> => {
      for (let turn = 0; !this.#closed; turn++) await work(turn)
    }
    this.#people.push(busy())
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all(this.#people)
  }
}

async function openOffice(): Promise<Office> {
  const opened = new Office()
  const [writers, deployers, publishers] = [await desk('writers'), await desk('deployers'), await desk('publishers')]
  for (const project of [writers, deployers, publishers])
    await project.deploy({ 'index.mdx': '# Home', 'asset.txt': '0' })
  const work = await writers.branch('work')
  for (const person of ['ada', 'grace']) {
    opened.employ(async (turn) => {
      const { commit } = await writers.save(work, `${person}.mdx`, `# ${person} ${turn}`)
      opened.saves.push({ slug: writers.slug, commit })
    })
  }
  opened.employ(async (turn) => {
    const body = { title: `Turn ${turn}`, content: 'What is *new*' }
    const { id } = await writers.client.call(contract.changelog.create, { params: writers, body })
    await sleep(30)
    if (turn % 2 === 0) await writers.client.call(contract.changelog.remove, { params: writers, query: { id } })
  })
  opened.employ(async (turn) => {
    const { commit } = await deployers.deploy({ 'index.mdx': `# Turn ${turn}`, 'asset.txt': `turn ${turn}` })
    opened.saves.push({ slug: deployers.slug, commit: commit ?? '' })
  })
  opened.employ(async (turn) => {
    const branch = await publishers.branch(`turn-${turn}`)
    const { commit } = await publishers.save(branch, 'index.mdx', `# Turn ${turn}`)
    opened.saves.push({ slug: publishers.slug, commit })
    await publishers.publish(branch)
  })
  return opened
}

/** Commits that any ref of a project reaches. */
function commitsIn(directory: string, slug: string): Set<string> {
  const args = ['--git-dir', join(directory, `${slug}.git`), 'rev-list', '--all']
  return new Set(execFileSync('git', args, { encoding: 'utf8' }).split('\n'))
}

async function pagesOf(port: number, slug: string, paths: readonly string[]): Promise<Buffer[]> {
  const replies = await Promise.all(paths.map((path) => getSite(port, `${slug}.localhost`, path)))
  expect(replies.map(({ status }) => status)).toEqual(paths.map(() => 200))
  return replies.map(({ body }) => body)
}

describe('a backup', () => {
  it('taken under load and restored elsewhere lacks nothing', { timeout: 600_000 }, async () => {
    const quiet = await desk('quiet')
    await quiet.deploy({ 'index.mdx': '# Home\n\n[Next](/next)', 'next.mdx': '# Next', 'logo.svg': '<svg/>' })
    const paths = ['/', '/next', '/next.md', '/logo.svg', '/sitemap.xml']
    const pages = await pagesOf(service.port, 'quiet', paths)
    office = await openOffice()
    const archives: { readonly file: string; readonly before: Office['saves'] }[] = []
    for (let round = 0; round < 4; round++) {
      await sleep(400)
      const before = [...office.saves]
      const file = join(home, `backup-${round}.tar.gz`)
      expect(await admin('--data', data, 'backup', file)).toMatchObject({ projects: 4, removed: [] })
      archives.push({ file, before })
    }
    expect((await check(data)).problems).toEqual([])
    await office.close()
    expect(office.saves.length).toBeGreaterThan(archives.at(-1)?.before.length ?? 0)

    for (const [round, { file, before }] of archives.entries()) {
      const directory = join(home, `elsewhere-${round}`)
      await admin('restore', file, '--into', directory)
      expect((await check(directory)).problems).toEqual([])
      for (const slug of ['writers', 'deployers', 'publishers']) {
        const commits = commitsIn(directory, slug)
        const lost = before.filter((save) => save.slug === slug && !commits.has(save.commit))
        expect(lost).toEqual([])
      }
    }

    // The same address: links in pages hold it.
    const { port } = service
    await service.stop()
    const directory = join(home, 'elsewhere-3')
    elsewhere = await startService(directory, {}, port)
    expect(await pagesOf(port, 'quiet', paths)).toEqual(pages)
    for (const slug of ['deployers', 'publishers']) {
      const git = (...args: string[]): string =>
        execFileSync('git', ['--git-dir', join(directory, `${slug}.git`), ...args], { encoding: 'utf8' }).trim()
      const title = git('show', 'main:index.mdx').replace('# ', '')
      expect((await getSite(port, `${slug}.localhost`, '/')).text).toContain(`>${title}<`)
    }
    const owner = createClient({ baseUrl: elsewhere.url, token: quiet.session })
    expect((await owner.call(contract.projects.list, { query: {} })).items.map(({ slug }) => slug)).toEqual(['quiet'])
    const restored = deskOf({ port, directory }, quiet)
    expect((await restored.deploy({ 'index.mdx': '# After' })).number).toBe(2)
    expect((await restored.site('/')).text).toContain('>After<')
    const clone = `${elsewhere.url.replace('//', `//x:${quiet.key}@`)}/git/quiet.git`
    execFileSync('git', ['clone', '--quiet', clone, join(home, 'clone')])
    const after = await check(directory)
    expect(after.problems).toEqual([])
    expect(after.checked.projects).toBe(4)
  })

  it('goes on when a project is removed meanwhile, and leaves it out', async () => {
    const projects = await Promise.all(['a', 'b', 'c'].map((slug) => desk(slug)))
    for (const project of projects) await project.deploy({ 'index.mdx': '# Home' })
    const file = join(home, 'backup.tar.gz')
    const [backup] = await Promise.all([
      admin('--data', data, 'backup', file),
      ...projects
        .slice(1)
        .map(({ slug, session }) =>
          createClient({ baseUrl: service.url, token: session }).call(contract.projects.remove, { params: { slug } }),
        ),
    ])
    const directory = join(home, 'elsewhere')
    const restored = (await admin('restore', file, '--into', directory)) as { readonly projects: number }
    expect(restored.projects).toBe((backup as { readonly projects: number }).projects)
    expect(restored.projects).toBeGreaterThanOrEqual(1)
    expect(await check(directory)).toMatchObject({ problems: [], notes: [] })
  })
})
