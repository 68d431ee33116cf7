import { request } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openDesk, type Desk } from '#test/support/branching/support.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let desk: Desk

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())
beforeEach(async () => {
  desk = await openDesk(service)
})

const path = '/_quire/live'
const policyOf = (headers: Readonly<Record<string, unknown>>): string => String(headers['content-security-policy'])
const dashboard = (): string => `http://localhost:${service.port}`

function statusOfPost(host: string, target: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: service.port, path: target, method: 'POST', headers: { host } }
    const sent = request(options, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('error', reject)
    sent.end()
  })
}

describe('the frame for pages that are not built', () => {
  it('is on the preview’s host, for the dashboard alone, and kept by nobody', async () => {
    await desk.deploy({ 'index.mdx': '# Home' })
    const branch = await desk.previewed(await desk.branch('draft'))
    expect(branch.liveUrl).toBe(branch.previewUrl + path)
    const { status, headers, text } = await desk.preview(branch, path)
    expect(status).toBe(200)
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })
    expect(headers['set-cookie']).toBeUndefined()
    expect(policyOf(headers)).toMatch(new RegExp(`frame-ancestors ${dashboard()}$`))
    expect(text).toContain(`data-dashboard="${dashboard()}"`)
    expect((await desk.site(path)).status).toBe(404)
  })

  it('is there where no release is, with every file that it needs', async () => {
    const branch = await desk.branch('first')
    await desk.save(branch, 'index.mdx', '# Home\n\n<Note>')
    const failed = await desk.previewed(branch)
    expect(failed.preview).toMatchObject({ status: 'failed' })
    expect((await desk.preview(branch, '/')).status).toBe(503)
    const { status, text } = await desk.preview(branch, path)
    expect(status).toBe(200)
    const files = [...text.matchAll(/(?:src|href)="(\/_quire\/[^"]+)"/g)].map(([, file]) => file ?? '')
    expect(files).toHaveLength(5)
    for (const file of files) {
      const first = await desk.preview(branch, file)
      expect(first.status).toBe(200)
      expect(first.headers['cache-control']).toContain('immutable')
      const packed = await desk.preview(branch, file, { 'accept-encoding': 'gzip' })
      expect(packed.headers['content-encoding']).toBe('gzip')
      const etag = String(first.headers['etag'])
      expect((await desk.preview(branch, file, { 'if-none-match': etag })).status).toBe(304)
    }
  })

  it('is only read, and is no service worker', async () => {
    await desk.deploy({ 'index.mdx': '# Home' })
    const branch = await desk.previewed(await desk.branch('draft'))
    const { text } = await desk.preview(branch, path)
    const script = /src="(\/_quire\/live[^"]+)"/.exec(text)?.[1] ?? ''
    for (const target of [path, script]) {
      expect((await desk.preview(branch, target, { 'service-worker': 'script' })).status).toBe(403)
      expect(await statusOfPost(new URL(branch.previewUrl).host, target)).toBe(405)
    }
  })
})

it('a site and its previews may be framed by themselves and by the dashboard, what is missing there, too', async () => {
  await desk.deploy({ 'index.mdx': '# Home' })
  const branch = await desk.previewed(await desk.branch('draft'))
  const answers = [
    await desk.site('/'),
    await desk.site('/missing'),
    await desk.preview(branch, '/'),
    await desk.preview(branch, '/missing'),
  ]
  for (const { headers } of answers) {
    expect(policyOf(headers)).toContain(`frame-ancestors 'self' ${dashboard()}`)
    expect(headers['x-frame-options']).toBeUndefined()
  }
})
