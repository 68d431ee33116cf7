import { lstatSync, readFileSync, type Stats } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { blobOid } from '../../src/contract/blob-oid.ts'
import { limits } from '../../src/contract/limits.ts'
import type { Source } from '../../src/site/builder.ts'
import { collectFiles, type CollectOptions, type LocalFile, type Skipped } from '../deploying/files.ts'
import { ignoreFiles } from '../deploying/ignore-rules.ts'
import { LocalTags } from './tags.ts'

/**
 * The files of a folder as a build reads them: those that a deploy would send. After a change only what changed is looked
 * at, where that is certain.
 */
export class DocsFolder {
  readonly directory: string
  readonly #tags: LocalTags
  #files = new Map<string, LocalFile>()
  #paths = new Map<string, string>()
  #absolutes = new Map<string, string>()
  /** Files that symbolic links lead to: when one changes, what is reached through the links does. */
  #targets = new Set<string>()
  /** Bytes that are those of a file, for whoever need not hold them. */
  readonly #origins = new WeakMap<Uint8Array, string>()

  constructor(directory: string) {
    this.directory = directory
    this.#tags = new LocalTags(directory)
  }

  /** Looks at all of it. @throws Failure as `collectFiles`, but not for an empty folder */
  async look(options: CollectOptions = {}): Promise<readonly Skipped[]> {
    const { files, skipped } = await collectFiles(this.directory, { ...options, mayBeEmpty: true })
    this.#files = new Map(files.map((file) => [file.path, file]))
    this.#paths = new Map(files.map((file) => [file.absolute, file.path]))
    this.#absolutes = new Map(files.map((file) => [file.oid, file.absolute]))
    this.#targets = new Set(files.flatMap(({ target }) => target ?? []))
    return skipped
  }

  /**
   * Reads the files that changed, where nothing else can have: no file came, went, or is ignored from now on.
   * @param isFolder whether a path is that of a folder that was looked into
   * @returns paths of those that are others now; undefined where all of it has to be looked at
   */
  update(changed: ReadonlySet<string>, isFolder: (absolute: string) => boolean): readonly string[] | undefined {
    const fresh: LocalFile[] = []
    if (this.#targets.size > 0 && [...changed].some((absolute) => this.#targets.has(absolute))) return undefined
    for (const absolute of changed) {
      const path = this.#paths.get(absolute)
      const name = basename(absolute)
      const stats = statsOf(absolute)
      if (path === undefined) {
        if (ignoreFiles.includes(name)) return undefined
        // Hidden, or a file that an editor had for a moment.
        if (stats === undefined ? !isFolder(absolute) : name.startsWith('.')) continue
        return undefined
      }
      if (stats?.isFile() !== true || stats.size > limits.fileBytes) return undefined
      const content = contentOf(absolute)
      if (content === undefined) return undefined
      fresh.push({ path, absolute, size: content.length, oid: blobOid(content) })
    }
    const others = fresh.filter(({ path, oid }) => this.#files.get(path)?.oid !== oid)
    for (const file of others) {
      this.#files.set(file.path, file)
      this.#absolutes.set(file.oid, file.absolute)
    }
    return others.map(({ path }) => path)
  }

  /** All there is, by path. */
  get oids(): ReadonlyMap<string, string> {
    return new Map([...this.#files.values()].map(({ path, oid }) => [path, oid]))
  }

  source(): Source {
    return {
      files: this.oids,
      read: async (oid) => {
        const absolute = this.#absolutes.get(oid)
        if (absolute === undefined) return this.#tags.read(oid)
        const bytes = await readFile(absolute)
        this.#origins.set(bytes, absolute)
        return bytes
      },
      tag: (name) => this.#tags.find(name),
    }
  }

  /** The file whose bytes these are. */
  originOf(bytes: Uint8Array): string | undefined {
    return this.#origins.get(bytes)
  }

  /** The text of a file, for its lines; undefined where it is gone. */
  textOf(path: string): string | undefined {
    const file = this.#files.get(path)
    return file === undefined ? undefined : contentOf(file.absolute)?.toString('utf8')
  }
}

function statsOf(absolute: string): Stats | undefined {
  return lstatSync(absolute, { throwIfNoEntry: false })
}

function contentOf(absolute: string): Buffer | undefined {
  try {
    return readFileSync(absolute)
  } catch {
    // Gone meanwhile, or closed: whoever looks at all of it says what is wrong.
    return undefined
  }
}
