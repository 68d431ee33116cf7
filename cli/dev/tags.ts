import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import pLimit from 'p-limit'
import { limits } from '../../src/contract/limits.ts'
import type { SourceTag } from '../../src/site/builder.ts'

const run = promisify(execFile)
/** Processes of git at once. */
const readers = 8
/** Of all paths of a tree. */
const maxListing = 64 * 1024 * 1024

/** Tags of the Git checkout that a folder is in, if there is one. A tag that was found stays what it is. */
export class LocalTags {
  readonly #directory: string
  readonly #found = new Map<string, SourceTag>()
  readonly #turn = pLimit(readers)

  constructor(directory: string) {
    this.#directory = directory
  }

  /** Undefined where there is no such tag, no checkout or no git: the service may know it. */
  async find(name: string): Promise<SourceTag | undefined> {
    const known = this.#found.get(name)
    if (known !== undefined) return known
    try {
      const commit = (await this.#git(`rev-parse`, '--verify', '--quiet', `refs/tags/${name}^{commit}`))
        .toString()
        .trim()
      const prefix = (await this.#git('rev-parse', '--show-prefix')).toString().replace(/\n$/, '')
      let files: Promise<ReadonlyMap<string, string>> | undefined
      const tag = { commit, files: () => (files ??= this.#list(commit, prefix)) }
      this.#found.set(name, tag)
      return tag
    } catch {
      return undefined
    }
  }

  /** Bytes of a file of a tag. */
  read(oid: string): Promise<Buffer> {
    return this.#turn(() => this.#git('cat-file', 'blob', oid))
  }

  /** Files of the folder as it is in the commit; of all of it where that is a site by itself. */
  async #list(commit: string, prefix: string): Promise<ReadonlyMap<string, string>> {
    const output = await this.#git('ls-tree', '-r', '-z', '--full-tree', commit)
    const all = new Map<string, string>()
    for (const line of output.toString().split('\0')) {
      const [, oid = '', path = ''] = /^100(?:644|755) blob ([0-9a-f]{40})\t(.+)$/s.exec(line) ?? []
      if (path !== '') all.set(path, oid)
    }
    const inside = [...all].filter(([path]) => path.startsWith(prefix))
    return inside.length === 0 ? all : new Map(inside.map(([path, oid]) => [path.slice(prefix.length), oid]))
  }

  async #git(...words: string[]): Promise<Buffer> {
    const options = { encoding: 'buffer', maxBuffer: Math.max(maxListing, limits.fileBytes) } as const
    return (await run('git', ['-C', this.#directory, ...words], options)).stdout
  }
}
