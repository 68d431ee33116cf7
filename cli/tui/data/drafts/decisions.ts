import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import type { Disk } from '../disk/disk.ts'
import { instanceText, isInstanceAlive } from '../disk/instance.ts'
import { DecisionPlace, joined, KeptDecision, type WrittenText } from './decision.ts'

const WrittenDecision = Type.Intersect([KeptDecision, Type.Object({ changedAt: Type.String() })])
type WrittenDecision = Static<typeof WrittenDecision>

const Written = Type.Object({
  version: Type.Literal(1),
  place: DecisionPlace,
  decisions: Type.Array(WrittenDecision),
})
type Written = Static<typeof Written>

/** What was found of terminals that have ended. */
export interface FoundDecisions {
  /** At most one a path. */
  readonly decisions: readonly KeptDecision[]
  /** Sentences for the person: which other terminals are at it. */
  readonly elsewhere: readonly string[]
  /** Sentences for the person: what cannot be read, and where it is. */
  readonly troubles: readonly string[]
}

/** Decisions on conflicts, by their place. */
export interface DecisionStore {
  /** Those of terminals that have ended: they are ours from now on, and go with the next `write`. Does not throw. */
  take(place: DecisionPlace): Promise<FoundDecisions>
  /** All of ours, in the place of those before, and of those that were taken: durable when it resolves. @throws what the disk says */
  write(place: DecisionPlace, decisions: readonly KeptDecision[]): Promise<void>
  /** Writes texts that were used nowhere for the person to find. @returns the file. @throws what the disk says */
  putAside(place: DecisionPlace, texts: readonly WrittenText[]): Promise<string>
  /** Where terminals that have ended left something. Does not throw. */
  places(): Promise<readonly DecisionPlace[]>
}

const suffix = '.json'

/**
 * Decisions of one account, so that a text that was merged by hand outlives the terminal: `decisions/<place>/<instance>.json`.
 * Each terminal writes a file of its own, and has those of terminals that have ended by renaming them, which only one can do.
 */
export class DecisionFiles implements DecisionStore {
  readonly #disk: Disk
  readonly #directory: string
  readonly #instance: string
  readonly #log: (message: string) => void
  /** Files that were taken and are not in ours yet, by folder. */
  readonly #taken = new Map<string, readonly string[]>()
  /** Files that were read, and could not be taken. */
  readonly #seen = new Set<string>()
  /** What is in our files, by folder and path. */
  readonly #written = new Map<string, ReadonlyMap<string, WrittenDecision>>()
  /** One at a time, in order. */
  #work: Promise<unknown> = Promise.resolve()

  constructor(
    disk: Disk,
    options: { readonly directory: string; readonly instance: string; readonly log: (message: string) => void },
  ) {
    this.#disk = disk
    this.#directory = join(options.directory, 'decisions')
    this.#instance = options.instance
    this.#log = options.log
  }

  take(place: DecisionPlace): Promise<FoundDecisions> {
    return this.#inTurn(() => this.#take(place))
  }

  write(place: DecisionPlace, decisions: readonly KeptDecision[]): Promise<void> {
    // What is taken after this is not among these.
    const taken = this.#taken.get(this.#folder(place)) ?? []
    return this.#inTurn(() => this.#replace(place, decisions, taken))
  }

