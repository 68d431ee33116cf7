import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { serviceOf } from '../../credentials/session-store.ts'
import { Cache } from './cache.ts'
import { nodeDisk, type Disk } from './disk.ts'
import { DraftFiles } from './draft-files.ts'
import { nameInstance } from './instance.ts'

export interface StoreOptions {
  /** Of what programs of this person keep: `Environment.stateDirectory`. */
  readonly stateDirectory: string
  readonly url: string
  /** Email of the account, or the key. */
  readonly who: string
  readonly log: (message: string) => void
  readonly disk?: Disk
}

/** What is kept on this machine of one service, for one account or key. */
export interface Store {
  readonly directory: string
  /** Of this UI, among those that run. */
  readonly instance: string
  readonly disk: Disk
  readonly cache: Cache
  readonly drafts: DraftFiles
}

/** @throws Failure invalid_request for what is no address */
export async function openStore({ stateDirectory, url, who, log, disk = nodeDisk }: StoreOptions): Promise<Store> {
  const directory = join(stateDirectory, folderOf(url, who))
  const instance = await nameInstance()
  disk.sweep(directory).catch((error: unknown) => log(`${directory}: ${String(error)}`))
  return {
    directory,
    instance,
    disk,
    cache: new Cache(disk, { directory, log }),
    drafts: new DraftFiles(disk, { directory, instance, log }),
  }
}

/** The host’s name is for people; keys must not be readable from it. */
function folderOf(url: string, who: string): string {
  const service = serviceOf(url)
  const { hostname } = new URL(service)
  const digest = createHash('sha256').update(`${service}\0${who}`).digest('hex').slice(0, 16)
  return `${hostname.replaceAll(/[^a-z0-9.-]/g, '_')}-${digest}`
}
