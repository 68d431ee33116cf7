import { dirname, basename } from 'node:path'
import type { Disk } from '#cli/tui/data/disk/disk.ts'

/** Files in memory. */
export function memoryDisk(): Disk {
  const files = new Map<string, Buffer>()
  return {
    async replace(path, parts) {
      const all: Uint8Array[] = []
      for await (const part of parts) all.push(part)
      files.set(path, Buffer.concat(all))
    },
    read: async (path, length) => files.get(path)?.subarray(0, length),
    list: async (directory) =>
      [...files]
        .filter(([path]) => dirname(path) === directory)
        .map(([path, { length }]) => ({ name: basename(path), size: length, modifiedAt: new Date() })),
    folders: async (directory) => {
      const below = [...files.keys()].map(dirname).filter((folder) => dirname(folder) === directory)
      return [...new Set(below.map((folder) => basename(folder)))]
    },
    async move(from, to) {
      const file = files.get(from)
      if (file === undefined) return false
      files.delete(from)
      files.set(to, file)
      return true
    },
    async remove(path) {
      files.delete(path)
    },
    sweep: async () => undefined,
    touch: async () => undefined,
  }
}
