import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { LRUCache } from 'lru-cache'
import { Failure } from '../contract/failure.ts'
import { isSlug } from '../contract/patterns.ts'
import { isMissing, nullIfMissing, removeTree, syncDirectory } from '../lib/disk.ts'
import { GitRepository, type GitRepositoryOptions, type LastingProcess } from './git-repository.ts'
import type { Git } from './git/git.ts'
import { createLayout, mendLayout } from './layout.ts'
import type { BareRepository } from './repository.ts'

export interface RepositoriesOptions {
  /** Data directory; the repositories are `<id>.git` in it. */
  readonly directory: string
  readonly git: Git
  /** Lasting git processes at a time, one for each repository that is being read; default 32. */
  readonly processes?: number
  /** Told after each ref transaction in a repository: a save, a push, a deploy. */
  readonly onUpdate?: (repository: BareRepository) => void
  /** Told what a killed process, or a hand, had left in a repository and was put right, or the error that kept it from that. */
  readonly onMend?: (projectId: string, mended: readonly string[] | Error) => void
}

/** Entries of all cached trees together; about 100 bytes each. */
const cachedEntries = 300_000
const cachedCommits = 2_000
/** Repositories without a process need little memory; those with one are bounded by `processes`. */
const openRepositories = 1_000

/** The repositories of all projects. */
export class Repositories {
  readonly #directory: string
  readonly #git: Git
  readonly #onUpdate: RepositoriesOptions['onUpdate']
  readonly #onMend: RepositoriesOptions['onMend']
  /** One object for each repository: all callers share its caches and locks. */
  readonly #open: LRUCache<string, GitRepository>
  /** Every repository that was opened: one that left the cache is the same while anybody still works with it. */
  readonly #known = new Map<string, WeakRef<GitRepository>>()
  /** Project ids of what was put right; null while the data directory is not this process's to change. */
  #mended: Set<string> | null = null
  #isWriting = true
  /** Lasting processes, by last use. Beyond the limit the least recently used one is closed, after its open requests. */
  readonly #withProcess: LRUCache<LastingProcess, true>
  readonly #trees: GitRepositoryOptions['trees'] = new LRUCache({ maxSize: cachedEntries })
  readonly #commits: GitRepositoryOptions['commits'] = new LRUCache({ max: cachedCommits })

  constructor(options: RepositoriesOptions) {
    this.#directory = resolve(options.directory)
    this.#git = options.git
    this.#onUpdate = options.onUpdate
    this.#onMend = options.onMend
    this.#open = new LRUCache({ max: openRepositories, fetchMethod: (projectId) => this.#find(projectId) })
    this.#withProcess = new LRUCache({
      max: options.processes ?? 32,
      dispose: (_, process) => void process.close(),
    })
  }

  /**
   * Makes an empty repository whose HEAD is `refs/heads/main`.
   *
   * @throws Failure `project_exists`
   */
  async create(projectId: string): Promise<BareRepository> {
    await mkdir(this.#directory, { recursive: true })
    try {
      await createLayout(this.#directory, basename(this.path(projectId)))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOTDIR') throw error
      throw new Failure('project_exists', `There is a repository of the name ${projectId} already.`, {
        hint: 'Choose another slug.',
        cause: error,
      })
    }
    return this.open(projectId)
  }

  /**
   * The repository of a project; every caller gets the same. Its process ends when idle: nothing has to be closed.
   *
   * @throws Failure `not_found`
   */
  open(projectId: string): Promise<BareRepository> {
    return this.#open.forceFetch(projectId)
  }

  /** Project ids of all repositories. */
  async list(): Promise<string[]> {
    const names = (await readdir(this.#directory).catch(nullIfMissing)) ?? []
    return names
      .filter((name) => /^[a-z0-9][a-z0-9-]*\.git$/.test(name))
      .map((name) => name.slice(0, -'.git'.length))
      .sort()
  }

  /** Deletes a repository; nothing happens when there is none. It has gone at once as a whole, also after a crash. */
  async remove(projectId: string): Promise<void> {
    const directory = this.path(projectId)
    const open = this.#open.get(projectId)
    this.#open.delete(projectId)
    this.#known.delete(projectId)
    this.#mended?.delete(projectId)
    await open?.close()
    const trash = join(this.#directory, `.removed-${randomBytes(8).toString('hex')}`)
    try {
      await rename(directory, trash)
    } catch (error) {
      if (isMissing(error)) return
      throw error
    }
    await syncDirectory(this.#directory)
    await removeTree(trash)
  }

  /**
   * At start, by the owner of the data directory: clears what killed processes left beside the repositories. What they
   * left in one is put right when that is first opened: there may be many thousands.
   */
  async sweep(): Promise<void> {
    this.#open.clear()
    this.#mended = new Set()
    await mkdir(this.#directory, { recursive: true })
    for (const name of await readdir(this.#directory)) {
      if (/^\.(?:new|removed)-[0-9a-f]{16}$/.test(name)) await removeTree(join(this.#directory, name))
    }
  }

  /**
   * Leaves the data directory to another process: refs stay as they are from now on, once transactions under way have
   * ended, and nothing is put right. Reading goes on.
   */
  async stopWriting(): Promise<void> {
    this.#mended = null
    this.#isWriting = false
    const known = [...this.#known.values()].flatMap((reference) => reference.deref() ?? [])
    await Promise.all(known.map((repository) => repository.stopWriting()))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((repository) => repository.close()))
    this.#open.clear()
  }

  path(projectId: string): string {
    if (!isSlug(projectId)) throw new Error(`not the id of a project: ${JSON.stringify(projectId)}`)
    return join(this.#directory, `${projectId}.git`)
  }

  async #find(projectId: string): Promise<GitRepository> {
    const directory = this.path(projectId)
    if (!(await stat(join(directory, 'objects')).catch(nullIfMissing)))
      throw new Failure('not_found', `There is no repository of the name ${projectId}.`)
    if (this.#mended?.has(projectId) === false) await this.#mend(projectId, directory)
    const known = this.#known.get(projectId)?.deref()
    if (known !== undefined) return known
    const repository = new GitRepository({
      projectId,
      directory,
      git: this.#git,
      trees: this.#trees,
      commits: this.#commits,
      onProcessStart: (process) => this.#withProcess.set(process, true),
      onUpdate: this.#onUpdate,
    })
    if (!this.#isWriting) await repository.stopWriting()
    this.#known.set(projectId, new WeakRef(repository))
    return repository
  }

  /** A disk that is full or read-only keeps nobody from reading. */
  async #mend(projectId: string, directory: string): Promise<void> {
    this.#mended?.add(projectId)
    try {
      const mended = await mendLayout(this.#git, directory)
      if (mended.length > 0) this.#onMend?.(projectId, mended)
    } catch (error) {
      this.#onMend?.(projectId, error instanceof Error ? error : new Error(String(error)))
    }
  }
}
