import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hostile } from '#test/support/shared.ts'
import { startService, statusOf } from '#test/support/http/support-sites.ts'

const hostFile = join(hostile, 'http/96-host-header.json')
const svgFile = join(hostile, 'config/85-asset.svg')

interface Case {
  readonly req: string
  readonly expect: string
}

const cases: readonly Case[] = JSON.parse(readFileSync(hostFile, 'utf8')) as Case[]

const tenantA = 'Host: tenant-a.preview.example'

/** The requests, as bytes, that a case of the file describes in words. */
function requestsOf({ req }: Case): string[] {
  if (req === 'two Host headers') return [`GET / HTTP/1.1\n${tenantA}\nHost: tenant-b.preview.example`]
  if (req.startsWith('Host: ')) return [`GET / HTTP/1.1\n${req.replace(/ \(.*\)$/, '')}`]
  const [line = '', ...headers] = req.split('\n')
  const targets = line
    .replace(/^GET /, '')
    .replace(/ (?:HTTP\/1\.1|on tenant-a host|with cached query)?$/, '')
    .split(', ')
  const rest = headers.length === 0 ? tenantA : headers.join('\n')
  return targets.map((target) => `GET ${target} HTTP/1.1\n${rest}`)
}

const bodyOf = (reply: string): string => reply.slice(reply.indexOf('\r\n\r\n') + 4)

describe('hostile requests', () => {
  it.each(cases.map((one) => [one.req, one] as const))('%s', async (_name, one) => {
    const { ask } = await startService()
    const allowed = [...one.expect.matchAll(/\b4\d\d\b/g)].map(([status]) => Number(status))
    const requests = requestsOf(one)
    expect(requests).not.toEqual([])
    for (const request of requests) {
      const reply = await ask(request)
      expect(reply).toMatch(/^HTTP\/1\.1 /)
      expect(reply).not.toMatch(/tenant-b|<svg|<script>|evil|^set-cookie:|^location: *[/\\]{2}/im)
      if (allowed.length > 0) expect([request, allowed.includes(statusOf(reply))]).toEqual([request, true])
      else if (request.includes('dashboard')) expect(bodyOf(reply)).toBe('the service at /')
      else expect([statusOf(reply), bodyOf(reply)]).toEqual([200, expect.stringMatching(/(?:Home|Page) of tenant-a/)])
    }
  })
})

describe('what is not part of an answer’s name in memory', () => {
  it('cannot poison it: the query and headers change nothing and are not reflected', async () => {
    const { ask } = await startService()
    const plain = (path: string): Promise<string> => ask(`GET ${path} HTTP/1.1\n${tenantA}`)
    const undated = (reply: string): string => reply.replace(/^date: .*\r\n/im, '')
    for (const path of ['/page', '/nothing']) {
      const poison = `${tenantA}\nX-Forwarded-Host: evil.example\nX-Original-URL: /evil\nForwarded: host=evil.example`
      const poisoned = await ask(`GET ${path}?x=<script>evil</script> HTTP/1.1\n${poison}`)
      const escaped = await plain(`${path}?x=%3Cscript%3Eevil`)
      const clean = await plain(path)
      expect(poisoned).not.toMatch(/evil|script/)
      expect([undated(poisoned), undated(escaped)]).toEqual([undated(clean), undated(clean)])
    }
  })
})

describe('a picture that is a script', () => {
  const svg = readFileSync(svgFile)

  it('is served on its own host only, and runs nothing there', async () => {
    const { ask } = await startService(false, svg)
    const own = await ask('GET /_assets/x.svg HTTP/1.1\nHost: tenant-b.preview.example')
    expect([statusOf(own), bodyOf(own)]).toEqual([200, svg.toString()])
    const policy = /^content-security-policy: (.*)\r$/im.exec(own)?.[1]?.split('; ').toSorted()
    expect(policy).toEqual(["default-src 'none'", 'sandbox', "style-src 'unsafe-inline'"])
    expect(own).toMatch(/^x-content-type-options: nosniff\r$/im)
    for (const path of ['/_assets/x.svg', '/_assets/tenant-b/x.svg', '/tenant-b/_assets/x.svg']) {
      const foreign = await ask(`GET ${path} HTTP/1.1\n${tenantA}`)
      expect([path, statusOf(foreign)]).toEqual([path, 404])
      expect(foreign).not.toContain('svg')
    }
    for (const path of ['/_assets/x.png%2F..%2F..%2Ftenant-b%2Fx.svg', '/_assets/..%2Ftenant-b/x.svg', '/_assets/%5cx'])
      expect([path, statusOf(await ask(`GET ${path} HTTP/1.1\n${tenantA}`))]).toEqual([path, 400])
  })
})
