import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '#contract/index.ts'
import { dist } from '#lib/paths.ts'
import { Pty } from '#test/support/pty.ts'
import { createProject, startService } from '#test/support/service-process.ts'

/** A real service with what people complain about in other programs: long pages and many files. */
export interface World {
  /** The UI at a terminal of this size, in this project, with nothing kept from before. */
  at<T>(size: readonly [width: number, height: number], work: (pty: Pty) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** A branch of each, so that what one is measured for does not depend on the other. */
export const branches = { pages: 'long-pages', many: 'many-files', most: 'most-files' } as const
export const files = { page: 'guides/long.mdx', huge: 'guides/huge.mdx' } as const
/** The last: nearly as many as a project may have. */
export const counts = { [branches.many]: 5_000, [branches.most]: 19_900 } as const

const docs = JSON.stringify({ name: 'Bench', navigation: { pages: ['index'] } })

/** Prose with what makes it hard: wide characters, emoji, components, code. */
function paragraph(line: number): string {
  if (line % 40 === 0) return `## Section ${line / 40}`
  if (line % 40 === 20) return '<Note>\n  Keep **this** in mind: `quire deploy` sends the files.\n</Note>'
  if (line % 40 === 30) return '```ts\nconst answer = await client.call(contract.branches.list)\n```'
  if (line % 7 === 0) return `文書は ${line} 行目です。 Wide text 👩‍🚀 and a [link](/guides/long) in one line of prose.`
  return line % 2 === 0
    ? ''
    : `Line ${line} says *what* to do, and then, at some length, why it is so and not otherwise.`
}

function page(lines: number): string {
  const all: string[] = ['---', 'title: A long page', '---', '']
  for (let line = 1; all.length < lines; line++) all.push(...paragraph(line).split('\n'))
  return `${all.slice(0, lines).join('\n')}\n`
}

function pageOf(bytes: number): string {
  const one = page(20_000)
  const text = one.repeat(Math.ceil(bytes / Buffer.byteLength(one)))
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString()
    .replace(/\uFFFD+$/, '')
}

export async function createWorld(): Promise<World> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-bench-tui-'))
  const unlimited = { RATE_BRANCHES: '1000000', RATE_CALLERS: '1000000', RATE_DEPLOY: '1000000' }
  const service = await startService(join(directory, 'data'), { LOG_LEVEL: 'error', ...unlimited })
  const { slug, key, client } = await createProject(service.url, 'tui-bench')
  const first = { 'docs.json': docs, 'index.mdx': '# Home\n' }
  await client.call(contract.deploys.create, {
    body: { files: Object.entries(first).map(([path, content]) => ({ path, content })) },
  })
  const commit = async (name: string, all: readonly { path: string; content: string }[]): Promise<string> => {
    const { id } = await client.call(contract.branches.create, { params: { slug }, body: { name } })
    const batch = 1000
    for (let at = 0; at < all.length; at += batch)
      await client.call(contract.branches.commit, {
        params: { slug, id },
        body: { changes: all.slice(at, at + batch) },
      })
    return id
  }
  const many = (count: number): { path: string; content: string }[] =>
    Array.from({ length: count }, (_, n) => ({ path: `data/part-${n % 50}/file-${n}.txt`, content: `File ${n}.\n` }))
  await commit(branches.many, many(counts[branches.many]))
  await commit(branches.most, many(counts[branches.most]))
  const id = await commit(branches.pages, [{ path: files.page, content: page(2000) }])
  await client.call(contract.branches.saveFile, {
    params: { slug, id, path: files.huge },
    body: { content: pageOf(5_000_000) },
    headers: { 'if-none-match': '*' },
  })

  let homes = 0
  const at: World['at'] = async ([width, height], work) => {
    const home = join(directory, `home-${homes++}`)
    const environment = { HOME: home, QUIRE_URL: service.url, SERVICE_API_KEY: key, COLORTERM: 'truecolor' }
    // To look closer: `UI_ARGUMENTS='--cpu-prof --cpu-prof-dir=/tmp/profiles'`.
    const words = process.env['UI_ARGUMENTS']?.split(' ') ?? []
    const program = { program: process.execPath, width, height, environment }
    const pty = new Pty([...words, join(dist, 'quire.js')], program)
    try {
      return await work(pty)
    } finally {
      await pty.dispose()
    }
  }
  const close = async (): Promise<void> => {
    await service.stop()
    await rm(directory, { recursive: true, force: true, maxRetries: 20 })
  }
  return { at, close }
}
