import { fork, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { sha256 } from '../../lib/digest.ts'
import { FairLimit } from '../../lib/fair-limit.ts'
import { dist, root } from '../../lib/paths.ts'
import { lowerPriority } from '../../lib/priority.ts'
import { unlessAborted } from '../../lib/unless-aborted.ts'
import type { IslandSource } from '../page.ts'
import type { BundleReply } from './bundle.ts'

/** Built of `child.ts`. */
const program = join(dist, 'island-child.js')
/** One bundle takes 30 ms; a child that has begun now, and gets little of the processor, some seconds. */
const usualPatience = 20_000
/** A child that nobody needs ends. */
const idleMs = 20_000
/** Megabytes of its heap; the bundler itself is beside it. */
const heap = 256
/** Of one bundle. */
const mostBytes = 2 << 20
/** Bundles that are kept for who asks next, and how large they are at most. */
const mostKept = 200
const mostKeptBytes = 128 << 10

/** Changes whenever the same source may become another bundle. */
const format = '2'

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
  readonly ownerOf?: (project: string) => string
  /** Milliseconds for one bundle. */
  readonly patienceMs?: number
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
  #child: ChildProcess | undefined
  #idle: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: IslandBundlerOptions) {
    this.#options = options
    this.version = sha256(JSON.stringify([format, options.runtime, bundlerVersion()])).slice(0, 16)
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
    this.#end()
  }

  #end(): void {
    clearTimeout(this.#idle)
    this.#child?.kill('SIGKILL')
    this.#child = undefined
  }

  async #ask(source: IslandSource): Promise<BundleReply> {
    if (this.#isClosed) throw new Error('The service ends')
    clearTimeout(this.#idle)
    if (this.#child?.connected !== true) this.#child = startChild()
    try {
      return checked(await this.#reply(this.#child, source))
    } catch (error) {
      this.#end()
      if (this.#isClosed || !(error instanceof Exhausted)) throw error
      return { error: { message: error.message }, isCostly: true }
    } finally {
      this.#idle = setTimeout(() => this.#end(), idleMs).unref()
    }
  }

  #reply(child: ChildProcess, source: IslandSource): Promise<BundleReply> {
    const { runtime, patienceMs = usualPatience } = this.#options
    return new Promise((resolve, reject) => {
      const done = (act: () => void): void => {
        clearTimeout(timer)
        child.off('message', answered).off('exit', ended)
        act()
      }
      const answered = (reply: unknown): void => done(() => resolve(reply as BundleReply))
      const ended = (): void => done(() => reject(new Exhausted('it asks for more memory than there is for it')))
      const timer = setTimeout(
        () => done(() => reject(new Exhausted(`it takes more than ${patienceMs / 1000} s to bundle`))),
        patienceMs,
      )
      child.on('message', answered).on('exit', ended)
      // Beside the folder of islands: an address that also holds where a site stands below a path of its host.
      child.send({ source, runtime: runtime.replace(/^\/_quire\//, '../') }, (error) => {
        if (error !== null) done(() => reject(error))
      })
    })
  }
}

/** The source cost its child. */
class Exhausted extends Error {
  override readonly name = 'Exhausted'
}

/** A child has read code of strangers: what it says is looked at. */
function checked(reply: BundleReply): BundleReply {
  if ('error' in reply) return { error: { ...reply.error, message: reply.error.message.slice(0, 500) } }
  if (typeof reply.code !== 'string' || reply.code.length > mostBytes)
    return { error: { message: `it becomes more than ${mostBytes >> 20} MB of JavaScript` } }
  return { code: reply.code }
}

function startChild(): ChildProcess {
  const child = fork(program, [], {
    // Nothing of the service’s settings.
    env: { NODE_ENV: 'production' },
    execArgv: [`--max-old-space-size=${heap}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  child.on('error', () => undefined)
  if (child.pid !== undefined) lowerPriority(child.pid)
  child.unref()
  child.channel?.unref()
  return child
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
