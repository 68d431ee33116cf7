import { isText } from '../content/changes/sent-content.ts'
import { brokenRule, checkCollisions } from '../content/paths.ts'
import type { FileChange, Oid } from '../content/repository.ts'
import { blobOid } from '../contract/blob-oid.ts'
import { Failure } from '../contract/failure.ts'
import type { BranchContent } from '../branching/branch-content.ts'
import { bounds } from './bounds.ts'
import { count, quoted } from './words.ts'

/** What the model asked for cannot be done; the message is told to it and to people. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}

/** A file of the draft: text that was written, or the content that the branch had at a path. */
type DraftFile = { readonly text: string; readonly bytes: number } | { readonly from: string }

/** Sources of pages and settings. Scripts, pictures and the like are for people to add. */
const writable = /\.(?:md|mdx|markdown|json|ya?ml|txt|csv)$/i

/**
 * The files of a branch as a turn found them, with what the turn changes, in memory. It has no way to any other file:
 * paths are looked up among those of the branch, never on a disk.
 */
export class Draft {
  readonly #base: BranchContent
  /** Null: deleted. */
  readonly #changed = new Map<string, DraftFile | null>()
  #changedBytes = 0
  #readBytes = 0
  /** Grows with every change. */
  revision = 0

  constructor(base: BranchContent) {
    this.#base = base
  }

  /** The commit that the turn found. */
  get head(): Oid {
    return this.#base.head
  }

  /** All files that may be on a site, in no order. */
  *paths(): Generator<string> {
    for (const path of this.#base.files.keys()) if (!this.#changed.has(path) && isVisible(path)) yield path
    for (const [path, file] of this.#changed) if (file !== null) yield path
  }

  /** Whether the turn has written or deleted something there. */
  isChanged(path: string): boolean {
    return this.#changed.has(path)
  }

  /** The text of a file. Throws Refusal where there is none, or it is no text. */
  async read(asked: string): Promise<string> {
    const path = pathOf(asked)
    const text = await this.textOf(path)
    if (text === null)
      throw new Refusal(`${quoted(path)} is not a text file of at most ${megabytes(bounds.fileBytes)}.`)
    return text
  }

  /** Whether a search may go on: it leaves something of what a turn may read for reading what it found. */
  get maySearch(): boolean {
    return this.#readBytes < bounds.searchBytes
  }

  /** Null for what is no text, or too large. Throws Refusal where there is no such file, or the turn has read too much. */
  async textOf(path: string): Promise<string | null> {
    const file = this.#require(path)
    if ('text' in file) return file.text
    const size = await this.#base.size(file.from)
    if (size > bounds.fileBytes) return null
    this.#readBytes += size
    if (this.#readBytes > bounds.readBytes)
      throw new Refusal(`This turn has read ${megabytes(bounds.readBytes)} of files, the most it may.`)
    const bytes = await this.#base.read(file.from)
    return isText(bytes) ? bytes.toString('utf8') : null
  }

  /** Throws Refusal. */
  async write(asked: string, text: string): Promise<{ readonly path: string; readonly isNew: boolean }> {
    const path = pathOf(asked)
    if (!writable.test(path))
      throw new Refusal(`${quoted(path)}: only .md, .mdx, .json, .yaml, .yml, .txt and .csv files can be written.`)
    if (text.includes('\0') || !text.isWellFormed())
      throw new Refusal('The text holds a NUL character or half of a surrogate pair.')
    const bytes = Buffer.byteLength(text)
    if (bytes > bounds.fileBytes) throw new Refusal(`A file may have at most ${megabytes(bounds.fileBytes)}.`)
    const isNew = this.#find(path) === undefined
    if (isNew) await this.#requireRoomFor(path)
    this.#put(path, { text, bytes })
    return { path, isNew }
  }

  /** Throws Refusal. Returns the path. */
  remove(asked: string): string {
    const path = pathOf(asked)
    this.#require(path)
    this.#put(path, null)
    return path
  }

  /** Throws Refusal. Returns both paths. */
  async move(asked: string, to: string): Promise<readonly [from: string, to: string]> {
    const from = pathOf(asked)
    const path = pathOf(to)
    const file = this.#require(from)
    if (extensionOf(from) !== extensionOf(path) && !(writable.test(from) && writable.test(path)))
      throw new Refusal(`${quoted(from)} can only be moved to a name with the same ending.`)
    if (this.#find(path) !== undefined) throw new Refusal(`There is a file ${quoted(path)} already.`)
    this.#requireChanges(2)
    this.#put(from, null)
    try {
      await this.#requireRoomFor(path)
    } catch (error) {
      this.#put(from, file)
      throw error
    }
    this.#put(path, file)
    return [from, path]
  }

  /** What differs from the branch, each with what the branch had there. */
  changes(): FileChange[] {
    const { files } = this.#base
    return [...this.#changed].flatMap(([path, file]): FileChange[] => {
      const expected = files.get(path) ?? null
      if (file === null) return expected === null ? [] : [{ path, content: null, expected }]
      if ('from' in file) {
        const oid = files.get(file.from)
        return oid === undefined || oid === expected ? [] : [{ path, oid, expected }]
      }
      const content = Buffer.from(file.text)
      return blobOid(content) === expected ? [] : [{ path, content, expected }]
    })
  }

  #find(path: string): DraftFile | undefined {
    const changed = this.#changed.get(path)
    if (changed !== undefined) return changed ?? undefined
    return this.#base.files.has(path) && isVisible(path) ? { from: path } : undefined
  }

  #require(path: string): DraftFile {
    const file = this.#find(path)
    if (file === undefined) throw new Refusal(`This branch has no file ${quoted(path)}.`)
    return file
  }

  #put(path: string, file: DraftFile | null): void {
    const before = this.#changed.get(path)
    if (before === undefined) this.#requireChanges(1)
    const bytes = this.#changedBytes + bytesOf(file) - bytesOf(before)
    if (bytes > bounds.changedBytes && bytesOf(file) > 0)
      throw new Refusal(`One turn may write at most ${megabytes(bounds.changedBytes)} of files.`)
    this.#changed.set(path, file)
    this.#changedBytes = bytes
    this.revision += 1
  }

