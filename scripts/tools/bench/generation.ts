import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { root } from '#lib/paths.ts'
import { startModelServer, type ModelReply, type ModelServer } from '#test/support/model-server.ts'
import { createProject, startService, unlimited, type ServiceProcess } from '#test/support/service-process.ts'
import { median } from './machine.ts'
import { ownCpuMs } from './processes.ts'

const streams = 100
/** Streams of one account at a time: as many as it may have. */
const share = 4
/** What a model writes: 100 pieces of a few words, at about the pace of one. */
const pieces = Array.from({ length: 100 }, (_, index) => `word ${index} of an answer `)
const atOnce: ModelReply = { chunks: pieces }
const paced: ModelReply = { chunks: pieces, chunkDelayMs: 20 }

/** Where answers are asked for, and as whom. */
interface Target {
  readonly url: string
  readonly key: string
  readonly body: string
  /** What an event with text has in it. */
  readonly text: string
}

interface Times {
  /** Milliseconds to the first text, and to the end. */
  readonly first: number
  readonly whole: number
}

export interface GenerationFigures {
  /** One stream after the other, by turns. */
  readonly single: { readonly direct: readonly Times[]; readonly proxied: readonly Times[]; readonly cpuMs: number }
  readonly many: { readonly direct: readonly Times[]; readonly proxied: readonly Times[]; readonly cpuMs: number }
  /** Milliseconds of another request every 5 ms: alone, and beside the streams. */
  readonly quiet: readonly number[]
  readonly beside: readonly number[]
  /** Longest stall of the service’s event loop, processor time; 0 where none was over 25 ms. */
  readonly stallMs: number
}

/** What the proxy adds to streams of a router: one at a time, and 100 at once of as many accounts as that takes. */
export async function benchGeneration(rounds: number): Promise<GenerationFigures> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-bench-'))
  let reply = atOnce
  const models = await startModelServer(() => reply)
  const service = await startService(directory, { ...unlimited, ...models.settings, LOG_LEVEL: 'error' })
  // As many connections as streams, kept: to make them is not what is measured.
  const agent = new Agent({ connections: streams + 1, keepAliveTimeout: 60_000 })
  try {
    const keys: string[] = []
    for (let number = 0; number < streams / share; number++)
      keys.push((await createProject(service.url, `bench${number}`)).key)
    const proxied = keys.map((key) => proxiedTarget(service, key))
    const [one = proxiedTarget(service, '')] = proxied
    const direct = directTarget(models)
    for (let warm = 0; warm < 50; warm++) await Promise.all([ask(agent, one), ask(agent, direct)])
    const single = await bySingle(agent, { service, direct, proxied: one, turns: rounds * 40 })
    reply = paced
    const quiet = await pingsDuring(service.url, sleep(2000))
    const many = { direct: [] as Times[], proxied: [] as Times[], cpuMs: 0 }
    const beside: number[] = []
    for (let round = 0; round < rounds; round++) {
      many.direct.push(...(await Promise.all(Array.from({ length: streams }, () => ask(agent, direct)))))
      const before = ownCpuMs(service.child.pid ?? 0)
      const all = sleep(500).then(() =>
        Promise.all(proxied.flatMap((target) => Array.from({ length: share }, () => ask(agent, target)))),
      )
      beside.push(...(await pingsDuring(service.url, all)))
      many.proxied.push(...(await all))
      many.cpuMs += (ownCpuMs(service.child.pid ?? 0) - before) / streams / rounds
    }
    return { single, many, quiet, beside, stallMs: Math.max(0, ...service.stalls().map(({ ms }) => ms)) }
  } finally {
    await agent.close()
    await service.stop()
    await models.close()
    await rm(directory, { recursive: true, force: true })
  }
}

const messages = [{ role: 'user', content: 'Write a hundred pieces.' }]

function directTarget({ url, key }: ModelServer): Target {
  const body = JSON.stringify({ model: 'bench', messages, stream: true, stream_options: { include_usage: true } })
  return { url: `${url}/chat/completions`, key, body, text: '"content"' }
}

const proxiedTarget = ({ url }: ServiceProcess, key: string): Target => ({
  url: `${url}/api/proxy/generate`,
  key,
  body: JSON.stringify({ messages, stream: true }),
  text: 'event: delta',
})

async function ask(agent: Agent, { url, key, body: sent, text }: Target): Promise<Times> {
  const started = performance.now()
  const { statusCode, body } = await request(url, {
    method: 'POST',
    dispatcher: agent,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: sent,
  })
  let first = NaN
  let all = ''
  for await (const bytes of body as AsyncIterable<Buffer>) {
    all += bytes.toString()
    if (Number.isNaN(first) && all.includes(text)) first = performance.now() - started
  }
  if (statusCode !== 200 || !all.includes('word 99'))
    throw new Error(`no whole answer (${statusCode}): ${all.slice(-500)}`)
  return { first, whole: performance.now() - started }
}

interface Singles {
  readonly service: ServiceProcess
  readonly direct: Target
  readonly proxied: Target
  readonly turns: number
}

/** By turns, so that what else the machine does meets both. */
async function bySingle(agent: Agent, { service, direct, proxied, turns }: Singles) {
  const times: { direct: Times[]; proxied: Times[] } = { direct: [], proxied: [] }
  const before = ownCpuMs(service.child.pid ?? 0)
  for (let turn = 0; turn < turns; turn++) {
    times.direct.push(await ask(agent, direct))
    times.proxied.push(await ask(agent, proxied))
  }
  return { ...times, cpuMs: (ownCpuMs(service.child.pid ?? 0) - before) / turns }
}

/** Milliseconds of small requests, one every 5 ms, until some work is done. */
async function pingsDuring(url: string, work: Promise<unknown>): Promise<number[]> {
  const pinger = fork(join(root, 'scripts/tools/bench', 'ping.mjs'), [`${url}/healthz`])
  await work
  pinger.send('stop')
  const [times] = (await once(pinger, 'message')) as [number[]]
  return times
}

/** The figures as rows: milliseconds. */
export function rowsOfGeneration({ single, many, quiet, beside, stallMs }: GenerationFigures): string[][] {
  const ms = (value: number): string => value.toFixed(value < 100 ? 1 : 0)
  const row = (name: string, values: readonly number[], note = ''): string[] => {
    const sorted = values.toSorted((a, b) => a - b)
    const p99 = sorted[Math.ceil(sorted.length * 0.99) - 1] ?? NaN
    return [name, String(values.length), ms(median(values)), ms(p99), ms(sorted.at(-1) ?? NaN), note]
  }
  const both = (name: string, { direct, proxied, cpuMs }: GenerationFigures['single']): string[][] => [
    row(
      `${name}: first text, direct`,
      direct.map(({ first }) => first),
    ),
    row(
      `${name}: first text, through the service`,
      proxied.map(({ first }) => first),
    ),
    row(
      `${name}: whole, direct`,
      direct.map(({ whole }) => whole),
    ),
    row(
      `${name}: whole, through the service`,
      proxied.map(({ whole }) => whole),
      `${cpuMs.toFixed(1)} ms of processor a stream`,
    ),
  ]
  return [
    ...both('one stream', single),
    ...both(`${streams} at once`, many),
    row('another request, alone', quiet),
    row(
      `another request, beside ${streams} streams`,
      beside,
      `longest stall ${stallMs === 0 ? 'under 25' : ms(stallMs)} ms`,
    ),
  ]
}
