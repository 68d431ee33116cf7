import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startService } from '#test/support/service-process.ts'
import { median } from '#scripts/tools/bench/machine.ts'
import { Attacker } from './attacker.ts'
import { attacks, keepOn } from './attacks.ts'
import { Neighbour, operations, type Operation } from './neighbour.ts'

export type AttackName = keyof typeof attacks
export const attackNames = Object.keys(attacks) as readonly AttackName[]

/** Rounds of all operations before the attack; the ones before them warm everything up. */
const quietRounds = 12
const warmRounds = 4
/** Milliseconds until an attack is under way. */
const attackStarts = 3000
/** Milliseconds for which the neighbour works beside the attack, and that one operation waits for its end at most. */
const besideMs = 30_000
const patienceMs = 40_000
/** Milliseconds between two views of a page, and two rounds. */
const viewEvery = 50
const pause = 200

/** Milliseconds of every run; one that did not end within patience counts as that long. */
type Runs = Readonly<Record<Operation, number[]>>

export interface AttackFigures {
  readonly what: string
  readonly quiet: Runs
  readonly beside: Runs
  /** Operations that were refused or not answered in time, and with what. */
  readonly refusals: readonly string[]
  /** Longest time that the main process did nothing else, in milliseconds of its processor time. */
  readonly stallMs: number
  /** What the attacker was answered: how often each status. */
  readonly answers: ReadonlyMap<number, number>
}

/** What a neighbour’s everyday work takes alone, and while an account attacks: each attack on a service of its own. */
export async function benchNeighbours(
  names: readonly AttackName[],
  onFigures: (figures: AttackFigures) => void,
): Promise<void> {
  for (const name of names) {
    const directory = await mkdtemp(join(tmpdir(), 'quire-bench-'))
    try {
      onFigures(await besideAttack(name, directory))
    } finally {
      await rm(directory, { recursive: true, force: true, maxRetries: 20 })
    }
  }
}

async function besideAttack(name: AttackName, directory: string): Promise<AttackFigures> {
  const home = join(directory, 'home')
  await mkdir(home)
  const service = await startService(join(directory, 'data'), { LOG_LEVEL: 'error' })
  const attack = new AbortController()
  let attacking: Promise<void> | undefined
  try {
    const { what, prepare } = attacks[name]
    const neighbour = await Neighbour.moveIn(service, home)
    const attacker = await Attacker.signUp(service)
    const hands = await prepare(attacker)
    const refusals: string[] = []
    for (let round = 0; round < warmRounds; round++) await measure(neighbour, { rounds: 1, refusals })
    const quiet = await measure(neighbour, { rounds: quietRounds, refusals })
    const stallsBefore = service.stalls().length
    attacking = keepOn(hands, attack.signal)
    await sleep(attackStarts)
    const beside = await measure(neighbour, { untilMs: performance.now() + besideMs, refusals })
    const stalls = service.stalls().slice(stallsBefore)
    return {
      what,
      quiet,
      beside,
      refusals,
      stallMs: Math.max(0, ...stalls.map(({ ms }) => ms)),
      answers: attacker.answers,
    }
  } finally {
    attack.abort()
    await attacking
    await service.kill()
  }
}

interface Measuring {
  readonly rounds?: number
  /** No round begins afterwards, but for the first. */
  readonly untilMs?: number
  readonly refusals: string[]
}

/** Rounds of all operations one after the other, and views of a page all the while. */
async function measure(
  neighbour: Neighbour,
  { rounds = Infinity, untilMs = Infinity, refusals }: Measuring,
): Promise<Runs> {
  const runs: Runs = { deploy: [], save: [], clone: [], push: [], 'page view': [] }
  const one = async (operation: Operation): Promise<void> => {
    const signal = AbortSignal.timeout(patienceMs)
    const began = performance.now()
    await neighbour.measure(operation, signal).then(
      (took) => runs[operation].push(took),
      (error: unknown) => {
        runs[operation].push(signal.aborted ? patienceMs : performance.now() - began)
        refusals.push(`${operation}: ${signal.aborted ? 'not in time' : String(error)}`)
      },
    )
  }
  const over = new AbortController()
  const views = (async () => {
    while (!over.signal.aborted) {
      await one('page view')
      await sleep(viewEvery)
    }
  })()
  for (let round = 0; round < rounds && (round === 0 || performance.now() < untilMs); round++) {
    for (const operation of operations) if (operation !== 'page view') await one(operation)
    await sleep(pause)
  }
  over.abort()
  await views
  return runs
}

/** A row for each operation: quiet median and worst, beside the attack median and worst, how many, and the ratio of the medians. */
export function rowsOf({ what, quiet, beside }: AttackFigures): string[][] {
  const ms = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(1))
  return operations.map((operation, index) => {
    const [before, during] = [median(quiet[operation]), median(beside[operation])]
    return [
      index === 0 ? what : '',
      operation,
      ms(before),
      ms(Math.max(...quiet[operation])),
      ms(during),
      ms(Math.max(...beside[operation])),
      String(beside[operation].length),
      `${(during / before).toFixed(1)}x`,
    ]
  })
}
