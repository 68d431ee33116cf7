import { nodeDisk, type Disk } from '#cli/tui/data/disk/disk.ts'

/** A disk that refuses what is written with the code, while there is one; `hangs`: it never answers. */
export function failingDisk(): Disk & { code: string | undefined } {
  const disk = {
    ...nodeDisk,
    code: undefined as string | undefined,
    replace: (...given: Parameters<Disk['replace']>): Promise<void> => {
      if (disk.code === undefined) return nodeDisk.replace(...given)
      if (disk.code === 'hangs') return new Promise(() => undefined)
      return Promise.reject(Object.assign(new Error(`${disk.code}: refused`), { code: disk.code }))
    },
  }
  return disk
}
