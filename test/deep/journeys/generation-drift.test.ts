import { mkdtemp, readFile, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TokenUsage } from '#contract/generation.ts'
import { contract } from '#contract/index.ts'
import { createGenerator, generate, type Generator, type Seen } from '#test/support/generate.ts'
import { startModelServer, type ModelCall, type ModelReply, type ModelServer } from '#test/support/model-server.ts'
import { startService, unlimited, type ServiceProcess } from '#test/support/service-process.ts'
import { removeDirectory } from '#test/support/temporary.ts'
import { Random } from '#scripts/tools/soak/random.ts'

const [requests, tenants, lanes] = [400, 8, 4]
/** Words that every prompt and every answer has, and nothing else. */
const [asked, answered] = ['marzipan', 'nougat']
/** US dollars for a million tokens of the primary model. */
const price = { input: 3, output: 15 }

/** What happens to a request. */
interface Plan {
  readonly name: string
  readonly reply: ModelReply
  /** The client leaves: at once, or when it has read so many pieces. */
  readonly leaveAfter?: number
  readonly stream: boolean
  /** It comes twice at once, and again when it failed. */
  readonly isKeyed: boolean
  /** Shares its generation with others. */
  readonly generation?: string
}

/** One request to a model that counts. */
interface Charge {
  /** What it counts for. */
  readonly generation: string
  readonly usage: TokenUsage
}

let directory: string
let router: ModelServer
let service: ServiceProcess
let owners: Generator[]
let plans: Plan[]
const attempts = new Map<number, number>()

const random = new Random(20_261_122)
const below = (of: number): number => Math.floor(random.between(0, of))
const oneOf = <T>(all: readonly T[]): T => all[below(all.length)] as T
const pieces = (count: number): string[] => Array.from({ length: count }, () => `${answered} ${below(1_000_000)} `)
const bytes = (texts: readonly string[]): number => Buffer.byteLength(texts.join(''))
const promptOf = (index: number): string => `Request ${index}: ${asked} `.padEnd(40 + (index % 97), 'é')

function planOf(index: number): Plan {
  const chunks = pieces(1 + below(4))
  const cut = below(chunks.length + 1)
  const reported = {
    prompt_tokens: below(5000),
    completion_tokens: 1 + below(900),
    cost: below(90_000) / 1e6,
  }
  const kinds: readonly (readonly [
    share: number,
    plan: () => Omit<Plan, 'stream' | 'isKeyed'> & { stream?: boolean },
  ])[] = [
    [30, () => ({ name: 'whole', reply: { chunks, usage: reported } })],
    [10, () => ({ name: 'whole, with no usage told', reply: { chunks, usage: null } })],
    [18, () => ({ name: 'refused', reply: { status: oneOf([400, 402, 403, 429, 502, 503]) } })],
    [10, () => ({ name: 'reset', reply: { chunks, failAfter: { chunks: cut - 1, how: 'reset' } } })],
    [9, () => ({ name: 'error amidst', reply: { chunks, failAfter: { chunks: cut, how: 'error' } } })],
    [7, () => ({ name: 'cut off', reply: { chunks, failAfter: { chunks: cut, how: 'end' } } })],
    [4, () => ({ name: 'hangs', reply: { chunks, failAfter: { chunks: cut - 1, how: 'hang' } } })],
    [5, () => ({ name: 'left early', reply: { failAfter: { chunks: 0, how: 'hang' } }, leaveAfter: 0 })],
    [
      7,
      () => ({
        name: 'left',
        reply: { chunks, failAfter: { chunks: chunks.length, how: 'hang' } },
        leaveAfter: chunks.length,
        stream: true,
      }),
    ],
  ]
  let at = below(kinds.reduce((sum, [share]) => sum + share, 0))
  const make = kinds.find(([share]) => (at -= share) < 0)?.[1]
  return {
    stream: below(2) === 0,
    isKeyed: below(3) === 0,
    ...(below(6) === 0 ? { generation: `together-${index % tenants}-${below(3)}` } : {}),
    ...(make?.() ?? { name: 'none', reply: {} }),
  }
}

