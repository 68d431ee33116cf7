import { ObjectNotFound, type Oid, type Repository } from '../content/repository.ts'

/** What a branch held at one moment. Nothing else of the repository can be reached through it. */
export interface BranchContent {
  readonly name: string
  readonly head: Oid
  /** Blobs by path. */
  readonly files: ReadonlyMap<string, Oid>
  /** Bytes of a file, without reading it. Throws ObjectNotFound for a path that is not in `files`. */
  size(path: string): Promise<number>
  /** Throws as `size`. */
  read(path: string): Promise<Buffer>
}

export async function contentAt(repository: Repository, head: Oid, name: string): Promise<BranchContent> {
  const files = new Map<string, Oid>()
  for (const [path, { oid }] of await repository.readTree(head)) files.set(path, oid)
  const oidOf = (path: string): Oid => {
    const oid = files.get(path)
    if (oid === undefined) throw new ObjectNotFound(`${name} has no file ${path}`)
    return oid
  }
  return {
    name,
    head,
    files,
    size: async (path) => {
      const oid = oidOf(path)
      const size = (await repository.blobSizes([oid])).get(oid)
      if (size === undefined) throw new ObjectNotFound(`the content of ${path} is missing`)
      return size
    },
    read: async (path) => repository.readBlob(oidOf(path)),
  }
}
