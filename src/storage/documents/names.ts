/** Names of documents by their folders: whoever looks for some of them does not look at all. */
export class DocumentNames {
  /** By folder, which ends in `/` or is empty: its documents and folders. */
  readonly #folders = new Map<string, Set<string>>()

  add(name: string): void {
    const folder = name.slice(0, name.lastIndexOf('/', name.length - 2) + 1)
    const within = this.#folders.get(folder)
    within?.add(name)
    if (within !== undefined) return
    this.#folders.set(folder, new Set([name]))
    if (folder !== '') this.add(folder)
  }

  /** Those that begin so, in any order. */
  *under(prefix: string): Generator<string> {
    for (const name of this.#folders.get(prefix.slice(0, prefix.lastIndexOf('/') + 1)) ?? []) {
      if (!name.startsWith(prefix)) continue
      if (name.endsWith('/')) yield* this.under(name)
      else yield name
    }
  }
}
