import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { nullIfMissing, syncDirectory } from '../lib/disk.ts'
import type { Git } from './git/git.ts'
import { createLayout } from './layout.ts'
import { Refs } from './refs/refs.ts'
import type { BareRepository, Oid } from './repository.ts'

/** Refs of one transaction: each is a file that is flushed. */
const refsAtOnce = 500
/** One thread and a bounded window: the service needs the machine, too. Deltas that there are are taken as they are. */
const packSettings = ['-c', 'pack.threads=1', '-c', 'pack.windowMemory=64m', '-c', 'core.deltaBaseCacheLimit=16m']

/** A pack of all objects that commits and tags reach, as its bytes come; nothing for none. Throws when git fails. */
export async function* reachableObjects(
  git: Git,
  repository: BareRepository,
  tips: readonly Oid[],
): AsyncGenerator<Buffer> {
  if (tips.length === 0) return
  const args = [...packSettings, 'pack-objects', '--revs', '--stdout', '--delta-base-offset', '--quiet']
  const child = git.start(args, repository.directory)
  const closed = once(child, 'close') as Promise<[code: number | null]>
  // Looked at below: the output ends first.
  closed.catch(() => undefined)
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  // Git may end without reading all; its exit code says why.
  child.stdin.on('error', () => child.stdin.destroy())
  child.stdin.end([...new Set(tips)].join('\n') + '\n')
  try {
    for await (const chunk of child.stdout) yield chunk as Buffer
    const [code] = await closed
    if (code !== 0)
      throw new Error(`git pack-objects of ${repository.projectId} ended with code ${code}: ${stderr.trim()}`)
  } finally {
    child.kill()
  }
}

/** Bytes of a repository's objects. What goes while this looks counts as nothing. */
export async function objectBytes({ directory }: BareRepository): Promise<number> {
  let bytes = 0
  for (const path of await filesBelow(join(directory, 'objects'))) {
    const found = await stat(path).catch(nullIfMissing)
    bytes += found?.size ?? 0
  }
  return bytes
}

/** Not `recursive`: that fails when a folder goes while it looks. */
async function filesBelow(directory: string): Promise<string[]> {
  const files: string[] = []
  for (const entry of (await readdir(directory, { withFileTypes: true }).catch(nullIfMissing)) ?? []) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) files.push(...(await filesBelow(path)))
    else files.push(path)
  }
  return files
}

export interface RestoredRepositoryOptions {
  /** The data directory that is being made. */
  readonly directory: string
  readonly git: Git
  readonly projectId: string
  /** Makes the error of refs and objects that are not what they should be. */
  readonly damaged: (problem: string, cause?: unknown) => Error
}

/** A repository that is made of the refs and the pack of a backup. */
export class RestoredRepository {
  readonly #options: RestoredRepositoryOptions
  readonly #directory: string
  #refs: readonly (readonly [oid: string, ref: string])[] | null = null
  #index: Indexing | null = null

  constructor(options: RestoredRepositoryOptions) {
    this.#options = options
    this.#directory = join(options.directory, `${options.projectId}.git`)
  }

  /** They come before the objects that they reach. */
  takeRefs(text: string): void {
    const lines = text.split('\n').filter((line) => line !== '')
    if (lines.some((line) => !/^[0-9a-f]{40} refs\/\S+$/.test(line)))
      throw this.#options.damaged(`the refs of ${this.#options.projectId} are not a list of refs`)
    this.#refs = lines.map((line) => [line.slice(0, 40), line.slice(41)])
  }

  async takeObjects(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    if (this.#index === null) {
      await this.#make()
      this.#index = new Indexing(this.#options, this.#directory)
    }
    for await (const chunk of chunks) await this.#index.write(chunk)
  }

  /** Makes the repository whole and durable. Throws `damaged` when its objects are not what its refs need. */
  async end(): Promise<void> {
    if (this.#refs === null) return
    if (this.#index === null) await this.#make()
    else await this.#index.end()
    await syncDirectory(join(this.#directory, 'objects', 'pack'))
    const refs = new Refs(this.#options.git, this.#directory)
    try {
      for (let from = 0; from < this.#refs.length; from += refsAtOnce) {
        const some = this.#refs.slice(from, from + refsAtOnce)
        await refs.update(some.map(([oid, ref]) => ({ ref, old: null, new: oid })))
      }
    } catch (cause) {
      throw this.#options.damaged(`a ref of ${this.#options.projectId} cannot be made`, cause)
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
    await rm(this.#directory, { recursive: true, force: true })
  }

  async #make(): Promise<void> {
    await createLayout(this.#options.directory, `${this.#options.projectId}.git`)
  }
}

/** `git index-pack`, which checks a pack while it stores it. */
class Indexing {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #closed: Promise<[code: number | null]>
  readonly #damaged: RestoredRepositoryOptions['damaged']
  #stderr = ''

  constructor({ git, damaged }: RestoredRepositoryOptions, directory: string) {
    this.#damaged = damaged
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
    if (code !== 0) throw this.#damaged(`git could not read the objects of a project: ${this.#stderr.trim()}`)
  }

  kill(): void {
    this.#child.kill()
  }
}
