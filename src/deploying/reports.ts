import { mkdir, readFile, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing, syncDirectory } from '../lib/disk.ts'
import { writeDurably } from '../hosting/files.ts'
import { maxReported, type StoredDeploy } from './state.ts'

/** Deploys of a project whose files are kept. */
const maxReports = 2000
const suffix = '.json'
const idPattern = /^[0-9a-z]{8,40}$/

/**
 * One file a deploy, with all its errors and warnings: too much for the project's document, which holds only the
 * newest deploys in short. Ids sort by time, so the names of the files are the history.
 */
export class DeployReports {
  readonly #root: string

  /** @param root Data directory; the files lie in `<root>/<slug>/deploys/`. */
  constructor(root: string) {
    this.#root = root
  }

  /** Durable when the promise settles. */
  async write(slug: string, deploy: StoredDeploy): Promise<void> {
    const bounded = {
      ...deploy,
      errors: deploy.errors.slice(0, maxReported),
      warnings: deploy.warnings.slice(0, maxReported),
    }
    const path = join(this.#directory(slug), deploy.id + suffix)
    const text = JSON.stringify(bounded)
    try {
      await writeDurably(path, [text])
    } catch (error) {
      if (!isMissing(error)) throw error
      await mkdir(this.#directory(slug), { recursive: true })
      await writeDurably(path, [text])
      // The names of the new folders themselves.
      await syncDirectory(join(this.#root, slug))
      await syncDirectory(this.#root)
    }
  }

  async read(slug: string, id: string): Promise<StoredDeploy | null> {
    if (!idPattern.test(id)) return null
    try {
      return JSON.parse(await readFile(join(this.#directory(slug), id + suffix), 'utf8')) as StoredDeploy
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }

  /** Ids of all deploys that have a file, newest first. */
  async ids(slug: string): Promise<string[]> {
    try {
      const names = await readdir(this.#directory(slug))
      return names
        .filter((name) => name.endsWith(suffix) && !name.startsWith('.'))
        .map((name) => name.slice(0, -suffix.length))
        .sort()
        .toReversed()
    } catch (error) {
      if (isMissing(error)) return []
      throw error
    }
  }

  /** Removes the oldest files beyond the bound, but for deploys that can be rolled back to. */
  async prune(slug: string, kept: ReadonlySet<string>): Promise<void> {
    const old = (await this.ids(slug)).slice(maxReports).filter((id) => !kept.has(id))
    for (const id of old) await rm(join(this.#directory(slug), id + suffix), { force: true })
  }

  async remove(slug: string): Promise<void> {
    await rm(this.#directory(slug), { recursive: true, force: true })
  }

  #directory(slug: string): string {
    return join(this.#root, slug, 'deploys')
  }
}
