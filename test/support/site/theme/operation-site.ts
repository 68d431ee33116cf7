import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { atOnce } from '#test/support/at-once.ts'
import type { Theme } from '#site/theme/assets.ts'
import { createComposer } from '#site/theme/composer.tsx'
import { render } from '#test/support/site/mdx/render-text.ts'
import { bytes, sampleOptions, sampleShell } from './sample.ts'

/** A request as an API got it. */
export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

export function listening(server: Server): Promise<Server> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

/** Where nothing listens any more. */
export async function absent(): Promise<string> {
  const server = await listening(createServer())
  const address = addressOf(server)
  server.close()
  return address
}

/** An API that lets pages read its answers, or does not. @param tell of each request but those that ask for leave */
export function apiServer(
  allows: boolean,
  tell: (asked: Asked) => void,
  answer = (response: ServerResponse, { method }: Asked): unknown =>
    response
      .writeHead(method === 'POST' ? 201 : 200, { 'content-type': 'application/json' })
      .end('{"id":"apple_7","ripe":true}'),
): Server {
  return createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      if (allows) {
        response.setHeader('access-control-allow-origin', '*')
        response.setHeader('access-control-allow-headers', headers['access-control-request-headers'] ?? '*')
        response.setHeader('access-control-allow-methods', '*')
      }
      const asked = { method, url, headers, body: Buffer.concat(chunks).toString('latin1') }
      if (method === 'OPTIONS' || method === 'HEAD') return response.writeHead(204).end()
      tell(asked)
      answer(response, asked)
      return undefined
    })
  })
}

/** A page of an operation: its source, and what it asks for of a description. */
export interface OperationSource {
  readonly source: string
  readonly asks: Readonly<Record<string, string>>
}

/** A site of such pages by their addresses, as readers get it. */
export async function serveOperations(
  theme: Theme,
  sources: Readonly<Record<string, OperationSource>>,
): Promise<Server> {
  const shell = atOnce(
    createComposer({ ...sampleOptions, isLocal: true }).open(bytes(sampleShell({ assets: theme.assets }))),
  )
  const pages = new Map<string, { readonly html: string; readonly csp: string }>()
  for (const [url, { source, asks }] of Object.entries(sources)) {
    const { artifact } = await render(source, asks, `${url.slice(1)}.mdx`)
    const { html, csp } = shell.page(bytes(artifact), url)
    pages.set(url, { html, csp })
  }
  return listening(
    createServer(({ url = '' }, response) => {
      const file = theme.files.get(url)
      if (file !== undefined)
        return response
          .writeHead(200, { 'content-type': file.type, 'cache-control': 'max-age=3600, immutable' })
          .end(file.bytes)
      const { html, csp } = pages.get(url) ?? { html: '', csp: '' }
      return response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': csp })
        .end(html)
    }),
  )
}