  #requireChanges(more: number): void {
    if (this.#changed.size + more > bounds.changedFiles)
      throw new Refusal(`One turn may change at most ${count(bounds.changedFiles, 'file')}.`)
  }

  /** As a save would refuse it: names that some file system takes for one, a file where a folder is, too many files. */
  async #requireRoomFor(path: string): Promise<void> {
    const all = [...this.#base.files.keys()].filter((other) => this.#changed.get(other) !== null)
    for (const [other, file] of this.#changed)
      if (file !== null && other !== path && !this.#base.files.has(other)) all.push(other)
    try {
      await checkCollisions([...all, path], (each) => each === path)
    } catch (error) {
      if (error instanceof Failure) throw new Refusal(error.message)
      throw error
    }
  }
}

/** The path as the branch would have it. Throws Refusal for one that no site can have. */
function pathOf(asked: string): string {
  const path = asked.normalize('NFC')
  const rule = brokenRule(path)
  if (rule !== null) throw new Refusal(`${quoted(path)} is not a path of this branch: ${rule}.`)
  return path
}

/** Dotfiles, which a push may bring, are no part of a site. */
function isVisible(path: string): boolean {
  return brokenRule(path) === null
}

function bytesOf(file: DraftFile | null | undefined): number {
  return file !== null && file !== undefined && 'text' in file ? file.bytes : 0
}

function extensionOf(path: string): string {
  return /\.[^./]*$/.exec(path)?.[0].toLowerCase() ?? ''
}

function megabytes(bytes: number): string {
  return `${bytes / 1024 / 1024} MB`
}
