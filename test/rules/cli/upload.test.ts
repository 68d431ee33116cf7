import { describe, expect, it } from 'vitest'
import { blobOid } from '#contract/blob-oid.ts'
import { collectFiles, type LocalFile } from '#cli/deploying/files.ts'
import { encode, planUpload, uploadFiles } from '#cli/deploying/upload.ts'
import type { Client } from '#client/client.ts'
import { limits } from '#contract/limits.ts'
import { temporaryDirectory, writeFiles } from '#test/support/temporary.ts'

/** A client that keeps what it is asked to send ahead. */
function recordingClient(): { client: Client; requests: { objects: { content: string; encoding?: string }[] }[] } {
  const requests: { objects: { content: string; encoding?: string }[] }[] = []
  const call = async (
    _endpoint: unknown,
    options: { query: unknown; body: { objects: { content: string }[] } },
  ): Promise<unknown> => {
    expect(options.query).toEqual({ project: 'docs' })
    requests.push(options.body)
    return { oids: [] }
  }
  return { client: { call, events: undefined } as unknown as Client, requests }
}

async function upload(
  contents: Record<string, string | Uint8Array>,
  known: (files: LocalFile[]) => string[] = () => [],
) {
  const directory = await temporaryDirectory()
  await writeFiles(directory, contents)
  const { files } = await collectFiles(directory)
  const { client, requests } = recordingClient()
  const body = await uploadFiles(
    { client, slug: 'docs' },
    files,
    planUpload(files, new Set(known(files))),
    () => undefined,
  )
  return { body, requests }
}

describe('sending content', () => {
  it('puts a small site inline, text as text and binary as Base64', async () => {
    const { body, requests } = await upload({ 'a.mdx': '# A', 'b.png': new Uint8Array([0xff, 0xd8, 0x00]) })
    expect(requests).toEqual([])
    expect(body).toEqual([
      { path: 'a.mdx', content: '# A' },
      { path: 'b.png', content: '/9gA', encoding: 'base64' },
    ])
  })

  it('sends what the service has as its id only', async () => {
    const { body } = await upload({ 'a.mdx': '# A', 'b.mdx': '# B' }, (files) =>
      files.slice(0, 1).map((file) => file.oid),
    )
    expect(body).toEqual([
      { path: 'a.mdx', oid: blobOid(Buffer.from('# A')) },
      { path: 'b.mdx', content: '# B' },
    ])
  })

  it('sends a large site ahead in requests under the limit, each content once', async () => {
    const large = (byte: number): Uint8Array => Buffer.alloc(3_000_000, byte)
    const { body, requests } = await upload({
      'a.bin': large(1),
      'b.bin': large(0xfe),
      'c.bin': large(0xfd),
      'copy.bin': large(0xfe),
      'd.txt': 'text',
    })
    for (const request of requests)
      expect(Buffer.byteLength(JSON.stringify(request))).toBeLessThanOrEqual(limits.requestBytes)
    expect(requests.length).toBeGreaterThan(1)
    expect(requests.flatMap((request) => request.objects)).toHaveLength(4)
    expect(body.every((file) => file.oid !== undefined && file.content === undefined)).toBe(true)
  })

  it('takes Base64 where escaping would make text longer', () => {
    expect(encode(Buffer.from('plain "text"\n')).object.encoding).toBeUndefined()
    expect(encode(Buffer.alloc(5000, 1)).object.encoding).toBe('base64')
  })

  it('fits the largest file of any content into one request', () => {
    for (const byte of [1, 0x41, 0x22, 0xff])
      expect(encode(Buffer.alloc(limits.fileBytes, byte)).bytes).toBeLessThan(limits.requestBytes - 300_000)
  })
})
