import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Document } from '../../contract/release.ts'
import type { Hosting } from '../../hosting/hosting.ts'
import {
  always,
  fileCaching,
  fileHeaders,
  head,
  isCompressible,
  isRead,
  noindex,
  pageHeaders,
  sendText,
} from '../../hosting/serving/answer.ts'
import { Body, sendBody } from '../../hosting/serving/body.ts'
import { acceptedEncoding } from '../../hosting/serving/negotiate.ts'
import { sha256 } from '../../lib/digest.ts'
import type { Theme } from '../../site/theme/assets.ts'
import type { SiteResponder } from './sites.ts'

export interface LiveFramesOptions {
  readonly hosting: Pick<Hosting, 'live'>
  /** Files of the theme by URL path. */
  readonly files: Theme['files']
  readonly onError: (error: unknown, projectId: string) => void
}

/**
 * The page beside the text in the editor, at an address of the preview’s own host: what a tenant wrote is never shown on
 * the dashboard’s origin. It comes with the theme of today, whatever release the host shows, and before there is one.
 */
export class LiveFrames {
  readonly #options: LiveFramesOptions
  readonly #files = new Map<string, Body>()

  constructor(options: LiveFramesOptions) {
    this.#options = options
  }

  /** Who answers for the frame’s document; it looks as the release does. */
  document(project: string, release: string | undefined): SiteResponder {
    return {
      project,
      answer: (request, response) => {
        if (isRead(request, response)) void this.#send(request, response, { project, release })
      },
    }
  }

  /** Who answers for a file of the theme; undefined when the path is of none. */
  file(path: string): SiteResponder | undefined {
    const body = this.#body(path)
    if (body === undefined) return undefined
    return {
      project: null,
      answer: (request, response) => {
        if (!isRead(request, response)) return
        const wanted = acceptedEncoding(request.headers['accept-encoding'])
        if (!body.lacks(wanted)) return sendBody(request, response, body)
        // Whatever becomes of it, there is something to send.
        void body.compress(wanted).finally(() => sendBody(request, response, body))
      },
    }
  }

  async #send(
    request: IncomingMessage,
    response: ServerResponse,
    { project, release }: { readonly project: string; readonly release: string | undefined },
  ): Promise<void> {
    try {
      send(request, response, await this.#options.hosting.live(project, release))
    } catch (error) {
      this.#options.onError(error, project)
      sendText(response, 500, 'The service made a mistake', noindex)
    }
  }

  #body(path: string): Body | undefined {
    const file = this.#options.files.get(path)
    const known = this.#files.get(path)
    if (file === undefined || known !== undefined) return known
    const { bytes, compressed, ...headers } = file
    const blob = sha256(bytes)
    const route = { kind: 'file', blob, size: bytes.length, immutable: true, ...headers } as const
    const body = new Body({
      status: 200,
      bytes,
      tag: blob.slice(0, 32),
      headers: [...fileHeaders(route), ...noindex],
      caching: fileCaching(route, false),
      compressible: isCompressible(route.type),
      compressed,
    })
    this.#files.set(path, body)
    return body
  }
}

function send(request: IncomingMessage, response: ServerResponse, document: Document): void {
  const bytes = Buffer.from(document.html)
  const own = ['Cache-Control', 'no-store', 'Content-Length', String(bytes.length)]
  head(response, 200, [...pageHeaders(document), ...own, ...always, ...noindex])
  response.end(request.method === 'HEAD' ? undefined : bytes)
}
