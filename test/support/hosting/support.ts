import { createServer, request, type IncomingHttpHeaders, type Server } from 'node:http'
import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import { createHosting, type Hosting, type HostingOptions } from '#hosting/hosting.ts'
import { FileBlobs } from '#storage/blobs/file-blobs.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { common, composer, makeRelease, type SiteSpec } from './support-release.ts'

export interface TestHosting {
  readonly hosting: Hosting
  readonly directory: string
  readonly errors: unknown[]
  readonly warnings: string[]
}

export async function openHosting(
  options: Partial<HostingOptions> & { readonly directory?: string } = {},
): Promise<TestHosting> {
  const directory = options.directory ?? (await temporaryDirectory())
  const errors: unknown[] = []
  const warnings: string[] = []
  const blobs = new FileBlobs(directory, (message) => void warnings.push(message), { common })
  await blobs.sweep()
  const log = { error: (error: unknown) => void errors.push(error) }
  const hosting = createHosting({ blobs, composer, log, ...options })
  return { hosting, directory, errors, warnings }
}

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly text: string
}

export interface TestSite extends TestHosting {
  readonly port: number
  publish(spec: SiteSpec): Promise<void>
  get(path: string, headers?: Record<string, string>, method?: string): Promise<Reply>
}

/** A server that answers every request with the release of project `docs` that was published last. */
export async function serveSite(
  spec: SiteSpec,
  options: Partial<HostingOptions> & { readonly directory?: string } & { readonly preview?: boolean } = {},
): Promise<TestSite> {
  const { preview = false, ...rest } = options
  const opened = await openHosting(rest)
  let live = ''
  const publish = async (next: SiteSpec): Promise<void> => {
    const { release, blobs } = makeRelease(next)
    await (await opened.hosting.open('docs')).publish(release, blobs)
    live = release.id
  }
  await publish(spec)
  const port = await listen(
    createServer((req, res) => opened.hosting.respond(req, res, { project: 'docs', release: live, preview })),
  )
  return {
    ...opened,
    port,
    publish,
    get: (path, headers = {}, method = 'GET') => send(port, { path, headers, method }),
  }
}

export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  return address.port
}

export function send(
  port: number,
  {
    path,
    headers,
    method,
  }: { readonly path: string; readonly headers: Record<string, string>; readonly method: string },
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const body = Buffer.concat(chunks)
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body, text: body.toString() })
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** Sends bytes as they are and answers with all that comes back until the server or the end of the answer closes. */
export function sendRaw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text.replaceAll('\n', '\r\n')))
    let reply = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      reply += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(reply))
  })
}
