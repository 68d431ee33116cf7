import { open, type FileHandle } from 'node:fs/promises'
import { diskFileSystem, type FileSystem } from '#lib/durable-file.ts'

/**
 * Where the disk fails: `directory` is the flush of a directory, `short` a write that takes nothing more, `append` the
 * second half of a write, `cut` every write and truncation.
 */
type Failing = 'open' | 'write' | 'short' | 'append' | 'cut' | 'sync' | 'rename' | 'directory'

export interface FailingFileSystem extends FileSystem {
  /** From now on; null: not any more. @param times after which it works again. */
  failAt(step: Failing | null, times?: number): void
  renames(): number
}

/** The disk, until it is told to fail as a full or broken one. */
export function failingFileSystem(): FailingFileSystem {
  let failing: Failing | null = null
  let left = 0
  let renamed = 0
  const fails = (step: Failing): boolean => {
    if (failing !== step || left === 0) return false
    left -= 1
    return true
  }
  const full = (): Error => Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })

  const wrapFile = (file: FileHandle): FileHandle => {
    const write = file.write.bind(file) as (
      bytes: Buffer,
      offset: number,
      length: number,
      position?: number,
    ) => ReturnType<FileHandle['write']>
    const sync = file.sync.bind(file)
    const datasync = file.datasync.bind(file)
    const truncate = file.truncate.bind(file)
    const replacement = {
      write: async (bytes: Buffer, offset: number, length: number, position?: number) => {
        if (fails('write')) throw full()
        // What is left of a text that was written in halves.
        if (offset > 0 && (fails('append') || fails('cut'))) throw full()
        if (failing === 'short' && length <= 8) return { bytesWritten: 0, buffer: bytes }
        return write(bytes, offset, failing === 'short' ? Math.min(8, length) : Math.ceil(length / 2), position)
      },
      sync: async () => {
        if (fails('sync')) throw full()
        await sync()
      },
      datasync: async () => {
        if (fails('sync')) throw full()
        await datasync()
      },
      truncate: async (length: number) => {
        if (fails('cut')) throw full()
        await truncate(length)
      },
    }
    return Object.assign(file, replacement)
  }
  const wrapDirectory = (directory: FileHandle): FileHandle => {
    const sync = directory.sync.bind(directory)
    return Object.assign(directory, {
      sync: async () => {
        if (fails('directory')) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
        await sync()
      },
    })
  }

  return {
    ...diskFileSystem,
    open: async (path, flags, mode) => {
      if (flags === 'r') return wrapDirectory(await open(path, flags, mode))
      if (fails('open')) throw full()
      return wrapFile(await open(path, flags, mode))
    },
    rename: async (from, to) => {
      if (fails('rename')) throw full()
      renamed += 1
      await diskFileSystem.rename(from, to)
    },
    failAt: (step, times = Number.POSITIVE_INFINITY) => {
      failing = step
      left = times
    },
    renames: () => renamed,
  }
}
