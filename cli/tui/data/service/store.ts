import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { serviceOf } from '#cli/credentials/session-store.ts'
import { Cache } from '../disk/cache.ts'
import { nodeDisk, type Disk } from '../disk/disk.ts'
import { DecisionFiles } from '../drafts/decisions.ts'
import { DraftFiles } from '../drafts/draft-files.ts'
import { nameInstance } from '../disk/instance.ts'
import { LentFiles } from '../drafts/lent-files.ts'

export interface StoreOptions {
  /** Of what programs of this person keep: `Environment.stateDirectory`. */
  readonly stateDirectory: string
  readonly url: string
  /** Of a session, the email tells who it is; a key is replaced by another one, of which nobody can tell that. */
  readonly credential:
    | { readonly kind: 'session'; readonly email: string }
    | { readonly kind: 'key'; readonly token: string }
  readonly log: (message: string) => void
  readonly disk?: Disk
}

/** What is kept on this machine of one service, for one account, or for keys. */
export interface Store {
  readonly directory: string
  /** Of this UI, among those that run. */
  readonly instance: string
  readonly disk: Disk
  readonly cache: Cache
  readonly drafts: DraftFiles
  readonly lent: LentFiles
  readonly decisions: DecisionFiles
}

/** @throws Failure invalid_request for what is no address */
export async function openStore({
  stateDirectory,
  url,
  credential,
  log,
  disk = nodeDisk,
}: StoreOptions): Promise<Store> {
  // A key is replaced by another one; what was typed with it goes on. What a key has read is not for others.
  const drafts = join(stateDirectory, folderOf(url, credential.kind === 'session' ? credential.email : 'keys'))
  const directory =
    credential.kind === 'session' ? drafts : join(stateDirectory, folderOf(url, `key\0${credential.token}`))
  const instance = await nameInstance()
  for (const folder of new Set([directory, drafts]))
    disk.sweep(folder).catch((error: unknown) => log(`${folder}: ${String(error)}`))
  const files = new DraftFiles(disk, { directory: drafts, instance, log })
  const lent = new LentFiles(disk, { directory: drafts, instance, drafts: files, log })
  await lent.takeBack()
  const decisions = new DecisionFiles(disk, { directory: drafts, instance, log })
  return { directory, instance, disk, cache: new Cache(disk, { directory, log }), drafts: files, lent, decisions }
}

/** The host’s name is for people; keys must not be readable from it. */
function folderOf(url: string, who: string): string {
  const service = serviceOf(url)
  const { hostname } = new URL(service)
  const digest = createHash('sha256').update(`${service}\0${who}`).digest('hex').slice(0, 16)
  return `${hostname.replaceAll(/[^a-z0-9.-]/g, '_')}-${digest}`
}