beforeAll(async () => {
  plans = Array.from({ length: requests }, (_, index) => planOf(index))
  router = await startModelServer(({ body }) => {
    const index = Number(/^Request (\d+)/.exec(body.messages[0]?.content ?? '')?.[1])
    const plan = plans[index] as Plan
    if (isSecond(index))
      return { chunks: [`${answered} at last`], usage: { prompt_tokens: 7, completion_tokens: 3, cost: 0.001 } }
    return plan.reply
  })
  directory = await mkdtemp(join(tmpdir(), 'quire-drift-'))
  service = await startService(directory, {
    ...unlimited,
    ...router.settings,
    LOG_LEVEL: 'trace',
    MODEL_PRIMARY: 'acme/large',
    MODEL_FALLBACK: 'acme/spare',
    MODEL_PRICES: `acme/large=${price.input}/${price.output}`,
    MODEL_SILENCE_SECONDS: '1',
  })
  owners = await Promise.all(
    Array.from({ length: tenants }, (_, index) => createGenerator(service.url, `drift-${index}`)),
  )
})
afterAll(async () => {
  await service.stop()
  await router.close()
  await removeDirectory(directory)
})

/** When the router has been asked: whoever leaves before that may be heard of after the next try. */
async function askedFor(index: number): Promise<void> {
  while (callsOf(index).length === 0) await sleep(20)
}

/** The repetition of a keyed request that failed the first time. */
const isSecond = (index: number): boolean => (attempts.get(index) ?? 0) > 0

async function send(index: number): Promise<Seen> {
  const { stream, isKeyed, generation, leaveAfter } = plans[index] as Plan
  const leaves = leaveAfter !== undefined && !isSecond(index)
  const wanted = leaves ? bytes((plans[index] as Plan).reply.chunks ?? []) : 0
  const gone = new AbortController()
  if (leaves && leaveAfter === 0) void askedFor(index).then(() => gone.abort())
  return generate(
    owners[index % tenants] as Generator,
    { prompt: promptOf(index), stream, ...(generation === undefined ? {} : { generation }) },
    {
      ...(isKeyed ? { key: `key-${index}` } : {}),
      signal: gone.signal,
      onDelta: (deltas) => {
        if (leaves && bytes(deltas) >= wanted) gone.abort()
      },
    },
  )
}

/** By the length of the texts, at the price of the primary model. */
function estimated(index: number, texts: readonly string[]): TokenUsage {
  const inputTokens = Math.ceil(Buffer.byteLength(promptOf(index)) / 4) + 4
  const outputTokens = Math.ceil(bytes(texts) / 4)
  const costUsd = (inputTokens * price.input + outputTokens * price.output) / 1e6
  return { inputTokens, outputTokens, costUsd, estimated: true }
}

/** What a request must have cost, by what its client saw and its script says. */
function chargeOf(index: number, seen: Seen): TokenUsage | undefined {
  const { stream, leaveAfter, reply } = plans[index] as Plan
  if (seen.generation !== undefined) {
    const { usage } = seen.generation
    const told = isSecond(index) ? { prompt_tokens: 7, completion_tokens: 3, cost: 0.001 } : reply.usage
    if (told === null || told === undefined) expect(usage).toEqual(estimated(index, [seen.generation.content]))
    else
      expect(usage).toEqual({
        inputTokens: told.prompt_tokens,
        outputTokens: told.completion_tokens,
        costUsd: told.cost,
      })
    if (stream) expect(seen.deltas.join('')).toBe(seen.generation.content)
    return usage
  }
  if (leaveAfter !== undefined && !isSecond(index))
    return leaveAfter === 0 ? undefined : estimated(index, reply.chunks ?? [])
  expect(seen.isCutOff).toBe(false)
  const usage = seen.problem?.usage
  if (stream && seen.deltas.length > 0) expect(usage).toEqual(estimated(index, seen.deltas))
  else if (stream) expect(usage).toBeUndefined()
  else if (usage !== undefined) expect(usage).toMatchObject({ estimated: true })
  return usage
}

