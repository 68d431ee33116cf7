import pLimit from 'p-limit'
import { contract } from '../../../../src/contract/index.ts'
import { searchLimits } from '../../../../src/contract/searches.ts'
import type { BranchFiles } from '../../data/branch-files.ts'
import type { Workspace } from '../../data/workspace.ts'
import { mendLinks } from './links.ts'
import { addressOf, isPage } from './page-paths.ts'

/** A file with links to another one. */
export interface LinkingFile {
  readonly path: string
  readonly links: number
}

/** Finds the links to a file of a branch, and lets them lead to where it is now. */
export class LinkMender {
  readonly #workspace: Workspace
  readonly #files: BranchFiles

  constructor(workspace: Workspace, files: BranchFiles) {
    this.#workspace = workspace
    this.#files = files
  }

  /** @throws Failure of the service */
  async linkingTo(target: string, signal: AbortSignal): Promise<readonly LinkingFile[]> {
    const found = await this.#mentioning(target, signal)
    const way = { from: target, to: target }
    const files = await this.#each(found, async (path) => {
      signal.throwIfAborted()
      const { text = '' } = (await this.#files.read(path)).value
      return { path, links: mendLinks(text, path, way).count }
    })
    return files.filter(({ links }) => links > 0)
  }

  /** In one commit, of what the files are now. @returns how many links. @throws Failure stale_file and others */
  async mend(files: readonly LinkingFile[], way: { readonly from: string; readonly to: string }): Promise<number> {
    let total = 0
    const changes = await this.#each(files, async ({ path }) => {
      // The file itself may link to itself.
      const { oid, text = '' } = (await this.#files.read(path === way.from ? way.to : path)).value
      const mended = mendLinks(text, path, way)
      total += mended.count
      return { path: path === way.from ? way.to : path, content: mended.text, expectedOid: oid }
    })
    if (changes.length === 0) return 0
    const { client } = this.#workspace
    const params = { slug: this.#files.slug, id: this.#files.branchId ?? '' }
    const message = `Let links lead to ${way.to}`
    await client.call(contract.branches.commit, { params, body: { message, changes } })
    return total
  }

  /** Files with what every link to it has in it: the last word of the address, as links may be relative. */
  async #mentioning(target: string, signal: AbortSignal): Promise<string[]> {
    const { branchId, slug } = this.#files
    if (branchId === undefined) return []
    const address = isPage(target) ? addressOf(target) : `/${target}`
    const words = address === '/' ? ['index', '](/', '"/'] : [address.slice(address.lastIndexOf('/') + 1)]
    const results = await this.#each(words, (word) =>
      this.#workspace.client.call(contract.branches.search, {
        params: { slug, id: branchId },
        query: { q: word.slice(0, searchLimits.text), limit: searchLimits.matches },
        signal,
      }),
    )
    const paths = new Set(results.flatMap(({ items }) => items.map(({ path }) => path)))
    return [...paths].filter((path) => isPage(path) || path === 'docs.json').sort()
  }

  #each<A, B>(items: readonly A[], work: (item: A) => Promise<B>): Promise<B[]> {
    const limit = pLimit(6)
    return Promise.all(items.map((item) => limit(() => work(item))))
  }
}
