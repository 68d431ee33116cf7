import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createFetcher } from '../../src/webhooks/fetcher.ts'
import { Guard } from '../../src/webhooks/guard.ts'
import { listen } from './support-sender.ts'

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
    expect(await fetchFile(url, { maxBytes: 1_000_000 })).toHaveLength(1_000_000)
  })

  it('is read no further than it may be long', async () => {
    const url = await serving(200, {}, 'a'.repeat(1_000_000))
    await expect(fetchFile(url, { maxBytes: 1000 })).rejects.toThrow(/sends more than 1000 bytes|more than/)
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
