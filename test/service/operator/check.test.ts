import { mkdir, readFile, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inDepth } from '#test/support/depth.ts'
import type { CheckReport, Finding } from '#contract/operator.ts'
import { check } from '#operator/check/check.ts'
import type { Hold } from '#operator/projects.ts'
import {
  checkOf,
  copyOf,
  filesIn,
  gitIn,
  holdUnused,
  operated,
  makeData,
  operatorClient,
  slug,
  unused,
} from '#test/support/operator/support.ts'
import { sealText } from '#storage/checksum.ts'
import { removeDirectory } from '#test/support/temporary.ts'

let data: string
beforeAll(async () => {
  data = await makeData()
})
afterAll(() => removeDirectory(data))

interface Document {
  sum: string
  schema: number
  document: {
    owner: string
    members?: { account: string; addedAt: string }[]
    slug: string
    deploying: { live: { release: string }; deploys: { status: string; number: number; release: string }[] }
    branching: { branches: { name: string; served: { release: string } }[] }
  }
}

const noon = '2026-11-21T12:00:00.000Z'
const documentFile = `${slug}.json`

async function readDocument(directory: string): Promise<Document> {
  return JSON.parse(await readFile(join(directory, documentFile), 'utf8')) as Document
}

/** The report about a copy that something was done to. */
async function after(damage: (directory: string) => Promise<unknown>): Promise<CheckReport> {
  const directory = await copyOf(data)
  await damage(directory)
  return checkOf(directory)
}

async function afterChange(change: (document: Document) => void): Promise<CheckReport> {
  return after(async (directory) => {
    const document = await readDocument(directory)
    change(document)
    await writeDocument(directory, document)
  })
}

/** As the service would have written it. */
async function writeDocument(directory: string, { sum: _sum, ...document }: Document): Promise<void> {
  await writeFile(join(directory, documentFile), sealText(JSON.stringify(document)))
}

const packsOf = async (directory: string): Promise<string[]> =>
  (await readdir(join(directory, slug, 'packs'))).sort().map((name) => join(directory, slug, 'packs', name))

async function flip(path: string, at: number): Promise<void> {
  const bytes = await readFile(path)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  await rm(path)
  await writeFile(path, bytes)
}

const about = (findings: readonly Finding[]): string[] => findings.map(({ where }) => where)

