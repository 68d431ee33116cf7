import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Git } from '../content/git/git.ts'
import { createLayout } from '../content/layout.ts'
import { Refs } from '../content/refs/refs.ts'
import { syncDirectory } from '../lib/disk.ts'
import { damagedArchive } from './archive/reader.ts'
import { Digests } from './archive/format.ts'

/** Refs of one transaction: each is a file that is flushed. */
const refsAtOnce = 500

interface RestoredProjectOptions {
  readonly draft: string
  readonly git: Git
  readonly slug: string
}

/** The repository of a project that is being restored. */
export class RestoredProject {
  readonly slug: string
  readonly digests = new Digests()
  readonly #options: RestoredProjectOptions
  readonly #directory: string
  #refs: readonly (readonly [oid: string, ref: string])[] | null = null
  #index: Indexing | null = null

  constructor(options: RestoredProjectOptions) {
    this.slug = options.slug
    this.#options = options
    this.#directory = join(options.draft, `${options.slug}.git`)
  }

  /** They come before the objects that they reach. */
  takeRefs(text: string): void {
    const lines = text.split('\n').filter((line) => line !== '')
    if (lines.some((line) => !/^[0-9a-f]{40} refs\/\S+$/.test(line)))
      throw damagedArchive(`the refs of ${this.slug} are not a list of refs`)
    this.#refs = lines.map((line) => [line.slice(0, 40), line.slice(41)])
  }

  async takeObjects(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    if (this.#index === null) {
      await this.#makeRepository()
      this.#index = new Indexing(this.#options.git, this.#directory)
    }
    for await (const chunk of chunks) await this.#index.write(chunk)
  }

  /** Makes the repository whole and durable. Throws Failure `invalid_request` when its objects are not what its refs need. */
  async end(): Promise<void> {
    if (this.#refs === null) return
    if (this.#index === null) await this.#makeRepository()
    else await this.#index.end()
    await syncDirectory(join(this.#directory, 'objects', 'pack'))
    const refs = new Refs(this.#options.git, this.#directory)
    try {
      for (let from = 0; from < this.#refs.length; from += refsAtOnce) {
        const some = this.#refs.slice(from, from + refsAtOnce)
        await refs.update(some.map(([oid, ref]) => ({ ref, old: null, new: oid })))
      }
    } catch (cause) {
      throw damagedArchive(`a ref of ${this.slug} cannot be made`, cause)
    } finally {
      await refs.close()
    }
  }

  /** Ends what runs. */
  abort(): void {
    this.#index?.kill()
  }

  /** Removes what came of it. */
  async discard(): Promise<void> {
    this.abort()
    for (const name of await readdir(this.#options.draft)) {
      if (name === this.slug || name === `${this.slug}.git` || name === `${this.slug}.json`)
        await rm(join(this.#options.draft, name), { recursive: true, force: true })
    }
  }

  async #makeRepository(): Promise<void> {
    await createLayout(this.#options.draft, `${this.slug}.git`)
  }
}

/** `git index-pack`, which checks a pack while it stores it. */
class Indexing {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #closed: Promise<[code: number | null]>
  #stderr = ''

  constructor(git: Git, directory: string) {
    this.#child = git.start(['index-pack', '--stdin', '--threads=2'], directory)
    this.#closed = once(this.#child, 'close') as Promise<[code: number | null]>
    this.#closed.catch(() => undefined)
    this.#child.stdout.resume()
    this.#child.stderr.on('data', (chunk: Buffer) => (this.#stderr += chunk.toString()))
    // It may end without reading all; its exit code says why.
    this.#child.stdin.on('error', () => this.#child.stdin.destroy())
  }

  async write(chunk: Uint8Array): Promise<void> {
    const { stdin } = this.#child
    if (!stdin.writable) return this.end()
    if (!stdin.write(chunk)) await Promise.race([once(stdin, 'drain'), this.#closed])
  }

  async end(): Promise<void> {
    this.#child.stdin.end()
    const [code] = await this.#closed
    if (code !== 0) throw damagedArchive(`git could not read the objects of a project: ${this.#stderr.trim()}`)
  }

  kill(): void {
    this.#child.kill()
  }
}
