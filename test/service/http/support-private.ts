import { request } from 'node:http'
import type { Client } from '#client/client.ts'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { openDesk, type Desk } from '#test/support/branching/support.ts'
import type { SiteReply } from '#test/support/site.ts'

export interface Asking {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A site that a test asks as browsers and programs do. */
export interface AskedProject {
  readonly desk: Desk
  /** Signed in as the owner. */
  readonly owner: Client
  readonly params: { readonly slug: string }
  readonly host: string
  /** A request to its host, or to another. */
  ask(path: string, asking?: Asking & { readonly host?: string }): Promise<SiteReply>
  /** Opens a link or sends the form, and gives the cookie that the browser keeps. */
  enter(path: string, asking?: Asking & { readonly host?: string }): Promise<string>
  /** Goes the way of members, with the session’s token; the cookie that the browser keeps on the host. */
  signIn(token: string, url: string): Promise<string>
  shareLink(name?: string, expiresAt?: string): Promise<{ readonly id: string; readonly path: string }>
}

export const files = {
  'docs.json': JSON.stringify({
    name: 'Secret plans',
    navigation: { pages: ['index', 'next'] },
    redirects: [{ source: '/old', destination: '/next' }],
  }),
  'index.mdx': '# Secret plans\n\nNobody knows.\n\n![A map](/images/map.svg)',
  'next.md': '# Next secret',
  'images/map.svg': '<svg xmlns="http://www.w3.org/2000/svg"><title>not really a picture</title></svg>',
}

/** An address as a path. */
export const pathOf = (url: string): string => new URL(url).pathname + new URL(url).search

export async function openPrivate(
  service: { readonly url: string; readonly port: number; readonly directory: string },
  content: Readonly<Record<string, string>> = files,
): Promise<AskedProject> {
  const desk = await openDesk(service)
  await desk.deploy(content)
  const { slug, session } = desk
  const owner = createClient({ baseUrl: service.url, token: session })
  const params = { slug }
  await owner.call(contract.visibility.set, { params, body: { visibility: 'private' } })
  const host = `${slug}.localhost`
  const ask: AskedProject['ask'] = (path, { host: at = host, ...asking } = {}) => send(service.port, at, path, asking)
  const enter: AskedProject['enter'] = async (path, asking) => {
    const reply = await ask(path, asking)
    const [cookie = ''] = reply.headers['set-cookie'] ?? []
    return cookie.split(';', 1)[0] ?? ''
  }
  return {
    desk,
    owner,
    params,
    host,
    ask,
    enter,
    signIn: async (token, url) => {
      const led = await send(service.port, 'localhost', `/site-access?to=${encodeURIComponent(url)}`, {
        headers: { cookie: `quire_session=${token}` },
      })
      const to = new URL(String(led.headers['location']))
      return enter(to.pathname + to.search, { host: to.hostname })
    },
    shareLink: async (name = 'Reviewers', expiresAt) => {
      const body = { name, ...(expiresAt === undefined ? {} : { expiresAt }) }
      const { id, url } = await owner.call(contract.visibility.createLink, { params, body })
      return { id, path: pathOf(url) }
    },
  }
}

export function send(
  port: number,
  host: string,
  path: string,
  { method = 'GET', headers = {}, body }: Asking = {},
): Promise<SiteReply> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path, method, agent: false, headers: { host: `${host}:${port}`, ...headers } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const whole = Buffer.concat(chunks)
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: whole,
            text: whole.toString('utf8'),
          })
        })
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

export const form = (fields: Readonly<Record<string, string>>): Asking => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
})
