import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isSlug } from '../../contract/patterns.ts'
import { isMissing, nullIfMissing, syncDirectory } from '../../lib/disk.ts'
import { diskFileSystem, readIfThere, replaceFile, sweepTemporary } from '../../lib/durable-file.ts'
import type { Blobs, NamedTexts, ProjectBlobs } from '../blobs.ts'
import { PackStore } from './packs.ts'

const removedPrefix = '.removed-'
const textSuffix = '.json'
const namePattern = /^(?:[a-z]+\/)?[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/

/**
 * Blobs below the data directory, in the folder of each project:
 *
 *     packs/<uuid>.pack     blobs
 *     <name>.json           texts, such as `releases/<id>.json`
 */
export class FileBlobs implements Blobs {
  readonly #directory: string
  readonly #warn: (message: string) => void

  /** @param warn told about packs that are not whole; their blobs count as absent. */
  constructor(directory: string, warn: (message: string) => void) {
    this.#directory = directory
    this.#warn = warn
    mkdirSync(directory, { recursive: true })
  }

  /** Ends removals that a crash interrupted. */
  async sweep(): Promise<void> {
    for (const name of readdirSync(this.#directory)) {
      if (name.startsWith(removedPrefix)) await rm(join(this.#directory, name), { recursive: true, force: true })
    }
  }

  async open(project: string): Promise<ProjectBlobs> {
    if (!isSlug(project)) throw new Error(`${JSON.stringify(project)} is not the id of a project`)
    const directory = join(this.#directory, project)
    if ((await mkdir(directory, { recursive: true })) !== undefined) await syncDirectory(this.#directory)
    return {
      blobs: await PackStore.open(join(directory, 'packs'), this.#warn),
      texts: await TextFiles.open(directory),
    }
  }

  async remove(project: string): Promise<void> {
    const doomed = join(this.#directory, `${removedPrefix}${project}-${randomUUID()}`)
    try {
      await rename(join(this.#directory, project), doomed)
    } catch (error) {
      if (isMissing(error)) return
      throw error
    }
    await syncDirectory(this.#directory)
    await rm(doomed, { recursive: true, force: true })
  }
}

/** The file of a text, below the folder of its project. */
export function fileOfText(name: string): string {
  return name + textSuffix
}

/** Texts in a file each. */
class TextFiles implements NamedTexts {
  readonly #directory: string

  private constructor(directory: string) {
    this.#directory = directory
  }

  static async open(directory: string): Promise<TextFiles> {
    await sweepTemporary(diskFileSystem, directory)
    for (const entry of await readdir(directory, { withFileTypes: true }))
      if (entry.isDirectory()) await sweepTemporary(diskFileSystem, join(directory, entry.name))
    return new TextFiles(directory)
  }

  async list(folder: string): Promise<readonly string[]> {
    const names = (await readdir(join(this.#directory, folder)).catch(nullIfMissing)) ?? []
    return names
      .filter((name) => name.endsWith(textSuffix) && !name.startsWith('.'))
      .map((name) => name.slice(0, -textSuffix.length))
  }

  read(name: string): Promise<string | null> {
    return readIfThere(diskFileSystem, this.#path(name))
  }

  async write(name: string, text: string): Promise<void> {
    const path = this.#path(name)
    try {
      await replaceFile(diskFileSystem, path, text)
    } catch (error) {
      if (!isMissing(error)) throw error
      await mkdir(dirname(path), { recursive: true })
      await syncDirectory(this.#directory)
      await replaceFile(diskFileSystem, path, text)
    }
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) await rm(this.#path(name), { force: true })
    for (const folder of new Set(names.map((name) => dirname(this.#path(name))))) await syncDirectory(folder)
  }

  #path(name: string): string {
    if (!namePattern.test(name)) throw new Error(`${JSON.stringify(name)} is not a name of a text`)
    return join(this.#directory, fileOfText(name))
  }
}
