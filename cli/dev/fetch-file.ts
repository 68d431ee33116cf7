import { copyingAgent } from '../../src/site/build/fonts.ts'
import type { FetchFile } from '../../src/site/builder.ts'

const timeoutMs = 10_000

/** Reads a font or a description of an API that is elsewhere, as the service would: whoever runs this chose the address. */
export const fetchFile: FetchFile = async (url, { maxBytes, signal, etag: known }) => {
  const { host } = new URL(url)
  const timeout = AbortSignal.timeout(timeoutMs)
  let response: Response
  try {
    response = await fetch(url, {
      redirect: 'manual',
      headers: { 'user-agent': copyingAgent, ...(known === undefined ? {} : { 'if-none-match': known }) },
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    })
  } catch (error) {
    throw new Error(`${host} cannot be reached.`, { cause: error })
  }
  if (response.status === 304 && known !== undefined) return { bytes: null, etag: known }
  if (response.status !== 200) throw new Error(`${host} answers with status ${response.status}.`)
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    length += chunk.length
    if (length > maxBytes) throw new Error(`${host} sends more than ${maxBytes} bytes.`)
  }
  const etag = response.headers.get('etag')
  return { bytes: Buffer.concat(chunks), ...(etag === null ? {} : { etag }) }
}
