import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { entriesStream } from '#changelog/entries.ts'
import type { EntryRecord, EntryTexts } from '#changelog/entry.ts'
import { contract } from '#contract/index.ts'
import { rendererVersion } from '#site/mdx/version.ts'
import { FileRecords } from '#storage/records/file-records.ts'
import { createProject, startService } from '#test/support/service-process.ts'
import { load, medianOf, type Sample } from './against-plain.ts'
import { type Timing, timed } from './timing.ts'

const slug = 'bench'
const seconds = 3
const rounds = 3
const connections = 32
/** All requests come from one address here. */
const unlimited = { RATE_STRANGERS: '1000000', RATE_CHANGELOG: '1000000' }
/** Entries that are appended together. */
const together = 2000
const paragraph = 'Deploys can now wait for a time that suits you, and pages that did not change are not built again. '

/**
 * Measures a changelog of many entries: the first look at it, requests for its page and feeds, and publishing one more.
 *
 * @param onTiming told each figure in milliseconds. Returns the lines about requests.
 */
export async function benchChangelog(
  entries: number,
  runs: number,
  onTiming: (timing: Timing) => void,
): Promise<readonly string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-bench-changelog-'))
  try {
    const first = await startService(directory, { LOG_LEVEL: 'error' })
    const project = await createProject(first.url, slug)
    await first.stop()
    await fill(directory, entries)
    const service = await startService(directory, { ...unlimited, LOG_LEVEL: 'error' })
    const api = `/api/projects/${slug}/changelog`
    const page = `/dashboard/${slug}/changelog`
    try {
      const get = async (path: string): Promise<void> => {
        const response = await fetch(service.url + path)
        await response.arrayBuffer()
        if (!response.ok) throw new Error(`${path} answers ${response.status}`)
      }
      onTiming({ name: 'first look at the page after a start', runs: [await timed(() => get(page))] })
      const publishing: number[] = []
      const after: number[] = []
      for (let run = 0; run < runs * 4; run++) {
        const body = { title: `One more ${run}`, content: paragraph, is_draft: false }
        publishing.push(await timed(() => create(service.url, project.key, body)))
        after.push(await timed(() => get(`${api}/rss`)))
      }
      onTiming({ name: 'publish one more entry', runs: publishing })
      onTiming({ name: 'feed after a change', runs: after })
      const deep: number[] = []
      for (let run = 0; run < runs * 4; run++)
        deep.push(await timed(() => get(`${page}?page=${1 + ((run * 997) % (entries / 20))}`)))
      onTiming({ name: 'any page of the list, not in memory', runs: deep })
      const lines: string[] = []
      const server = { port: service.port, pid: service.child.pid ?? 0 }
      for (const path of [page, `${api}/rss`, `${api}/atom`, `${api}/feed.json`, api])
        lines.push(await requests(server, path))
      lines.push(await requests(server, `${api}/rss`, true))
      return lines
    } finally {
      await service.stop()
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function create(url: string, key: string, body: object): Promise<void> {
  const { method, path } = contract.changelog.create
  const response = await fetch(url + path.replace(':slug', slug), {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (response.status !== 201) throw new Error(`publishing answers ${response.status}: ${await response.text()}`)
}

/** Entries an hour apart, of about a kilobyte, with three tags by turns. */
async function fill(directory: string, entries: number): Promise<void> {
  const records = new FileRecords({
    directory,
    onError: (_project, error) => {
      throw error
    },
  })
  const begin = Date.now() - (entries + 1) * 3_600_000
  await records.use(slug, entriesStream, async (log) => {
    for (let done = 0; done < entries; done += together) {
      const count = Math.min(together, entries - done)
      const batch = Array.from({ length: count }, (_, index) => entryOf(done + index, begin))
      await Promise.all(batch.map(({ record, texts }) => log.put(record, texts)))
    }
  })
  await records.close()
}

function entryOf(index: number, begin: number): { record: EntryRecord; texts: EntryTexts } {
  const at = begin + index * 3_600_000
  const id = `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`
  const times = { publishedAt: at, createdAt: at, updatedAt: at }
  const record = { id, number: index + 1, tags: [`tag-${index % 3}`], isDraft: false, pending: false, ...times }
  const content = `${paragraph.repeat(5)}\n\n- One\n- Two\n`
  const html = `<p>${paragraph.repeat(5)}</p><ul><li>One</li><li>Two</li></ul>`
  return { record, texts: { title: `Entry ${index}`, version: `1.${index}`, content, html, renderer: rendererVersion } }
}

async function requests(
  server: { readonly port: number; readonly pid: number },
  path: string,
  unchanged = false,
): Promise<string> {
  const headers: Record<string, string> = { 'accept-encoding': 'gzip, br' }
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers })
  const bytes = (await answer.arrayBuffer()).byteLength
  if (!answer.ok) throw new Error(`${path} answers ${answer.status}`)
  const etag = answer.headers.get('etag')
  if (unchanged && etag !== null) headers['if-none-match'] = etag
  const samples: Sample[] = []
  for (let round = 0; round < rounds; round++) samples.push(await load(server, path, { headers, seconds, connections }))
  const { perSecond, p99, cpu } = medianOf(samples)
  const what = `${path}${unchanged ? ' (304)' : ''}`
  return `  ${what.padEnd(44)} ${Math.round(perSecond).toLocaleString('en')}/s, p99 ${p99} ms, ${cpu.toFixed(0)} µs of processor (${bytes} bytes)`
}
