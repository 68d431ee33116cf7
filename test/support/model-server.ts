import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/** A message of a chat completion, as it is on the wire. */
export interface WireMessage {
  readonly role: string
  readonly content?: string | null
  readonly tool_calls?: readonly {
    readonly id: string
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
  readonly tool_call_id?: string
}

/** The body of a request for a chat completion. */
export interface WireRequest {
  readonly model?: string
  readonly models?: readonly string[]
  readonly messages: readonly WireMessage[]
  readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters: object } }[]
  readonly max_tokens?: number
  readonly stream?: boolean
  readonly stream_options?: { readonly include_usage?: boolean }
}

/** A request, as it came. */
export interface ModelCall {
  readonly body: WireRequest
  readonly headers: IncomingHttpHeaders
  /** That is asked now: the fallback when the script had an error for the one before. */
  readonly model: string
  /** The client went away before it had the whole answer. */
  readonly aborted: boolean
}

/** An answer; what is not said has a default. */
export interface ModelReply {
  /** The text, piece by piece; `Hello` unless there are calls. */
  readonly chunks?: readonly string[]
  readonly calls?: readonly { readonly name: string; readonly arguments: object | string; readonly id?: string }[]
  /** That answered. */
  readonly model?: string
  /** By the length of the texts; null tells none. */
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number; readonly cost?: number } | null
  /** An error before anything was produced; the next model of the request is tried, except for 400, 401 and 402. */
  readonly status?: number
  /** Of the error. */
  readonly body?: unknown
  /** Seconds, beside the error. */
  readonly retryAfter?: number
  /** After so many pieces of text; -1: before the head of the answer. `end` is an answer that is cut off without a word. */
  readonly failAfter?: { readonly chunks: number; readonly how: 'reset' | 'hang' | 'error' | 'end' }
  /** Before the first piece, with comments meanwhile. */
  readonly delayMs?: number
  /** Between pieces. */
  readonly chunkDelayMs?: number
  readonly finish?: 'stop' | 'length' | 'content_filter'
}

/** Says what a call is answered with; `index` counts requests from 0. */
export type ModelScript = (call: ModelCall, index: number) => ModelReply | Promise<ModelReply>

export interface ModelServer {
  /** For MODEL_ROUTER_URL. */
  readonly url: string
  readonly key: string
  /** One for each request that was let in. */
  readonly calls: readonly ModelCall[]
  /** Of a service that uses it. */
  readonly settings: Readonly<Record<'MODEL_ROUTER_URL' | 'MODEL_ROUTER_KEY', string>>
  close(): Promise<void>
}

/** A call, while it is answered. */
interface Arrived extends ModelCall {
  readonly body: WireRequest
  model: string
  aborted: boolean
  /** By the script, not by the client. */
  isReset: boolean
}

/** The errors of before the stream that OpenRouter documents. */
const errors: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Invalid credentials',
  402: 'Insufficient credits',
  403: 'Your input was flagged',
  404: 'No endpoints found',
  408: 'Your request timed out',
  413: 'Payload too large',
  429: 'You are being rate limited',
  502: 'Your chosen model is down',
  503: 'There is no available model provider',
}

/** Of the account, not of a model: another one would answer the same. */
const final = new Set([400, 401, 402])

/** Ends the answer with an error that is told before anything else. */
class Refused extends Error {
  readonly status: number
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, { body, retryAfter }: Pick<ModelReply, 'body' | 'retryAfter'> = {}) {
    super(errors[status] ?? 'Error')
    this.status = status
    this.body = body ?? { error: { code: status, message: this.message } }
    this.headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  }
}

