import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createFetcher } from '#webhooks/fetcher.ts'
import { Guard } from '#webhooks/guard.ts'
import { listen } from '#test/support/webhooks/support-sender.ts'

const guard = (allowHosts: readonly string[] = ['127.0.0.1']): Guard =>
  new Guard({
    allowHosts,
    ownHost: 'quire.example',
    previewDomain: 'sites.example',
    lookup: () => Promise.resolve(['10.0.0.7']),
    systemLookup: () => Promise.resolve(['127.0.0.1']),
  })

const serving = async (status: number, headers: Record<string, string>, body: string): Promise<string> =>
  `http://127.0.0.1:${await listen(createServer((_request, response) => response.writeHead(status, headers).end(body)))}/a`

const fetchFile = createFetcher({ guard: guard(), userAgent: 'test', timeoutMs: 300 })

describe('a file at an address that an author chose', () => {
  it('is read whole', async () => {
    const url = await serving(200, {}, 'a'.repeat(1_000_000))
    expect((await fetchFile(url, { maxBytes: 1_000_000 })).bytes).toHaveLength(1_000_000)
  })

  it('is read no further than it may be long', async () => {
    const url = await serving(200, {}, 'a'.repeat(1_000_000))
    await expect(fetchFile(url, { maxBytes: 1000 })).rejects.toThrow(/sends more than 1000 bytes|more than/)
  })

  it('is not sent again where it is as it was under its tag', async () => {
    const server = createServer(({ headers }, response) =>
      response.writeHead(headers['if-none-match'] === '"one"' ? 304 : 200, { etag: '"one"' }).end(),
    )
    const url = `http://127.0.0.1:${await listen(server)}/`
    expect(await fetchFile(url, { maxBytes: 10 })).toEqual({ bytes: Buffer.alloc(0), etag: '"one"' })
    expect(await fetchFile(url, { maxBytes: 10, etag: '"one"' })).toEqual({ bytes: null, etag: '"one"' })
    expect(await fetchFile(url, { maxBytes: 10, etag: '"two"' })).toMatchObject({ bytes: Buffer.alloc(0) })
  })

  it.each(['one', '"a', `"${'a'.repeat(300)}"`])('has no tag where that is none: %s', async (etag) => {
    expect(await fetchFile(await serving(200, { etag }, 'a'), { maxBytes: 10 })).toEqual({ bytes: Buffer.from('a') })
  })

  it('is not looked for elsewhere', async () => {
    const url = await serving(302, { location: 'http://169.254.169.254/' }, '')
    await expect(fetchFile(url, { maxBytes: 1000 })).rejects.toThrow('answers with status 302.')
  })

  it('is given up when it does not come', async () => {
    const url = `http://127.0.0.1:${await listen(createServer(() => undefined))}/`
    await expect(fetchFile(url, { maxBytes: 1000 })).rejects.toThrow('did not answer within 0.3 seconds.')
  })

  it.each(['http://169.254.169.254/latest', 'https://127.0.0.1/', 'https://font.example/a', 'file:///etc/passwd'])(
    'is not read where no webhook may go: %s',
    async (url) => {
      const strict = createFetcher({ guard: guard([]), userAgent: 'test', timeoutMs: 300 })
      await expect(strict(url, { maxBytes: 1000 })).rejects.toMatchObject({ name: 'Blocked' })
    },
  )
})
