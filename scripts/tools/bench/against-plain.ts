import { execFile, fork } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '#lib/paths.ts'

const run = promisify(execFile)

/** A site to measure. */
export interface ServingTarget {
  readonly port: number
  /** Process of the service, for its processor time. */
  readonly pid: number
  /** Host header of the site. */
  readonly host: string
  /** Path of a page, and of a hashed asset. */
  readonly page: string
  readonly asset: string
}

export interface ServingOptions {
  /** Seconds of each measurement; there are six a round. Default 3. */
  readonly seconds?: number
  /** Rounds, ours and the plain server by turns; the median counts. Default 3. */
  readonly rounds?: number
  /** Connections, kept alive, one request at a time on each. Default 32. */
  readonly connections?: number
}

export interface Sample {
  readonly perSecond: number
  /** Milliseconds, as autocannon counts them: whole ones. */
  readonly p99: number
  /** Processor time of the server for a request, microseconds: what a busy machine does not distort. NaN without /proc. */
  readonly cpu: number
}

export interface ServingFigure {
  readonly what: 'page' | '304' | 'hashed asset'
  /** Bytes of the answer’s body. */
  readonly bytes: number
  readonly ours: Sample
  /** The same bytes from a plain `node:http` server. */
  readonly plain: Sample
}

interface Answer {
  readonly status: number
  readonly headers: readonly string[]
  readonly etag: string
  readonly body: Buffer
}

/** Measures a running service against a plain static server with the same bytes; load comes from a third process. */
export async function measureServing(
  target: ServingTarget,
  options: ServingOptions = {},
): Promise<readonly ServingFigure[]> {
  const figures: ServingFigure[] = []
  for (const what of ['page', '304', 'hashed asset'] as const) {
    figures.push(await measureOne(target, what, { seconds: 3, rounds: 3, connections: 32, ...options }))
  }
  return figures
}

async function measureOne(
  target: ServingTarget,
  what: ServingFigure['what'],
  { seconds, rounds, connections }: Required<ServingOptions>,
): Promise<ServingFigure> {
  const path = what === 'hashed asset' ? target.asset : target.page
  const headers: Record<string, string> = {
    host: target.host,
    'accept-encoding': 'gzip, deflate, br',
    accept: 'text/html,*/*',
  }
  const answer = await settled(target.port, path, headers)
  if (answer.status !== 200) throw new Error(`${path} of ${target.host} answers ${answer.status}`)
  if (what === '304') headers['if-none-match'] = answer.etag
  const plain = await startPlain(answer)
  try {
    const ours: Sample[] = []
    const theirs: Sample[] = []
    for (let round = 0; round < rounds; round++) {
      ours.push(await load(target, path, { headers, seconds, connections }))
      theirs.push(await load(plain, path, { headers, seconds, connections }))
    }
    const bytes = what === '304' ? 0 : answer.body.length
    return { what, bytes, ours: medianOf(ours), plain: medianOf(theirs) }
  } finally {
    plain.stop()
  }
}

/** Asks until two answers are alike: the first ones come before the page is compressed. */
async function settled(port: number, path: string, headers: Record<string, string>): Promise<Answer> {
  let last = await get(port, path, headers)
  for (let i = 0; i < 20; i++) {
    await new Promise((resolve) => {
      setTimeout(resolve, 100)
    })
    const next = await get(port, path, headers)
    if (i > 2 && next.etag === last.etag) return next
    last = next
  }
  return last
}

export function get(port: number, path: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const etag = response.headers.etag ?? ''
        resolve({ status: response.statusCode ?? 0, headers: response.rawHeaders, etag, body: Buffer.concat(chunks) })
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** A plain server that sends the same bytes with the headers that a browser cannot do without. */
export async function startPlain({
  body,
  headers,
  etag,
}: Answer): Promise<{ readonly port: number; readonly pid: number; stop(): void }> {
  const needed = new Set(['content-type', 'content-encoding', 'content-length', 'etag', 'cache-control'])
  const kept = headers.flatMap((name, i) =>
    i % 2 === 0 && needed.has(name.toLowerCase()) ? [name, headers[i + 1] ?? ''] : [],
  )
  const child = fork(join(root, 'scripts/tools/bench', 'plain-server.mjs'), { execArgv: [] })
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(Number(message)))
    child.once('error', reject)
    child.send({ bytes: body.toString('base64'), headers: kept, etag })
  })
  return { port, pid: child.pid ?? 0, stop: () => child.disconnect() }
}

interface LoadOptions {
  readonly headers: Record<string, string>
  readonly seconds: number
  readonly connections: number
}

export async function load(
  server: { readonly port: number; readonly pid: number },
  path: string,
  options: LoadOptions,
): Promise<Sample> {
  const url = `http://127.0.0.1:${server.port}${path}`
  await cannon(url, { ...options, seconds: 1 })
  const before = processorTime(server.pid)
  const { total, perSecond, p99 } = await cannon(url, options)
  return { perSecond, p99, cpu: (processorTime(server.pid) - before) / total }
}

async function cannon(
  url: string,
  { headers, seconds, connections }: LoadOptions,
): Promise<{ total: number; perSecond: number; p99: number }> {
  const program = createRequire(join(root, 'package.json')).resolve('autocannon')
  const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`])
  const settings = ['--json', '--no-progress', '-c', String(connections), '-d', String(seconds)]
  const { stdout } = await run(process.execPath, [program, ...settings, ...fields, url])
  const result = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as {
    requests: { average: number; total: number }
    latency: { p99: number }
    errors: number
  }
  if (result.errors > 0) throw new Error(`${result.errors} requests for ${url} failed`)
  return { total: result.requests.total, perSecond: result.requests.average, p99: result.latency.p99 }
}

/** User and system time of a process, microseconds. Linux counts hundredths of a second (proc(5)). */
function processorTime(pid: number): number {
  if (!existsSync(`/proc/${pid}/stat`)) return NaN
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

export function medianOf(samples: readonly Sample[]): Sample {
  const middle = samples.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(samples.length / 2)]
  if (middle === undefined) throw new Error('There are no samples')
  return middle
}