const callsOf = (index: number): readonly ModelCall[] =>
  router.calls.filter(({ body }) => body.messages[0]?.content === promptOf(index))

async function carryOut(index: number): Promise<readonly Charge[]> {
  const { isKeyed, generation = `alone-${index}`, name, leaveAfter } = plans[index] as Plan
  const charges: Charge[] = []
  for (;;) {
    const before = callsOf(index).length
    // Of two that leave at once, the second may come when the first has gone: another try, which nobody waits for.
    const isAlone = !isKeyed || (leaveAfter === 0 && !isSecond(index))
    const seen = await Promise.all(isAlone ? [send(index)] : [send(index), send(index)])
    const [first, second = first] = seen as [Seen, Seen?]
    const calls = callsOf(index).length - before
    if (first.generation !== undefined) expect(calls, name).toBe(1)
    // The same answer for both, but for how its text came in pieces.
    if (leaveAfter === undefined && calls === 1)
      expect({ ...second, deltas: second.deltas.join('') }, name).toEqual({ ...first, deltas: first.deltas.join('') })
    // Where the first had failed before the second came, that was another try.
    for (const each of calls === 1 ? [first] : seen) {
      const usage = chargeOf(index, each)
      if (usage !== undefined) charges.push({ generation, usage })
    }
    if (!isKeyed || first.generation !== undefined) return charges
    expect(isSecond(index), name).toBe(false)
    // Who left is noticed a moment later: from then on nobody joins that request.
    if (first.isCutOff) await expect.poll(() => callsOf(index).every(({ aborted }) => aborted)).toBe(true)
    attempts.set(index, 1)
  }
}

async function meterOf({ owner, slug }: Generator) {
  const { generations, models } = await owner.call(contract.usage.read, { params: { slug } })
  const { inputTokens, outputTokens, costUsd } = models
  return { generations: generations.used, inputTokens, outputTokens, nanoUsd: Math.round(costUsd * 1e9) }
}

function meterBy(charges: readonly Charge[]): Awaited<ReturnType<typeof meterOf>> {
  const sum = (of: (usage: TokenUsage) => number): number => charges.reduce((all, { usage }) => all + of(usage), 0)
  return {
    generations: new Set(charges.map(({ generation }) => generation)).size,
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    nanoUsd: sum(({ costUsd = 0 }) => Math.round(costUsd * 1e9)),
  }
}

it('400 requests in every way that they can end leave the meters at what was used', { timeout: 240_000 }, async () => {
  const charges: Charge[][] = owners.map(() => [])
  await Promise.all(
    owners.map(async (_, tenant) => {
      const lane = pLimit(lanes)
      const mine = plans.map((_plan, index) => index).filter((index) => index % tenants === tenant)
      await Promise.all(mine.map((index) => lane(async () => charges[tenant]?.push(...(await carryOut(index))))))
    }),
  )
  for (const [tenant, owner] of owners.entries())
    await expect.poll(() => meterOf(owner)).toEqual(meterBy(charges[tenant] ?? []))
  // Every kind of end was among them, and some of each was charged and some was not.
  expect(new Set(plans.map(({ name }) => name)).size).toBe(9)
  expect(charges.flat().length).toBeGreaterThan(requests / 2)

  // Nothing is held, in memory or on disk: the next start finds the same.
  const before = await Promise.all(owners.map(meterOf))
  await service.kill()
  const texts = await Promise.all(
    (await readdir(directory, { recursive: true, withFileTypes: true }))
      // The version of a document before the last is kept beside it.
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.previous'))
      .map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8')),
  )
  expect(texts.filter((text) => /"held":\{"/.test(text))).toEqual([])
  // No prompt is kept anywhere; nothing of either is in the log.
  expect(texts.filter((text) => text.includes(asked) || text.includes(router.key))).toEqual([])
  const log = service.log()
  expect(log).toContain('model router')
  for (const word of [asked, answered, router.key]) expect(log.includes(word)).toBe(false)
  service = await startService(directory, { ...unlimited, ...router.settings }, service.port)
  expect(await Promise.all(owners.map(meterOf))).toEqual(before)
})
