import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { sha256 } from '../../lib/digest.ts'
import { FairLimit } from '../../lib/fair-limit.ts'
import { ChildLost, IdleChild } from '../../lib/idle-child.ts'
import { root } from '../../lib/paths.ts'
import { unlessAborted } from '../../lib/unless-aborted.ts'
import type { IslandSource } from '../page.ts'
import type { BundleReply, BundleRequest } from './bundle.ts'

/** Built of `child.ts`. */
const program = 'island-child.js'
/** One bundle takes 30 ms; a child that has begun now, and gets little of the processor, some seconds. */
const usualPatience = 20_000
/** Megabytes of its heap, and of all its memory: the bundler itself is no JavaScript. */
const heap = 256
const usualMemory = 768
/** Of one bundle. */
const mostBytes = 2 << 20
/** Bundles that are kept for who asks next, and how large they are at most. */
const mostKept = 200
const mostKeptBytes = 128 << 10

/** Changes whenever the same source may become another bundle. */
const format = '3'

/** A bundle that is being made, or was. */
interface Work {
  readonly reply: Promise<BundleReply>
  waiting: number
  /** Nobody waits for it: it need not begin. */
  readonly stop: () => void
}

interface IslandBundlerOptions {
  /** URL path of what stands for React in browsers. */
  readonly runtime: string
  /** URL path of components of the theme. */
  readonly components: string
  readonly ownerOf?: (project: string) => string
  /** Milliseconds for one bundle. */
  readonly patienceMs?: number
  /** Megabytes of memory of the child. */
  readonly memory?: number
}

/**
 * Has islands bundled, one after the other and owners by turns, by a child of low priority: it is ended when it takes too
 * long, and when nobody has asked for a while. The same source is bundled once, however many ask for it.
 */
export class IslandBundler {
  /** Part of what a page’s record is keyed by. */
  readonly version: string
  readonly #options: IslandBundlerOptions
  readonly #turns = new FairLimit({ name: 'islands', slots: 1, firsts: 0, share: 1, reserve: 0 })
  readonly #known = new LRUCache<string, Work>({ max: mostKept })
  readonly #child: IdleChild<BundleRequest>
  readonly #patienceMs: number
  readonly #memory: number
  #isClosed = false

  constructor(options: IslandBundlerOptions) {
    this.#options = options
    this.#patienceMs = options.patienceMs ?? usualPatience
    this.#memory = options.memory ?? usualMemory
    const env = { NODE_ENV: 'production' }
    this.#child = new IdleChild({ program, heap, memory: this.#memory, patienceMs: this.#patienceMs, env })
    this.version = sha256(JSON.stringify([format, options.runtime, options.components, bundlerVersion()])).slice(0, 16)
  }

  /** Never rejects for what the source holds: then it says what is wrong with it. Rejects with the signal’s reason. */
  async bundle(project: string, source: IslandSource, signal?: AbortSignal): Promise<BundleReply> {
    // The id is said by a child that has read text of strangers: what it answers for is the project that it read.
    const key = `${project} ${source.id}`
    const work = this.#known.get(key) ?? this.#begin(project, source, key)
    work.waiting += 1
    try {
      return await (signal === undefined ? work.reply : unlessAborted(work.reply, signal))
    } finally {
      work.waiting -= 1
      if (work.waiting === 0) work.stop()
    }
  }

  #begin(project: string, source: IslandSource, key: string): Work {
    const { ownerOf = (one) => one } = this.#options
    const controller = new AbortController()
    const reply = this.#turns.run(ownerOf(project), () => this.#ask(source), controller.signal)
    const work = { reply, waiting: 0, stop: () => controller.abort() }
    this.#known.set(key, work)
    const forget = (): void => {
      if (this.#known.get(key) === work) this.#known.delete(key)
    }
    reply.then((made) => ('error' in made || made.code.length > mostKeptBytes ? forget() : undefined), forget)
    return work
  }

  close(): void {
    this.#isClosed = true
    this.#child.end()
  }

  async #ask(source: IslandSource): Promise<BundleReply> {
    if (this.#isClosed) throw new Error('The service ends')
    // Beside the folder of islands: an address that also holds where a site stands below a path of its host.
    const beside = (path: string): string => path.replace(/^\/_quire\//, '../')
    const question = { source, runtime: beside(this.#options.runtime), components: beside(this.#options.components) }
    try {
      return await this.#child.ask(question, (reply) => checked(reply as BundleReply))
    } catch (error) {
      if (this.#isClosed || !(error instanceof ChildLost)) throw error
      const message = {
        ended: 'it nests too deep, or asks for more memory than there is for it',
        large: `it asks for more than ${this.#memory} MB of memory`,
        late: `it takes more than ${this.#patienceMs / 1000} s to bundle`,
      }[error.why]
      return { error: { message }, isCostly: true }
    }
  }
}

/** A child has read code of strangers: what it says is looked at. */
function checked(reply: BundleReply): BundleReply {
  if ('error' in reply) return { error: { ...reply.error, message: reply.error.message.slice(0, 500) } }
  if (typeof reply.code !== 'string' || reply.code.length > mostBytes)
    return { error: { message: `it becomes more than ${mostBytes >> 20} MB of JavaScript` } }
  return { code: reply.code }
}

/** Undefined where it is not installed: then nothing is bundled. */
function bundlerVersion(): string | undefined {
  try {
    const manifest = createRequire(join(root, 'package.json')).resolve('rolldown/package.json')
    return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
  } catch {
    return undefined
  }
}
