import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface FakeComment {
  readonly id: number
  body: string
  readonly author_association: string
  readonly user: { readonly type: string }
}

/** GitHub’s API as far as comments on one pull request go. */
export async function startGitHub() {
  const comments: FakeComment[] = []
  const asked: string[] = []
  const tokens = new Set<string | undefined>()
  const state = { status: 200 }
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x')
    asked.push(`${request.method} ${pathname}`)
    tokens.add(request.headers.authorization)
    let text = ''
    for await (const part of request) text += String(part)
    const sent = text === '' ? {} : (JSON.parse(text) as { body: string })
    const answer = (value: unknown): void => {
      response.writeHead(state.status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    }
    if (state.status >= 300) return answer({ message: 'no' })
    if (request.method === 'GET') {
      const [size, page] = [Number(searchParams.get('per_page')), Number(searchParams.get('page'))]
      return answer(comments.slice((page - 1) * size, page * size))
    }
    const { body = '' } = sent as { body?: string }
    const known = comments.find(({ id }) => pathname.endsWith(`/issues/comments/${id}`))
    if (request.method === 'PATCH' && known !== undefined) known.body = body
    else add(body, 'Bot')
    answer({})
  }
  const server = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const add = (body: string, type: string): void => {
    comments.push({ id: 1000 + comments.length, body, author_association: 'NONE', user: { type } })
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    comments,
    asked,
    tokens,
    state,
    add,
    close: (): void => {
      server.closeAllConnections()
      server.close()
    },
  }
}
