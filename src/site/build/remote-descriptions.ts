import { LRUCache } from 'lru-cache'
import type { ErrorDetail } from '../../contract/common.ts'
import { limits } from '../../contract/limits.ts'
import type { AssetRecord } from '../../contract/release.ts'
import { show } from '../../lib/json-reader.ts'
import { parseUrl } from '../../lib/parse-url.ts'
import { eachInTurns, inSlices } from '../../lib/slices.ts'
import { isAddress } from '../api/names.ts'
import type { BuildRequest, FetchFile } from '../builder.ts'
import type { AssetRecords, BlobSink } from './blobs.ts'

/** Addresses that a site may name, and those that it may read with all that they refer to. */
const maxNamed = 10
const maxFiles = 40
/** How deep files refer to files: each step takes a description apart once more. */
const maxSteps = 5
/** Bytes of all of them together. */
const maxBytes = 4 * limits.descriptionBytes
/** Milliseconds that all requests of a build may take together: others wait for its turn. */
const maxFetching = 30_000
/** Requests at a time. */
const fetchers = 4
/** Milliseconds that a copy is used without a question, and that an address which did not answer is left alone. */
const freshMs = 10 * 60_000
const failedMs = 60_000
/** Bytes of answers in memory, of all projects: for builds that leave no release, such as checks. What is forgotten costs a request. */
const recentBytes = 32 * 1024 * 1024

type Answer = { readonly at: number } & (
  | { readonly bytes: Buffer; readonly etag: string | undefined }
  | { readonly failure: string }
)

interface Asking {
  /** Of the build. */
  readonly signal: AbortSignal | undefined
  /** For all requests of a build together. */
  readonly time: AbortSignal
  /** Of the copy that is there. */
  readonly etag: string | undefined
}

/** Asks for descriptions at other addresses, for all builds of a process. */
export class DescriptionFetcher {
  readonly #fetch: FetchFile | undefined
  readonly #recent = new LRUCache<string, Answer>({
    maxSize: recentBytes,
    sizeCalculation: (answer) => 1000 + ('bytes' in answer ? answer.bytes.length : 0),
  })

  /** @param fetch Absent: nothing can be asked for. */
  constructor(fetch: FetchFile | undefined) {
    this.#fetch = fetch
  }

  /** What an address said to this project a short while ago. */
  recent(project: string, address: string): Answer | undefined {
    const answer = this.#recent.get(`${project} ${address}`)
    if (answer === undefined) return undefined
    return Date.now() - answer.at < ('bytes' in answer ? freshMs : failedMs) ? answer : undefined
  }

  /** Undefined where it is as it was under the tag. Rejects when the build ends, and for nothing else. */
  async ask(project: string, address: string, { signal, time, etag }: Asking): Promise<Answer | undefined> {
    const answer = await this.#answer(address, { signal, time, etag })
    signal?.throwIfAborted()
    if (answer !== undefined) this.#recent.set(`${project} ${address}`, answer)
    return answer
  }

  async #answer(address: string, { signal, time, etag }: Asking): Promise<Answer | undefined> {
    const fail = (failure: string): Answer => ({ at: Date.now(), failure })
    if (!/^https:/i.test(address)) return fail('an address must begin with https://.')
    if (this.#fetch === undefined) return fail('files at other addresses are not read here.')
    if (time.aborted) return fail(late)
    try {
      const file = await this.#fetch(address, {
        maxBytes: limits.descriptionBytes,
        signal: signal === undefined ? time : AbortSignal.any([signal, time]),
        ...(etag === undefined ? {} : { etag }),
      })
      return file.bytes === null ? undefined : { at: Date.now(), bytes: file.bytes, etag: file.etag }
    } catch (error) {
      return fail(time.aborted ? late : error instanceof Error ? error.message : String(error))
    }
  }
}

const late = `all requests of a build together may take ${maxFetching / 1000} seconds.`

interface RemoteOptions {
  readonly fetcher: DescriptionFetcher
  readonly request: BuildRequest
  /** Records of builds before: copies are among them by their address. */
  readonly before: readonly (AssetRecords | null | undefined)[]
  readonly sink: BlobSink
}

/**
 * Files at other addresses that descriptions of APIs are made of, in one build. What was copied is kept with the release
 * and asked for again by its tag; where an address fails, the copy of before stands in for it.
 */
export class RemoteDescriptions {
  /** Why something is not there, or not as it is today. */
  readonly warnings: ErrorDetail[] = []
  readonly #options: RemoteOptions
  /** Addresses that were looked at, with what is used of each. */
  readonly #copies = new Map<string, AssetRecord | undefined>()
  /** What stands in for a copy that is of no use. */
  readonly #kept = new Map<string, AssetRecord>()
  #named = 0
  /** By the address of the description. */
  readonly #steps = new Map<string, number>()
  #bytes = 0
  #time: AbortSignal | undefined

  constructor(options: RemoteOptions) {
    this.#options = options
  }

