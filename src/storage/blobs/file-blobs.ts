import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isSlug } from '../../contract/patterns.ts'
import { isMissing, nullIfMissing, syncDirectory } from '../../lib/disk.ts'
import { diskFileSystem, readIfThere, replaceFile, sweepTemporary } from '../../lib/durable-file.ts'
import { openLine, sealLine } from '../checksum.ts'
import type { Claims, ClaimsBelow } from '../inventory.ts'
import type { Blobs, NamedTexts, ProjectBlobs } from '../blobs.ts'
import type { Sha256 } from '../../contract/release.ts'
import { CommonBlobs } from './common.ts'
import { PackStore } from './packs.ts'

const removedPrefix = '.removed-'
const textSuffix = '.json'
const namePattern = /^(?:[a-z]+\/)?[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/

/**
 * Blobs below the data directory, in the folder of each project:
 *
 *     packs/<uuid>.pack     blobs; those that many projects have are second names of files in `.common/`
 *     <name>.json           texts, such as `releases/<id>.json`
 */
export class FileBlobs implements Blobs {
  readonly #directory: string
  readonly #warn: (message: string) => void
  readonly #common: CommonBlobs

  readonly #inventory: Claims | undefined
  #readOnly: boolean

  /**
   * @param warn told about packs that are not whole; their blobs count as absent.
   * @param options `readOnly`: nothing is made, and nothing swept that a killed process left. `common`: what many projects
   *   publish, and is kept once.
   */
  constructor(
    directory: string,
    warn: (message: string) => void,
    options: {
      readonly inventory?: Claims
      readonly readOnly?: boolean
      readonly common?: ReadonlyMap<Sha256, Uint8Array>
    } = {},
  ) {
    this.#directory = directory
    this.#warn = warn
    this.#inventory = options.inventory
    this.#readOnly = options.readOnly === true
    mkdirSync(directory, { recursive: true })
    this.#common = new CommonBlobs(directory, options.common ?? new Map())
  }

  /** Ends removals that a crash interrupted. */
  async sweep(): Promise<void> {
    if (this.#readOnly) return
    for (const name of readdirSync(this.#directory)) {
      if (name.startsWith(removedPrefix)) await rm(join(this.#directory, name), { recursive: true, force: true })
    }
    await this.#common.sweep()
  }

  /** Others may write from now on: what they are at is left alone. */
  stopWriting(): void {
    this.#readOnly = true
  }

  async open(project: string): Promise<ProjectBlobs> {
    if (!isSlug(project)) throw new Error(`${JSON.stringify(project)} is not the id of a project`)
    const directory = join(this.#directory, project)
    const packs = join(directory, 'packs')
    if (!this.#readOnly) {
      if ((await mkdir(directory, { recursive: true })) !== undefined) await syncDirectory(this.#directory)
      await PackStore.prepare(packs)
      await TextFiles.sweep(directory)
    }
    return {
      blobs: await PackStore.open(packs, this.#warn, this.#common),
      texts: new TextFiles(directory, this.#inventory && { claims: this.#inventory, prefix: `${project}/` }),
    }
  }

  async remove(project: string): Promise<void> {
    await this.#inventory?.forget([...this.#inventory.below(`${project}/`).keys()])
    const doomed = join(this.#directory, `${removedPrefix}${project}-${randomUUID()}`)
    try {
      await rename(join(this.#directory, project), doomed)
    } catch (error) {
      if (isMissing(error)) return
      throw error
    }
    await syncDirectory(this.#directory)
    await rm(doomed, { recursive: true, force: true })
    await this.#common.sweep()
  }
}

/** The file of a text, below the folder of its project. */
export function fileOfText(name: string): string {
  return name + textSuffix
}

/** The text in its file; null for one that is damaged. Those of before there were checksums have none. */
export function textIn(content: string): string | null {
  if (!content.endsWith('\n')) return content
  const bytes = Buffer.from(content)
  const { soundness, length } = openLine(bytes.subarray(0, -1))
  return soundness === 'sound' ? bytes.toString('utf8', 0, length) : null
}

/** Texts in a file each. */
class TextFiles implements NamedTexts {
  readonly #directory: string

  readonly #claims: ClaimsBelow | undefined

  constructor(directory: string, claims: ClaimsBelow | undefined) {
    this.#directory = directory
    this.#claims = claims
  }

  /** Removes what killed processes left. */
  static async sweep(directory: string): Promise<void> {
    await sweepTemporary(diskFileSystem, directory)
    for (const entry of await readdir(directory, { withFileTypes: true }))
      if (entry.isDirectory()) await sweepTemporary(diskFileSystem, join(directory, entry.name))
  }

  async list(folder: string): Promise<readonly string[]> {
    const names = (await readdir(join(this.#directory, folder)).catch(nullIfMissing)) ?? []
    return names
      .filter((name) => name.endsWith(textSuffix) && !name.startsWith('.'))
      .map((name) => name.slice(0, -textSuffix.length))
  }

  async read(name: string): Promise<string | null> {
    const path = this.#path(name)
    const content = await readIfThere(diskFileSystem, path)
    const text = content === null ? null : textIn(content)
    if (content !== null && text === null) throw new Error(`${path} is damaged: its checksum does not agree`)
    return text
  }

  async write(name: string, text: string): Promise<void> {
    await this.#replace(this.#path(name), sealLine(text))
    // What is in a folder is named by a document.
    if (!name.includes('/')) this.#claims?.claims.note(this.#claims.prefix + fileOfText(name), 0)
  }

  async #replace(path: string, text: string): Promise<void> {
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
    const { claims, prefix } = this.#claims ?? {}
    await claims?.forget(names.map((name) => prefix + fileOfText(name)))
    for (const name of names) await rm(this.#path(name), { force: true })
    for (const folder of new Set(names.map((name) => dirname(this.#path(name))))) await syncDirectory(folder)
  }

  #path(name: string): string {
    if (!namePattern.test(name)) throw new Error(`${JSON.stringify(name)} is not a name of a text`)
    return join(this.#directory, fileOfText(name))
  }
}
