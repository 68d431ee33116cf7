import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { expect } from 'vitest'
import { basic, type GitService } from './git-service.ts'

export const zero = '0'.repeat(40)

/** Nothing has come into the empty repository. */
export async function expectUntouched({ repository, errors }: GitService): Promise<void> {
  const objects = await readdir(join(repository.directory, 'objects'), { recursive: true })
  expect(objects.filter((name) => !['info', 'pack'].includes(name))).toEqual([])
  expect(await repository.listRefs('refs/')).toEqual(new Map())
  expect(await repository.fsck()).toEqual([])
  expect(errors).toEqual([])
}

/** A pkt-line. */
export const line = (text: string): string => (Buffer.byteLength(text) + 4).toString(16).padStart(4, '0') + text
/** Capabilities of the first command. */
export const options = '\0 report-status side-band-64k object-format=sha1 agent=test/1'

/** A pack of objects as they are given, sound or not. */
export function packOf(objects: readonly { readonly type: 1 | 2 | 3; readonly body: Buffer }[]): Buffer {
  const header = Buffer.from('PACK\0\0\0\u0002\0\0\0\0', 'latin1')
  header.writeUInt32BE(objects.length, 8)
  const parts: Buffer[] = [header]
  for (const { type, body } of objects) {
    const bytes = [(type << 4) | (body.length & 15)]
    for (let rest = body.length >> 4; rest > 0; rest >>= 7) {
      bytes[bytes.length - 1]! |= 0x80
      bytes.push(rest & 127)
    }
    parts.push(Buffer.from(bytes), deflateSync(body))
  }
  const pack = Buffer.concat(parts)
  return Buffer.concat([pack, createHash('sha1').update(pack).digest()])
}

/** Sends a push as it is given. */
export const post = (service: GitService, payload: string | Buffer, headers: Record<string, string> = {}) =>
  service.app.inject({
    method: 'POST',
    url: '/git/docs.git/git-receive-pack',
    headers: { authorization: basic, 'content-type': 'application/x-git-receive-pack-request', ...headers },
    payload,
  })
