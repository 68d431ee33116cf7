import { type BigIntStats, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { digestOf, keepPrivate } from '../state-file.ts'

/** Where the cache of a folder that nobody deployed for so long need not lie. */
const keptMs = 60 * 24 * 60 * 60_000

/**
 * A file that was changed so shortly before it was looked at may be changed again without its times telling: they count
 * in steps, of 2 s on the coarsest file systems. It is read anew the next time, as Git does ("racy" entries).
 */
const racyNs = 2_000_000_000n

/** Format of the files; others are not read. */
const format = 1

type Entry = readonly [fingerprint: string, oid: string]

/**
 * Git ids of the files of a folder, kept between runs: only what changed is read. A file is taken for unchanged while its
 * size, both times to the nanosecond, inode and device are the same. It only saves time: what cannot be read or written is
 * done without.
 */
export class HashCache {
  readonly #file: string
  readonly #before: ReadonlyMap<string, Entry>
  readonly #entries = new Map<string, Entry>()
  readonly #now: () => bigint
  #changed = false

  /** @param now nanoseconds since 1970, for tests */
  constructor(stateDirectory: string, folder: string, now = (): bigint => BigInt(Date.now()) * 1_000_000n) {
    this.#file = join(stateDirectory, 'deploys', `${digestOf(realpathSync(folder))}.hashes.json`)
    this.#before = read(this.#file)
    this.#now = now
  }

  /** Undefined: the file must be read. */
  oidOf(path: string, stats: BigIntStats): string | undefined {
    const entry = this.#before.get(path)
    if (entry === undefined || entry[0] !== fingerprintOf(stats)) return undefined
    this.#entries.set(path, entry)
    return entry[1]
  }

  /** @param stats of before it was read */
  add(path: string, stats: BigIntStats, oid: string): void {
    const newest = stats.mtimeNs > stats.ctimeNs ? stats.mtimeNs : stats.ctimeNs
    if (newest > this.#now() - racyNs) return
    this.#entries.set(path, [fingerprintOf(stats), oid])
    this.#changed = true
  }

  /** Keeps what was asked for and added, and nothing else. */
  save(): void {
    if (!this.#changed && this.#entries.size === this.#before.size) return
    const isNew = this.#before.size === 0
    keepPrivate(this.#file, JSON.stringify({ format, entries: [...this.#entries] }))
    if (isNew) dropOld(join(this.#file, '..'))
  }
}

function fingerprintOf({ size, mtimeNs, ctimeNs, ino, dev }: BigIntStats): string {
  return `${size} ${mtimeNs} ${ctimeNs} ${ino} ${dev}`
}

function read(file: string): Map<string, Entry> {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as { format: number; entries: [string, Entry][] }
    return new Map(kept.format === format ? kept.entries : [])
  } catch {
    return new Map()
  }
}

function dropOld(directory: string): void {
  try {
    for (const name of readdirSync(directory)) {
      const file = join(directory, name)
      if (Date.now() - statSync(file).mtimeMs > keptMs) rmSync(file, { force: true })
    }
  } catch {
    // Another process was faster.
  }
}
