import { createServer, type ServerResponse } from 'node:http'
import { pino, type Logger } from 'pino'
import { onTestFinished } from 'vitest'
import type { ModelEvent, ModelRequest } from '#models/model.ts'
import { Router, type RouterOptions } from '#models/router.ts'
import { listen } from '#test/support/loopback.ts'
import { startModelServer, type ModelScript, type ModelServer } from '#test/support/model-server.ts'

/** A logger that keeps its lines. */
function keepingLog(): { readonly log: Logger; readonly lines: string[] } {
  const lines: string[] = []
  return { log: pino({ base: null }, { write: (line: string) => void lines.push(line) }), lines }
}

export interface TestRouter {
  readonly router: Router
  /** What was logged. */
  readonly lines: readonly string[]
  /** Reads an answer to its end, or up to what it fails with. */
  readonly ask: (request?: Partial<ModelRequest>, signal?: AbortSignal) => Promise<Heard>
}

/** What came of a request. */
export interface Heard {
  readonly events: readonly ModelEvent[]
  readonly text: string
  readonly error: unknown
  /** What it came to, as it was told. */
  readonly told: readonly unknown[]
}

export const question: ModelRequest = { messages: [{ role: 'user', content: 'What is a release?' }] }

/** A router that asks the server at an address, until the test ends. */
export function routerOf(url: string, options: Partial<RouterOptions> = {}): TestRouter {
  const { log, lines } = keepingLog()
  const router = new Router({
    url,
    key: undefined,
    primary: 'a/one',
    fallback: 'b/two',
    prices: new Map([['a/one', { inputUsd: 3, outputUsd: 15 }]]),
    maxTokens: 1000,
    timeoutMs: 20_000,
    silenceMs: 10_000,
    userAgent: 'Quire',
    log,
    ...options,
  })
  onTestFinished(() => router.close())
  return {
    router,
    lines,
    ask: async (request = {}, signal = new AbortController().signal) => {
      const [events, told]: [ModelEvent[], unknown[]] = [[], []]
      let error: unknown
      try {
        for await (const event of router.ask({ ...question, ...request }, signal, (usage) => told.push(usage)))
          events.push(event)
      } catch (caught) {
        error = caught
      }
      const text = events.map((event) => (event.type === 'text' ? event.text : '')).join('')
      return { events, text, error, told }
    },
  }
}

/** A router and the scripted server that it asks. */
export async function startRouter(
  script: ModelScript,
  options: Partial<RouterOptions> & { readonly plain?: boolean } = {},
): Promise<TestRouter & { readonly server: ModelServer }> {
  const { plain = false, ...rest } = options
  const server = await startModelServer(script, { fallback: !plain })
  onTestFinished(() => server.close())
  return { ...routerOf(server.url, { key: server.key, ...rest }), server }
}

/** A server that answers every request in the same way. */
export async function answering(answer: (response: ServerResponse) => void): Promise<string> {
  const port = await listen(createServer((_request, response) => answer(response)))
  return `http://127.0.0.1:${port}`
}

export const eventStream = { 'content-type': 'text/event-stream' }
export const event = (message: object): string => `data: ${JSON.stringify(message)}\n\n`
/** A piece of text. */
export const said = (content: string, finish: string | null = null): string =>
  event({ choices: [{ delta: { content }, finish_reason: finish }] })
