import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { createParser } from 'eventsource-parser'
import type { Overrides } from '#wire.ts'
import { openDesk, type Desk } from '#test/support/branching/support.ts'
import { startModelServer, type ModelCall, type ModelReply, type ModelServer } from '#test/support/model-server.ts'
import { noonClock, startTestService, type TestService } from '#test/support/service.ts'

/** A service whose sites answer, with a scripted model. */
export interface AskedService {
  readonly service: TestService
  readonly model: ModelServer
  /** What the model answers from now on. */
  script: (call: ModelCall) => ModelReply
  close(): Promise<void>
}

export async function startAskedService(
  environment: Readonly<Record<string, string>> = {},
  overrides: Overrides = {},
): Promise<AskedService> {
  const model = await startModelServer((call) => asked.script(call))
  const service = await startTestService(
    { DEFAULT_PLAN: 'pro', RATE_ASK: '10000', ...model.settings, ...environment },
    { now: noonClock(), ...overrides },
  )
  const asked: AskedService = {
    service,
    model,
    script: () => ({ chunks: ['It is so [1].'] }),
    async close() {
      await service.close()
      await model.close()
    },
  }
  return asked
}

export interface Told {
  readonly event: string
  readonly data: Record<string, unknown>
}

export interface Reply {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
  readonly events: readonly Told[]
}

export interface Sending {
  readonly body?: string
  readonly path?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Told of the request, to end it. */
  readonly onSent?: (sent: ClientRequest) => void
}

/** Sends a question to the host of a site, as its pages do. */
export function ask(desk: Pick<Desk, 'slug' | 'port'>, question: string, sending: Sending = {}): Promise<Reply> {
  const { body = JSON.stringify({ question }), path = '/_quire/ask', method = 'POST', headers = {}, onSent } = sending
  const host = `${desk.slug}.localhost:${desk.port}`
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port: desk.port,
        path,
        method,
        agent: false,
        headers: { host, 'content-type': 'application/json', ...headers },
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.on('error', reject)
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, events: eventsOf(text) }),
        )
      },
    )
    sent.on('error', reject)
    sent.end(body)
    onSent?.(sent)
  })
}

function eventsOf(text: string): Told[] {
  const events: Told[] = []
  const parser = createParser({
    onEvent: ({ event = '', data }) => events.push({ event, data: JSON.parse(data) as Told['data'] }),
  })
  parser.feed(text)
  return events
}

/** What a reader sees: the text with the numbers of its sources. */
export function shownText({ events }: Reply): string {
  return events
    .filter(({ event }) => event === 'delta')
    .map(({ data }) =>
      'cite' in data ? `[${String(data['cite'])}]` : 'link' in data ? JSON.stringify(data['link']) : data['text'],
    )
    .join('')
}

export function doneOf({ events }: Reply): Told['data'] | undefined {
  return events.find(({ event }) => event === 'done')?.data
}

/** A docs.json. @param box its `ask`; undefined: it has none */
export const settings = (box: unknown, more: object = {}): string => JSON.stringify({ name: 'Docs', ...more, ask: box })

/** A small site that answers. */
export const site: Readonly<Record<string, string>> = {
  'docs.json': settings({ enabled: true }),
  'index.mdx': '---\ntitle: Welcome\n---\n\nQuire hosts documentation.\n',
  'guide/keys.mdx':
    '---\ntitle: Keys\n---\n\nA key lets a pipeline in.\n\n## Make a key\n\nRun `quire keys create`. It is shown once.\n\n## Revoke a key\n\nRun `quire keys revoke`, and the key is dead at once.\n',
}

export async function openSite(asked: AskedService, files: Readonly<Record<string, string>> = site): Promise<Desk> {
  const desk = await openDesk(asked.service)
  await desk.deploy(files)
  return desk
}
