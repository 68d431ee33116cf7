import pLimit from 'p-limit'
import type { AssetRecord } from '../../contract/release.ts'
import type { BlobSink } from './blobs.ts'
import type { BuildRequest } from '../builder.ts'
import type { Classified } from './classify.ts'

export type AssetRecords = Readonly<Record<string, AssetRecord>>

/** Files read at once: enough to keep the object store busy, few enough to bound memory beside what is new. */
const readers = 8

/** Records of all assets. Only files whose blob id is new to the project are read; the others keep their record. */
export async function publishAssets(
  assets: Classified['assets'],
  request: BuildRequest,
  { sink, before }: { readonly sink: BlobSink; readonly before: AssetRecords | undefined },
): Promise<AssetRecords> {
  const { files } = request.source
  const records = Object.create(null) as Record<string, AssetRecord>
  const unread: { readonly path: string; readonly oid: string }[] = []
  const keepable = (record: AssetRecord | undefined, oid: string) =>
    record !== undefined && record.oid === oid && sink.has(record.blob) ? record : undefined
  for (const { path } of assets) {
    const oid = files.get(path) ?? ''
    const record = keepable(before?.[path], oid) ?? keepable(request.earlierAssets?.[path], oid)
    if (record === undefined) unread.push({ path, oid })
    else records[path] = record
  }
  if (unread.length === 0) return records
  const byOid = new Map(Object.values(request.earlierAssets ?? {}).map((record) => [record.oid, record]))
  const limit = pLimit(readers)
  const read = async ({ path, oid }: { readonly path: string; readonly oid: string }) => {
    request.signal?.throwIfAborted()
    const moved = keepable(byOid.get(oid), oid)
    records[path] = moved === undefined ? { oid, ...sink.add(await request.source.read(oid)) } : { ...moved }
    await sink.relieve()
  }
  await Promise.all(unread.map((file) => limit(read, file)))
  return records
}