/** What a provider checks of a conversation: each call of a tool is answered once, right after it. */
function requireValid({ messages }: WireRequest): void {
  if (!Array.isArray(messages) || messages.length === 0) throw new Refused(400)
  let open = new Set<string>()
  for (const { role, content, tool_calls: calls, tool_call_id: answered } of messages) {
    if (role === 'tool') {
      if (!open.delete(answered ?? '')) throw new Refused(400)
      continue
    }
    const isSaid = typeof content === 'string' && content !== ''
    const isKnown = role === 'assistant' ? isSaid || calls !== undefined : ['system', 'user'].includes(role) && isSaid
    if (open.size > 0 || !isKnown) throw new Refused(400)
    open = new Set((calls ?? []).map(({ id }: { readonly id: string }) => id))
  }
  if (open.size > 0) throw new Refused(400)
}

function parse(body: string): WireRequest {
  try {
    return JSON.parse(body) as WireRequest
  } catch {
    throw new Refused(400)
  }
}

const tokens = (value: unknown): number => Math.ceil(JSON.stringify(value).length / 4)

/** Pieces of a text, none of which is whole JSON. */
const pieces = (value: string): string[] => value.match(/[^]{1,7}/g) ?? ['']

interface Answer {
  readonly reply: ModelReply
  readonly chunks: readonly string[]
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[]
  readonly finish: string
  readonly usage: object | null
  /** What each message of it begins with. */
  readonly head: { readonly id: string; readonly created: number; readonly model: string }
}

function answerOf(reply: ModelReply, { body, model }: ModelCall, index: number): Answer {
  const calls = (reply.calls ?? []).map(({ id, name, arguments: given }, at) => ({
    id: id ?? `call_${index}_${at}`,
    name,
    arguments: typeof given === 'string' ? given : JSON.stringify(given),
  }))
  const chunks = reply.chunks ?? (calls.length > 0 ? [] : ['Hello'])
  const prompt_tokens = tokens([body.messages, body.tools ?? []])
  const completion_tokens = tokens([chunks.join(''), calls])
  const cost = (prompt_tokens * 3 + completion_tokens * 15) / 1_000_000
  return {
    reply,
    chunks,
    calls,
    finish: reply.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
    usage: reply.usage === undefined ? { prompt_tokens, completion_tokens, cost } : reply.usage,
    head: { id: `gen-${index}`, created: Math.floor(Date.now() / 1000), model: reply.model ?? model },
  }
}

/** The answer fails here, in one of the ways that a script can choose. Never returns where nothing more comes. */
async function fail(
  how: 'reset' | 'hang' | 'end',
  call: Arrived,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  if (how === 'reset') {
    // A reset takes what nobody has read yet with it: let the pieces before it arrive.
    await sleep(20, undefined, { signal: gone })
    call.isReset = true
    response.socket?.resetAndDestroy()
  } else if (how === 'end') response.end()
  else await new Promise((resolve) => gone.addEventListener('abort', resolve, { once: true }))
}

