import { randomBytes } from 'node:crypto'
import { lstat, mkdir, open, readFile, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Failure } from '../../src/contract/failure.ts'

/**
 * The folder that pages are written to. Nothing outside of it is read or written, whatever symbolic links are in it; a
 * file that is written is there whole or not at all, also after a power cut.
 */
export class OutputFolder {
  readonly root: string
  readonly #shown: string

  constructor(directory: string) {
    this.root = resolve(directory)
    this.#shown = directory
  }

  /** As the user would write it. */
  name(path: string): string {
    return join(this.#shown, path)
  }

  /** @throws Failure invalid_request when there is a symbolic link or a folder in the place of the file. */
  async read(path: string): Promise<string | undefined> {
    const absolute = await this.#inside(path, false)
    if (absolute === undefined) return undefined
    return readFile(absolute, 'utf8').catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return undefined
      throw error
    })
  }

  async write(path: string, content: string): Promise<void> {
    try {
      await this.#write(path, content)
    } catch (error) {
      if (error instanceof Failure || codeOf(error) === undefined) throw error
      throw new Failure('invalid_request', `${this.name(path)} cannot be written (${String(codeOf(error))}).`, {
        hint: 'Make room for it, or make the folder writable; the same command goes on where it stopped.',
        cause: error,
      })
    }
  }

  async #write(path: string, content: string): Promise<void> {
    const absolute = (await this.#inside(path, true)) ?? ''
    const temporary = join(dirname(absolute), `.quire-${randomBytes(6).toString('hex')}.tmp`)
    try {
      const file = await open(temporary, 'wx')
      try {
        await file.writeFile(content)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(temporary, absolute)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
    await syncFolder(dirname(absolute))
  }

  /** Removes a file, and the folders that are empty without it. */
  async remove(path: string): Promise<void> {
    const absolute = await this.#inside(path, false)
    if (absolute === undefined) return
    await rm(absolute, { force: true })
    for (let at = dirname(absolute); at !== this.root; at = dirname(at)) {
      const isEmpty = await rmdir(at).then(
        () => true,
        () => false,
      )
      if (!isEmpty) return
    }
  }

  /** Absolute path, with the folders on its way made; without `make`, undefined when one of them is missing. */
  async #inside(path: string, make: boolean): Promise<string | undefined> {
    const names = path.split('/')
    // Paths are those of the lock file, too, which comes with whatever was cloned.
    if (names.some((name) => /^\.{0,2}$|[\\\0]/.test(name)))
      throw new Failure('invalid_request', `${JSON.stringify(path)} is not a path within ${this.#shown}.`, {
        hint: `Somebody else may have written ${this.name('.quire-generate.json')}: look at it before you go on.`,
      })
    if (make) await mkdir(this.root, { recursive: true })
    let at = this.root
    for (const [index, name] of names.entries()) {
      at = join(at, name)
      const isLast = index === names.length - 1
      const info = await lstat(at).catch(() => undefined)
      if (info === undefined) {
        if (isLast) return at
        if (!make) return undefined
        await mkdir(at)
      } else if (isLast ? !info.isFile() : !info.isDirectory()) {
        throw new Failure('invalid_request', `${this.name(path)} cannot be used: ${at} is ${kindOf(info)}.`, {
          hint: 'Generated pages are plain files in plain folders. Move it away, or choose another output folder.',
        })
      }
    }
    return at
  }
}

function kindOf(info: { isSymbolicLink(): boolean; isDirectory(): boolean }): string {
  if (info.isSymbolicLink()) return 'a symbolic link'
  return info.isDirectory() ? 'a folder' : 'no folder'
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

/** A rename lasts when its folder is on disk. Not every system can be asked for that. */
async function syncFolder(directory: string): Promise<void> {
  const folder = await open(directory, 'r').catch(() => undefined)
  try {
    await folder?.sync()
  } catch {
    // Windows and some network file systems.
  } finally {
    await folder?.close()
  }
}