  /** Records of the copies that are used, by address: to be kept with the release. */
  get copies(): AssetRecords {
    const records = Object.create(null) as Record<string, AssetRecord>
    for (const [address, copy] of this.#copies) if (copy !== undefined) records[address] = copy
    return records
  }

  /** Looks at addresses that docs.json or a page names. Says whether one of them is new to this build. */
  async bring(named: Iterable<string>): Promise<boolean> {
    const fresh = this.#unknown(named)
    const brought = fresh.slice(0, Math.max(0, maxNamed - this.#named))
    this.#named += brought.length
    for (const address of fresh.slice(brought.length)) {
      this.#copies.set(address, undefined)
      this.#warn(`${show(address)} is not read: a site may name ${maxNamed} addresses. Put the file into the project.`)
    }
    await this.#bringAll(brought)
    return brought.length > 0
  }

  /** The same with files that the description at an address refers to, which are of its own host. */
  async bringReferred(from: string, files: Iterable<string>): Promise<boolean> {
    const { origin } = new URL(from)
    const fresh = this.#unknown(files).filter((address) => new URL(address).origin === origin)
    if (fresh.length === 0) return false
    const steps = (this.#steps.get(from) ?? 0) + 1
    this.#steps.set(from, steps)
    const room = steps > maxSteps ? 0 : Math.max(0, maxFiles - this.#copies.size)
    for (const address of fresh.slice(room)) this.#copies.set(address, undefined)
    if (fresh.length > room)
      this.#warn(
        `${show(from)} refers to more files than are read (${maxFiles}, ${maxSteps} deep): bundle it into one.`,
      )
    await this.#bringAll(fresh.slice(0, room))
    return room > 0
  }

  /** Changes whenever the content does; undefined for what is not there. */
  oid(address: string): string | undefined {
    return this.#copies.get(keyOf(address))?.oid
  }

  async read(address: string): Promise<Buffer> {
    const copy = this.#copies.get(keyOf(address))
    if (copy === undefined) throw new Error(`there is no copy of ${address}`)
    return this.#options.sink.read(copy.blob)
  }

  /** What came is of no use: the copy of before takes its place. False where there is none. */
  putBack(address: string): boolean {
    const key = keyOf(address)
    const kept = this.#kept.get(key)
    this.#kept.delete(key)
    const isOther = kept !== undefined && kept.oid !== this.#copies.get(key)?.oid
    this.#copies.set(key, isOther ? kept : undefined)
    if (isOther) this.#warn(`What ${show(address)} says now cannot be used; ${standsIn(kept)}`)
    return isOther
  }

  #unknown(addresses: Iterable<string>): string[] {
    const keys = new Set([...addresses].filter(isAddress).map(keyOf))
    return [...keys].filter((key) => !this.#copies.has(key))
  }

  async #bringAll(addresses: readonly string[]): Promise<void> {
    for (const address of addresses) this.#copies.set(address, undefined)
    await eachInTurns(addresses, (address) => this.#bring(address), fetchers)
  }

  async #bring(address: string): Promise<void> {
    const { fetcher, request } = this.#options
    const kept = await this.#earlier(address)
    if (kept !== undefined) this.#kept.set(address, kept)
    const recent = request.refetch === true ? undefined : fetcher.recent(request.project, address)
    const isFresh = kept?.copy !== undefined && Date.now() - kept.copy.at < freshMs
    if (recent === undefined && isFresh && request.refetch !== true) return this.#use(address, kept)
    this.#time ??= AbortSignal.timeout(maxFetching)
    const asking = { signal: request.signal, time: this.#time, etag: kept?.copy?.etag }
    const answer = recent ?? (await fetcher.ask(request.project, address, asking))
    if (answer === undefined) {
      if (kept !== undefined) this.#use(address, { ...kept, copy: { ...kept.copy, at: Date.now() } })
    } else if ('bytes' in answer) await this.#add(address, answer, kept)
    else this.#fail(address, answer.failure, kept)
  }

  async #add(
    address: string,
    { bytes, etag, at }: Extract<Answer, { bytes: Buffer }>,
    kept: AssetRecord | undefined,
  ): Promise<void> {
    const { sink, request } = this.#options
    if (this.#bytes + bytes.length > maxBytes)
      return this.#fail(address, `all of them together have more than ${maxBytes / 1024 / 1024} MB.`, kept)
    const stored = await inSlices(sink.addReadable(bytes), request.signal)
    const copy = etag === undefined ? { at } : { at, etag }
    this.#use(address, { oid: `copy ${stored.blob}`, ...stored, copy })
  }

  #use(address: string, copy: AssetRecord): void {
    this.#bytes += copy.size
    this.#copies.set(address, copy)
  }

  #fail(address: string, why: string, kept: AssetRecord | undefined): void {
    if (kept !== undefined) this.#use(address, kept)
    const then = kept === undefined ? 'What it describes is missing.' : firstUpper(standsIn(kept))
    this.#warn(`${show(address)} cannot be read: ${why} ${then}`)
  }

  /** The copy of before that was asked for last and can be read. */
  async #earlier(address: string): Promise<AssetRecord | undefined> {
    const { before, sink, request } = this.#options
    const copies = before
      .flatMap((records) =>
        records !== null && records !== undefined && Object.hasOwn(records, address) ? [records[address]] : [],
      )
      .filter((record) => record?.copy !== undefined && sink.has(record.blob))
      .toSorted((one, other) => (other?.copy?.at ?? 0) - (one?.copy?.at ?? 0))
    if (request.trial !== true) return copies[0]
    // What another trial has copied was kept nowhere.
    for (const copy of copies) {
      const isThere =
        copy !== undefined &&
        (await sink.read(copy.blob).then(
          () => true,
          () => false,
        ))
      if (isThere) return copy
    }
    return undefined
  }

  #warn(message: string): void {
    this.warnings.push({ rule: 'api-remote', message })
  }
}

/** One name of an address that is written in several ways. */
function keyOf(address: string): string {
  const url = parseUrl(address)
  if (url === undefined) return address
  url.hash = ''
  return url.href
}

function standsIn({ copy }: AssetRecord): string {
  const day = new Date(copy?.at ?? 0).toISOString().slice(0, 16).replace('T', ' ')
  return `what it said on ${day} UTC is shown.`
}

function firstUpper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
