import { Client } from 'undici'
import { unlessAborted } from '../lib/unless-aborted.ts'
import type { Guard } from './guard.ts'
import { openConnection } from './sender.ts'

const defaultTimeoutMs = 10_000
/** Bytes of headers, beside those of the file. */
const headerBytes = 64 * 1024

export interface FetcherOptions {
  readonly guard: Guard
  /** Milliseconds from the lookup to the last byte. */
  readonly timeoutMs?: number
  readonly userAgent: string
  /** Certificates to trust instead of the system’s, PEM. */
  readonly ca?: string
}

export interface Fetched {
  /** Null where it is as it was under the tag that was sent along. */
  readonly bytes: Buffer | null
  /** Of this state of it, as in the header `ETag`. */
  readonly etag?: string
}

/** Reads a file at an address. Throws Blocked where that may not be asked, and Error with a sentence for all else. */
export type Fetch = (
  url: string,
  options: { readonly maxBytes: number; readonly signal?: AbortSignal; readonly etag?: string },
) => Promise<Fetched>

/** A tag as servers may write it: it is kept, and sent back. */
const tagPattern = /^(?:W\/)?"[\x21\x23-\x7e]{0,200}"$/

/**
 * Reads files at addresses that strangers chose, over connections that are guarded as those of webhooks are: only to
 * public addresses, each judged before it is connected to. A redirect is not followed.
 */
export function createFetcher({ guard, timeoutMs = defaultTimeoutMs, userAgent, ca }: FetcherOptions): Fetch {
  return async (url, { maxBytes, signal: outer, etag: known }) => {
    const target = guard.parse(url)
    const timeout = AbortSignal.timeout(timeoutMs)
    const signal = outer === undefined ? timeout : AbortSignal.any([timeout, outer])
    const { host } = target.url
    const read = async (): Promise<Fetched> => {
      const addresses = await unlessAborted(guard.addresses(target), signal)
      const limits = { maxReceived: maxBytes + headerBytes, ...(ca === undefined ? {} : { ca }) }
      const connection = openConnection({ target, addresses, ...limits })
      const client = new Client(target.url.origin, { connect: connection.connect, headersTimeout: 0, bodyTimeout: 0 })
      try {
        const { statusCode, headers, body } = await client.request({
          method: 'GET',
          path: target.url.pathname + target.url.search,
          headers: {
            'user-agent': userAgent,
            'accept-encoding': 'identity',
            ...(known === undefined ? {} : { 'if-none-match': known }),
          },
          signal,
          reset: true,
        })
        if (statusCode === 304 && known !== undefined) return { bytes: null, etag: known }
        if (statusCode !== 200) throw new Error(`${host} answers with status ${statusCode}.`)
        const chunks: Buffer[] = []
        let length = 0
        for await (const chunk of body as AsyncIterable<Buffer>) {
          chunks.push(chunk)
          length += chunk.length
          if (length > maxBytes) throw new Error(`${host} sends more than ${maxBytes} bytes.`)
        }
        const { etag } = headers
        const bytes = Buffer.concat(chunks)
        return typeof etag === 'string' && tagPattern.test(etag) ? { bytes, etag } : { bytes }
      } finally {
        connection.destroy()
        await client.destroy()
      }
    }
    try {
      return await read()
    } catch (error) {
      if (timeout.aborted)
        throw new Error(`${host} did not answer within ${timeoutMs / 1000} seconds.`, { cause: error })
      // What Node says of a connection is for its programmers.
      if (error instanceof Error && 'code' in error && typeof error.code === 'string')
        throw new Error(`${host} cannot be reached (${error.code}).`, { cause: error })
      throw error
    }
  }
}
