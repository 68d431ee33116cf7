import { LRUCache } from 'lru-cache'

interface MemoriesOptions<Memory> {
  /** Of all together. */
  readonly count: number
  readonly bytes: number
  /** Bytes of one, about. */
  readonly bytesOf: (memory: Memory) => number
  /** Whose a project is. */
  readonly ownerOf: (project: string) => string
}

/**
 * What is remembered of projects and their branches, up to a number of bytes. Who has most makes room: an owner who deploys
 * large sites, or many, forgets their own, and those of others stay.
 */
export class Memories<Memory extends object> {
  readonly #options: MemoriesOptions<Memory>
  readonly #kept: LRUCache<string, { readonly owner: string; readonly bytes: number; readonly memory: Memory }>

  constructor(options: MemoriesOptions<Memory>) {
    this.#options = options
    this.#kept = new LRUCache({ max: options.count, maxSize: options.bytes, sizeCalculation: ({ bytes }) => bytes })
  }

  /** Of a branch; as long as there is nothing of it, of main, where it begins. */
  get(project: string, branch = ''): Memory | undefined {
    return (this.#kept.get(`${project} ${branch}`) ?? this.#kept.get(`${project} `))?.memory
  }

  set(project: string, branch = '', memory: Memory): void {
    const key = `${project} ${branch}`
    const { count, bytes: most, bytesOf, ownerOf } = this.#options
    // The largest sites are those that need it most.
    const bytes = Math.min(Math.max(1, bytesOf(memory)), Math.floor(most / 2))
    const owner = ownerOf(project)
    this.#kept.delete(key)
    while (this.#kept.size >= count || this.#kept.calculatedSize + bytes > most) this.#makeRoom(owner, bytes)
    this.#kept.set(key, { owner, bytes, memory })
  }

  /** Forgets what was used longest ago of who has most, with what comes. */
  #makeRoom(coming: string, bytes: number): void {
    const held = new Map([[coming, bytes]])
    const last = new Map<string, string>()
    for (const [key, { owner, bytes: own }] of [...this.#kept.entries()].toReversed()) {
      held.set(owner, (held.get(owner) ?? 0) + own)
      if (!last.has(owner)) last.set(owner, key)
    }
    const [owner] = [...last.keys()].toSorted((one, other) => (held.get(other) ?? 0) - (held.get(one) ?? 0))
    this.#kept.delete(last.get(owner ?? '') ?? '')
  }
}