async function stream(answer: Answer, call: Arrived, response: ServerResponse, gone: AbortSignal): Promise<void> {
  const { reply, chunks, calls, finish, usage, head } = answer
  const { failAfter, delayMs = 0, chunkDelayMs = 0 } = reply
  const write = async (data: string): Promise<void> => {
    if (!response.write(data)) await once(response, 'drain', { signal: gone })
  }
  const send = (message: object): Promise<void> =>
    write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...message })}\n\n`)
  const delta = (content: object, reason: string | null = null): Promise<void> =>
    send({ choices: [{ index: 0, delta: content, finish_reason: reason }] })
  const wait = async (milliseconds: number): Promise<void> => {
    if (milliseconds > 0) await sleep(milliseconds, undefined, { signal: gone })
  }

  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  await write(': OPENROUTER PROCESSING\n\n')
  await wait(delayMs)
  for (let sent = 0; sent <= chunks.length; sent++) {
    if (failAfter?.chunks === sent) {
      if (failAfter.how !== 'error') return fail(failAfter.how, call, response, gone)
      const choices = [{ index: 0, delta: { content: '' }, finish_reason: 'error' }]
      await send({ error: { code: 502, message: 'Provider disconnected unexpectedly' }, choices })
      return void response.end('data: [DONE]\n\n')
    }
    if (sent === chunks.length) break
    if (sent > 0) await wait(chunkDelayMs)
    await delta(sent === 0 ? { role: 'assistant', content: chunks[sent] } : { content: chunks[sent] })
  }
  for (const [index, { id, name, arguments: given }] of calls.entries()) {
    await delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] })
    for (const piece of pieces(given)) await delta({ tool_calls: [{ index, function: { arguments: piece } }] })
    await write(': OPENROUTER PROCESSING\n\n')
  }
  await delta({}, finish)
  if (usage !== null && call.body.stream_options?.include_usage === true) await send({ choices: [], usage })
  response.end('data: [DONE]\n\n')
}

async function sendWhole(answer: Answer, call: Arrived, response: ServerResponse, gone: AbortSignal): Promise<void> {
  const { reply, chunks, calls, finish, usage, head } = answer
  await sleep((reply.delayMs ?? 0) + chunks.length * (reply.chunkDelayMs ?? 0), undefined, { signal: gone })
  if (reply.failAfter?.how === 'error') throw new Refused(502)
  if (reply.failAfter !== undefined) return fail(reply.failAfter.how, call, response, gone)
  const tool_calls = calls.map(({ id, ...given }) => ({ id, type: 'function', function: given }))
  const message = {
    role: 'assistant',
    content: chunks.join(''),
    ...(tool_calls.length === 0 ? {} : { tool_calls }),
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(
    JSON.stringify({
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: finish }],
      ...(usage === null ? {} : { usage }),
    }),
  )
}

/**
 * A router of language models on a free port of loopback that answers as a script says, in the words of OpenAI's chat
 * completions and with what OpenRouter adds to them.
 *
 * @param fallback false: knows no `models`, as most servers do not.
 */
export async function startModelServer(
  script: ModelScript,
  { fallback = true }: { readonly fallback?: boolean } = {},
): Promise<ModelServer> {
  const key = `sk-test-${randomBytes(16).toString('hex')}`
  const calls: Arrived[] = []

  /** The script's answer for the first model that has none of the errors after which another one is tried. */
  const ask = async (call: Arrived, index: number): Promise<Answer> => {
    const { model = '', models = [] } = call.body
    const wanted = fallback ? [...new Set([model, ...models])].filter((id) => id !== '') : [model]
    for (const [at, id] of wanted.entries()) {
      call.model = id
      const reply = await script(call, index)
      if (reply.status === undefined) return answerOf(reply, call, index)
      if (at === wanted.length - 1 || final.has(reply.status)) throw new Refused(reply.status, reply)
    }
    throw new Refused(400)
  }

  const answer = async (request: IncomingMessage, response: ServerResponse, gone: AbortSignal): Promise<void> => {
    const body = await text(request)
    if (request.headers.authorization !== `Bearer ${key}`) throw new Refused(401)
    if (request.method !== 'POST' || request.url !== '/api/v1/chat/completions') throw new Refused(404)
    const call = { body: parse(body), headers: request.headers, model: '', aborted: false, isReset: false }
    gone.addEventListener('abort', () => (call.aborted = !call.isReset), { once: true })
    const index = calls.push(call) - 1
    requireValid(call.body)
    const said = await ask(call, index)
    const { failAfter, delayMs = 0 } = said.reply
    if (failAfter?.chunks === -1 && failAfter.how !== 'error') {
      await sleep(delayMs, undefined, { signal: gone })
      return fail(failAfter.how, call, response, gone)
    }
    return call.body.stream === true ? stream(said, call, response, gone) : sendWhole(said, call, response, gone)
  }

  const server = createServer((request, response) => {
    const gone = new AbortController()
    response.once('close', () => response.writableFinished || gone.abort())
    void answer(request, response, gone.signal).catch((error: unknown) => {
      if (gone.signal.aborted) return
      const { status, body, headers } = error instanceof Refused ? error : new Refused(500, { body: String(error) })
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`
  return {
    url,
    key,
    calls,
    settings: { MODEL_ROUTER_URL: url, MODEL_ROUTER_KEY: key },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