  async putAside(place: DecisionPlace, texts: readonly WrittenText[]): Promise<string> {
    const file = join(this.#folder(place), `unused-${randomBytes(4).toString('hex')}.md`)
    const content = texts.map(({ path, text }) => `${path}:\n\n${text}\n`).join('\n')
    await this.#disk.replace(file, [Buffer.from(content)], { durable: true })
    return file
  }

  async places(): Promise<readonly DecisionPlace[]> {
    const places = new Map<string, DecisionPlace>()
    try {
      for (const folder of await this.#disk.folders(this.#directory)) {
        for (const { name, modifiedAt } of await this.#disk.list(join(this.#directory, folder))) {
          if (!name.endsWith(suffix) || (await isInstanceAlive(instanceOf(name), modifiedAt))) continue
          const bytes = await this.#disk.read(join(this.#directory, folder, name))
          const written = bytes === undefined ? undefined : writtenIn(bytes)
          if (written !== undefined) places.set(folder, written.place)
        }
      }
    } catch (error) {
      this.#log(`${this.#directory}: ${String(error)}`)
    }
    return [...places.values()]
  }

  async #take(place: DecisionPlace): Promise<FoundDecisions> {
    const folder = this.#folder(place)
    const found: WrittenDecision[] = []
    const taken: string[] = []
    const elsewhere: string[] = []
    const troubles: string[] = []
    try {
      for (const { name, modifiedAt } of await this.#disk.list(folder)) {
        const instance = instanceOf(name)
        const file = join(folder, name)
        if (!name.endsWith(suffix) || instance === this.#instance || this.#seen.has(file)) continue
        if (await isInstanceAlive(instance, modifiedAt)) {
          elsewhere.push(elsewhereText(instance))
          continue
        }
        const decisions = await this.#read(file, troubles)
        const ours = join(folder, `${this.#instance}.${randomBytes(4).toString('hex')}${suffix}`)
        // Else another terminal was faster.
        if (decisions === undefined || !(await this.#claim(file, ours))) continue
        found.push(...decisions)
        taken.push(ours)
      }
    } catch (error) {
      troubles.push(this.#unreadable(folder, error))
    }
    this.#taken.set(this.#folder(place), [...(this.#taken.get(this.#folder(place)) ?? []), ...taken])
    const decisions = new Map<string, KeptDecision>()
    for (const { changedAt: _, ...one } of found.toSorted((a, b) => (a.changedAt < b.changedAt ? 1 : -1))) {
      const later = decisions.get(one.path)
      decisions.set(one.path, later === undefined ? one : joined(later, one))
    }
    return { decisions: [...decisions.values()], elsewhere, troubles }
  }

  /** Where nothing can be renamed it is read nevertheless, once. */
  #claim(file: string, ours: string): Promise<boolean> {
    return this.#disk.move(file, ours).catch((error: unknown) => {
      this.#log(`${file}: ${String(error)}`)
      this.#seen.add(file)
      return true
    })
  }

  /** What cannot be understood is put aside. */
  async #read(file: string, troubles: string[]): Promise<readonly WrittenDecision[] | undefined> {
    try {
      const bytes = await this.#disk.read(file)
      const decisions = bytes === undefined ? [] : writtenIn(bytes)?.decisions
      if (decisions !== undefined) return decisions
      const aside = `${file}.damaged`
      if (await this.#disk.move(file, aside))
        troubles.push(
          `What was decided here before is damaged, or of another version of Quire. It is kept as ${aside}.`,
        )
    } catch (error) {
      troubles.push(this.#unreadable(file, error))
    }
    return undefined
  }

  #unreadable(path: string, error: unknown): string {
    this.#log(`${path}: ${String(error)}`)
    const { code = 'no reason is known' } = error as NodeJS.ErrnoException
    return `What was decided here before cannot be read now (${code}). It stays where it is: ${path}.`
  }

  async #replace(place: DecisionPlace, decisions: readonly KeptDecision[], taken: readonly string[]): Promise<void> {
    const file = join(this.#folder(place), this.#instance + suffix)
    if (decisions.length === 0) await this.#disk.remove(file)
    else {
      const before = this.#written.get(this.#folder(place))
      const now = new Date().toISOString()
      const written = decisions.map((one) => {
        const { changedAt = now, ...known } = before?.get(one.path) ?? {}
        return { ...one, changedAt: JSON.stringify(known) === JSON.stringify(one) ? changedAt : now }
      })
      await this.#disk.replace(
        file,
        [Buffer.from(JSON.stringify({ version: 1, place, decisions: written } satisfies Written))],
        {
          durable: true,
        },
      )
      this.#written.set(this.#folder(place), new Map(written.map((one) => [one.path, one])))
    }
    for (const one of taken) await this.#disk.remove(one)
    this.#taken.set(
      this.#folder(place),
      this.#taken.get(this.#folder(place))?.filter((one) => !taken.includes(one)) ?? [],
    )
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work)
    this.#work = done.catch((error: unknown) => {
      this.#log(`decisions on conflicts could not be kept: ${String(error)}`)
    })
    return done
  }

  /** A place may be longer than names of files, and mean something to the system. */
  #folder(place: DecisionPlace): string {
    return join(this.#directory, createHash('sha256').update(keyOf(place)).digest('hex').slice(0, 32))
  }
}

function elsewhereText(instance: string): string {
  return `Another terminal (${instanceText(instance)}) is at this, too. What you decide there and here is kept apart until one of them ends; then it is brought together.`
}

/** A project may be renamed: its branches are the same then. */
export function keyOf({ branchId, path }: DecisionPlace): string {
  return path === undefined ? branchId : `${branchId}\n${path}`
}

function instanceOf(name: string): string {
  return name.split('.', 1)[0] ?? ''
}

function writtenIn(bytes: Buffer): Written | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return Value.Check(Written, value) ? value : undefined
  } catch {
    return undefined
  }
}
