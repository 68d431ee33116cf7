import { request } from 'node:http'

export interface SiteReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
  readonly text: string
}

/** A request to a site: the host is a header, because test machines do not resolve names below localhost. */
export function getSite(
  port: number,
  host: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<SiteReply> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path, agent: false, headers: { host: `${host}:${port}`, ...headers } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const body = Buffer.concat(chunks)
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body, text: body.toString('utf8') })
        })
      },
    )
    sent.on('error', reject)
    sent.end()
  })
}
