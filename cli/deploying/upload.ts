import { readFile } from 'node:fs/promises'
import { isUtf8 } from 'node:buffer'
import type { Client } from '../../src/client/client.ts'
import type { DeployFile, ObjectsRequest } from '../../src/contract/deploys.ts'
import { contract } from '../../src/contract/index.ts'
import { limits } from '../../src/contract/limits.ts'
import type { LocalFile } from './files.ts'

export interface UploadPlan {
  /** Files whose content the service lacks, one per distinct content. */
  readonly missing: readonly LocalFile[]
  readonly known: number
  /** Bytes of content to send. */
  readonly bytes: number
}

/** Room for the JSON around the content, and for the service's own counting. */
const requestBudget = limits.requestBytes - 256 * 1024

/** @param known Git blob ids that the service has. */
export function planUpload(files: readonly LocalFile[], known: ReadonlySet<string>): UploadPlan {
  const missing = new Map<string, LocalFile>()
  for (const file of files) if (!known.has(file.oid)) missing.set(file.oid, file)
  const contents = [...missing.values()]
  return {
    missing: contents,
    known: files.length - files.filter((file) => missing.has(file.oid)).length,
    bytes: contents.reduce((sum, file) => sum + file.size, 0),
  }
}

type Encoded = { content: string; encoding?: 'base64' }

/** Text goes as it is unless escaping makes it longer than Base64 would. */
export function encode(content: Buffer): { object: Encoded; bytes: number } {
  if (isUtf8(content)) {
    const text = content.toString('utf8')
    const bytes = Buffer.byteLength(JSON.stringify(text))
    if (bytes <= (content.byteLength * 4) / 3 + 64) return { object: { content: text }, bytes }
  }
  const base64 = content.toString('base64')
  return { object: { content: base64, encoding: 'base64' }, bytes: base64.length }
}

/** Bytes of one file's entry in a request beside its content. */
const entryOverhead = 64

/**
 * Makes the files of a deploy request: what fits into one request goes inline, more is sent ahead in requests under
 * the limit, and what the service has goes as its id.
 */
export async function uploadFiles(
  { client, slug }: { readonly client: Client; readonly slug: string },
  files: readonly LocalFile[],
  plan: UploadPlan,
  onSent: (bytes: number) => void,
): Promise<DeployFile[]> {
  const inline = new Map<string, Encoded>()
  const listing = files.reduce((sum, file) => sum + Buffer.byteLength(file.path) * 2 + 80, 0)
  let ahead: ObjectsRequest['objects'] = []
  let aheadBytes = 0
  const flush = async (): Promise<void> => {
    if (ahead.length === 0) return
    await client.call(contract.deploys.putObjects, { query: { project: slug }, body: { objects: ahead } })
    onSent(aheadBytes)
    ahead = []
    aheadBytes = 0
  }
  const fitsInline = plan.bytes * 1.4 + listing + plan.missing.length * entryOverhead < requestBudget
  for (const file of plan.missing) {
    const { object, bytes } = encode(file.content ?? (await readFile(file.absolute)))
    if (fitsInline) {
      inline.set(file.oid, object)
      continue
    }
    if (aheadBytes + bytes + entryOverhead > requestBudget) await flush()
    ahead.push(object)
    aheadBytes += bytes + entryOverhead
  }
  await flush()
  return files.map(({ path, oid }) => {
    const object = inline.get(oid)
    return object === undefined ? { path, oid } : { path, ...object }
  })
}
