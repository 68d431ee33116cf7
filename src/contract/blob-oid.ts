import { createHash } from 'node:crypto'

/** The id that Git gives to a file’s content, by which clients name what the service may have: SHA-1, 40 hex digits. */
export function blobOid(content: Uint8Array): string {
  return createHash('sha1').update(`blob ${content.byteLength}\0`).update(content).digest('hex')
}