describe('a check', () => {
  it('of a sound directory finds nothing, says what it looked at, and changes nothing', async () => {
    const directory = await copyOf(data)
    const before = await filesIn(directory)
    const { problems, notes, checked } = await checkOf(directory)
    expect({ problems, notes }).toEqual({ problems: [], notes: [] })
    expect(checked).toMatchObject({ projects: 1, refs: 4 })
    expect(checked.releases).toBeGreaterThanOrEqual(2)
    expect(checked.bytes).toBeGreaterThan(10_000)
    expect(await filesIn(directory)).toEqual(before)
  })

  it('finds a byte of a published file that has changed, and says what readers cannot get', async () => {
    const { problems } = await after(async (directory) => {
      for (const path of await packsOf(directory)) {
        const at = (await readFile(path)).indexOf('a long text')
        if (at !== -1) await flip(path, at + 5)
      }
    })
    expect(problems.length).toBeGreaterThan(0)
    for (const { where, problem, next } of problems) {
      expect(where).toMatch(/^releases\//)
      expect(problem).toMatch(/first: \/big\.txt \(file [0-9a-f]{64}\) is damaged in packs\//)
      expect(next).toContain('quire admin repair')
    }
  })

  inDepth('finds a pack of published files that is gone, or cut', async () => {
    const gone = await after(async (directory) => rm((await packsOf(directory))[0] ?? ''))
    expect(gone.problems.some(({ problem }) => problem.includes('is missing'))).toBe(true)
    const cut = await after(async (directory) => {
      for (const path of await packsOf(directory)) await truncate(path, 100)
    })
    expect(about(cut.problems).filter((where) => where.startsWith('packs/')).length).toBeGreaterThan(0)
    expect(cut.problems.some(({ problem }) => problem.includes('its index is damaged'))).toBe(true)
  })

  inDepth('finds the live release missing, one that can be rolled back to, and one that is no release', async () => {
    const live = await after(async (directory) => {
      const { release } = (await readDocument(directory)).document.deploying.live
      await rm(join(directory, slug, 'releases', `${release}.json`))
    })
    expect(live.problems.some(({ problem }) => problem.includes('the site is down'))).toBe(true)
    const earlier = await after(async (directory) => {
      const [, first] = (await readDocument(directory)).document.deploying.deploys
      await rm(join(directory, slug, 'releases', `${first?.release}.json`))
    })
    expect(earlier.problems.map(({ problem }) => problem)).toEqual([expect.stringContaining('nobody can go back')])
    const broken = await after(async (directory) => {
      const { release } = (await readDocument(directory)).document.deploying.live
      await truncate(join(directory, slug, 'releases', `${release}.json`), 20)
    })
    expect(broken.problems.some(({ problem }) => problem === 'cannot be read as a release')).toBe(true)
  })

  it('finds damage in a repository', async () => {
    const { problems } = await after(async (directory) => {
      const oid = gitIn(directory, 'rev-parse', 'main:index.mdx')
      const path = join(directory, `${slug}.git`, 'objects', oid.slice(0, 2), oid.slice(2))
      await rm(path)
    })
    expect(about(problems)).toContain(`${slug}.git`)
    expect(problems.some(({ problem }) => problem.startsWith('git fsck: missing blob'))).toBe(true)
  })

  it('finds a repository missing', async () => {
    const { problems } = await after((directory) => rm(join(directory, `${slug}.git`), { recursive: true }))
    expect(problems.map(({ problem }) => problem)).toEqual(['there is no repository'])
  })

  it.each([
    ['refs/heads/main', /is missing; deploy 2 is live/],
    ['refs/deploys/1', /is missing; deploy 1 went live/],
  ])('finds that %s is deleted', async (ref, problem) => {
    const { problems } = await after(async (directory) => gitIn(directory, 'update-ref', '-d', ref))
    expect(about(problems)).toEqual([ref])
    expect(problems[0]?.problem).toMatch(problem)
  })

  inDepth('finds that main is not what is live', async () => {
    const { problems } = await after(async (directory) =>
      gitIn(directory, 'update-ref', 'refs/heads/main', 'refs/deploys/1'),
    )
    expect(about(problems)).toEqual(['refs/heads/main'])
    expect(problems[0]?.next).toContain('Deploy again')
  })

  inDepth(
    'notes what the service mends: branches without a record or a ref, previews, deploys that were interrupted',
    async () => {
      const adopted = await after(async (directory) =>
        gitIn(directory, 'update-ref', 'refs/heads/new', 'refs/heads/main'),
      )
      expect(adopted).toMatchObject({ problems: [], notes: [{ where: 'refs/heads/new' }] })
      const gone = await after(async (directory) => gitIn(directory, 'update-ref', '-d', 'refs/heads/work'))
      expect(gone).toMatchObject({ problems: [], notes: [{ where: 'refs/heads/work' }] })
      const preview = await afterChange(({ document }) => {
        for (const branch of document.branching.branches) branch.served.release = 'pgone'
      })
      expect(preview).toMatchObject({ problems: [], notes: [{ where: 'releases/pgone.json' }] })
      const interrupted = await afterChange(({ document }) => {
        const [newest] = document.deploying.deploys
        if (newest !== undefined) document.deploying.deploys.unshift({ ...newest, status: 'building', number: 3 })
      })
      expect(interrupted).toMatchObject({ problems: [], notes: [{ where: 'refs/deploys/3' }] })
    },
  )

  it('finds documents that are cut, or of a newer version', async () => {
    const cut = await after((directory) => truncate(join(directory, documentFile), 50))
    expect(about(cut.problems)).toEqual([documentFile])
    const newer = await afterChange((document) => (document.schema = 999))
    expect(newer.problems[0]?.problem).toContain('schema 999')
    const service = await after((directory) => truncate(join(directory, '_service.json'), 20))
    expect(about(service.problems)).toEqual(expect.arrayContaining(['_service.json', documentFile]))
  })

  inDepth('finds owners and members that are no accounts', async () => {
    const { problems } = await afterChange(({ document }) => {
      document.owner = 'acc_nobody'
      document.members = [{ account: 'acc_noone', addedAt: '2026-01-01T00:00:00.000Z' }]
    })
    expect(problems.map(({ problem }) => problem)).toEqual([
      'its owner acc_nobody is no account',
      'its writer acc_noone is no account',
    ])
  })

  it('calls a renamed project as people do, and its files as they are', async () => {
    const directory = await copyOf(data)
    const document = await readDocument(directory)
    Object.assign(document.document, { slug: 'handbook', owner: 'acc_nobody' })
    await writeDocument(directory, document)
    await rm(join(directory, `${slug}.git`), { recursive: true })
    const told: string[] = []
    const { problems } = await check({
      ...operated(directory),
      client: await unused(directory),
      shared: false,
      onProgress: (at) => void told.push(at),
    })
    expect(problems).toMatchObject([
      { project: 'handbook', where: documentFile, problem: 'its owner acc_nobody is no account' },
      { project: 'handbook', where: `${slug}.git`, problem: 'there is no repository' },
    ])
    expect(told[0]).toBe('handbook (1 of 1)')
  })

  inDepth('calls a project by its id where its document cannot be read', async () => {
    const { problems } = await after((directory) => truncate(join(directory, documentFile), 50))
    expect(problems).toMatchObject([{ project: slug, where: documentFile }])
  })

  inDepth('finds records that are no records, and lets the end of a torn one pass', async () => {
    const damaged = await after((directory) =>
      writeFile(join(directory, slug, 'deliveries', '00000001.jsonl'), '{"id":1}\n{"i\n{"id":3}\n'),
    )
    expect(damaged.problems).toMatchObject([{ where: 'deliveries/00000001.jsonl', problem: 'line 2 is not JSON' }])
    const torn = await after((directory) =>
      writeFile(join(directory, slug, 'deliveries', '00000001.jsonl'), '{"id":1}\n{"i'),
    )
    expect(torn).toMatchObject({ problems: [], notes: [{ where: 'deliveries/00000001.jsonl' }] })
    const report = await after(async (directory) => {
      const path = join(directory, slug, 'deploys', '00000001.jsonl')
      const cut = '[{"seq":9,"key":"00abcdefgh","head":{},"body":9}]\t{"id":"00\n'
      await writeFile(path, cut + (await readFile(path, 'utf8')))
    })
    expect(report.problems).toMatchObject([{ where: 'deploys/00000001.jsonl', problem: 'line 1 is not JSON' }])
  })

  inDepth('finds changelog entries that lack their texts', async () => {
    const body = JSON.stringify({ title: 'x' })
    const put = (key: string, seq: number): string =>
      `${JSON.stringify([{ seq, key, head: { number: seq }, body: body.length }])}\t${body}\n`
    const bare = `${JSON.stringify([{ seq: 2, key: 'b', head: { number: 2 } }])}\n`
    const gone = `${JSON.stringify([{ seq: 3, delete: 'b' }])}\n`
    const write = async (directory: string, lines: readonly string[]): Promise<void> => {
      const folder = join(directory, slug, 'changelog')
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, '00000001.jsonl'), lines.join(''))
    }
    const sound = await after((directory) => write(directory, [put('a', 1), put('b', 2), gone]))
    expect(sound).toMatchObject({ problems: [], notes: [] })
    const lacking = await after((directory) => write(directory, [put('a', 1), bare]))
    expect(lacking.problems).toMatchObject([
      { where: 'changelog/00000001.jsonl', problem: 'lacks the texts of entry b' },
    ])
    const deleted = await after((directory) => write(directory, [put('a', 1), bare, gone]))
    expect(deleted.problems).toEqual([])
  })

  it('finds what belongs to no project, and notes what a killed process left', async () => {
    const orphans = await after((directory) => rm(join(directory, documentFile)))
    expect(about(orphans.problems).sort()).toEqual([slug, `${slug}.git`, documentFile])
    const left = await after(async (directory) => {
      await mkdir(join(directory, `.new-${'0'.repeat(16)}`))
      await writeFile(join(directory, 'notes.txt'), 'mine')
    })
    expect(left).toMatchObject({ problems: [], notes: [{}, { where: 'notes.txt' }] })
    const restoring = await after((directory) => mkdir(join(directory, '.restoring-1')))
    expect(about(restoring.problems)).toEqual(['.restoring-1'])
  })

  inDepth('passes over what stands beside the data in a checkout', async () => {
    const found = await after(async (directory) => {
      await writeFile(join(directory, 'README.md'), '# repos')
      await mkdir(join(directory, '.demo'))
    })
    expect([...found.problems, ...found.notes]).toEqual([])
  })

  inDepth('finds nothing off with a project that is removed while it looks', async () => {
    for (const removed of [`${slug}/packs`, `${slug}/releases`, `${slug}.git`]) {
      const directory = await copyOf(data)
      const hold = async (name: string): Promise<Hold> => {
        const held = await holdUnused(directory, name)
        await rm(join(directory, documentFile), { force: true })
        await rm(join(directory, removed), { recursive: true, force: true })
        return held
      }
      const { problems } = await check({
        ...operated(directory),
        client: await operatorClient({ hold }),
        shared: true,
        onProgress: () => undefined,
      })
      expect(problems.filter(({ project }) => project === slug)).toEqual([])
    }
  })

  it('finds that the count of starts is lost', async () => {
    const { problems } = await after((directory) => rm(join(directory, '.starts')))
    expect(about(problems)).toEqual(['.starts'])
  })

  it('tells that two documents call one domain verified, which the next start settles', async () => {
    const domains = [{ name: 'docs.example.com', token: 'x', addedAt: noon, verifiedAt: noon }]
    const { notes } = await after(async (directory) => {
      const found = await readDocument(directory)
      const claimed = { ...found, document: { ...found.document, domains } }
      await writeDocument(directory, claimed)
      const second = { ...claimed, document: { ...claimed.document, slug: 'second' } }
      await writeFile(join(directory, 'second.json'), sealText(JSON.stringify({ ...second, sum: undefined })))
    })
    expect(notes).toContainEqual({
      project: 'second',
      where: 'second.json',
      problem: `calls the domain docs.example.com verified, as ${documentFile} does`,
      next: 'The next start leaves it to the project that verified it last.',
    })
  })
})
