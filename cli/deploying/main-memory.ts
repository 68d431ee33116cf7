import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../../src/client/client.ts'
import { contract } from '../../src/contract/index.ts'
import { digestOf, drop, keepPrivate } from '../state-file.ts'
import { withRetry, type RetryPolicy } from '../service/retry.ts'

/** Main’s files at a commit. */
export interface MainFiles {
  /** Of the project. */
  readonly slug: string
  /** Null: there is none yet. */
  readonly head: string | null
  /** Git blob ids by path. */
  readonly files: ReadonlyMap<string, string>
}

/** Format of the file; others are not read. */
const format = 1

/**
 * What main held after the last deploy from this machine, so that the next one need not ask. The service refuses a deploy
 * that was made with another main in mind: what is remembered may be wrong, and costs a round trip then.
 */
export class MainMemory {
  readonly #file: string

  /** @param whose what decides which project is meant: service, credential, the name that was given */
  constructor(stateDirectory: string, whose: readonly (string | undefined)[]) {
    this.#file = join(stateDirectory, 'deploys', `${digestOf(JSON.stringify(whose))}.main.json`)
  }

  read(): MainFiles | undefined {
    try {
      const kept = JSON.parse(readFileSync(this.#file, 'utf8')) as {
        format: number
        slug: string
        head: string
        files: [string, string][]
      }
      return kept.format === format ? { slug: kept.slug, head: kept.head, files: new Map(kept.files) } : undefined
    } catch {
      return undefined
    }
  }

  write({ slug, head, files }: MainFiles): void {
    keepPrivate(this.#file, JSON.stringify({ format, slug, head, files: [...files] }))
  }

  forget(): void {
    drop(this.#file)
  }
}

/** Main’s files as the service has them now. */
export async function readMain(
  { client, slug }: { readonly client: Client; readonly slug: string },
  policy: RetryPolicy,
): Promise<MainFiles> {
  const list = await withRetry(() => client.call(contract.files.list, { params: { slug } }), policy)
  return { slug, head: list.head ?? null, files: new Map(list.items.map(({ path, oid }) => [path, oid])) }
}
