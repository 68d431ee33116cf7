import { FakeTexts } from '#test/support/changelog/support.ts'
import { FakeDns } from '#test/support/domains/support.ts'
import { FakeBuilder, fakePages } from '#test/support/fake-builder.ts'
import { PostedLetters } from '#test/support/letters.ts'
import { send, type RawAnswer } from '#test/support/send.ts'
import { MemoryRouter, reported } from '#test/support/memory-router.ts'
import { unlimited } from '#test/support/service-process.ts'
import { noonClock, startTestService, type TestService } from '#test/support/service.ts'
import type { FuzzCaller } from './names.ts'
import type { State } from './state.ts'
import { Tenants, type Place } from './tenants.ts'

export interface FuzzRequest {
  readonly caller: FuzzCaller
  readonly operation: string
  readonly method: string
  readonly path: string
  /** Whose project it is about. */
  readonly target: 'own' | 'foreign' | 'elsewhere'
  readonly headers: Readonly<Record<string, string>>
  readonly text?: string
  readonly encode?: (text: string) => Buffer
}

let written = 0

/** A model that writes a page, and says so. */
const writer = new MemoryRouter(async function* ({ messages, tools = [] }) {
  const name = 'write_file'
  const writes = messages.at(-1)?.role === 'user' && tools.some((tool) => tool.name === name)
  if (writes) {
    const args = JSON.stringify({ path: 'assistant.md', content: `# Page ${++written}\n` })
    yield { type: 'call', call: { id: 'call', name, arguments: args } }
  } else yield { type: 'text', text: 'Done.' }
  yield { type: 'end', model: 'acme/large', finishReason: writes ? 'calls' : 'stop', usage: reported }
})

/** Changes after which there is a new world: what it holds is read again and again. */
const mostChanges = 40

/** A service with tenants; they are others when too much of what they have is gone. */
export class FuzzWorld {
  readonly #service: TestService
  readonly #place: Place
  readonly #passHour: () => void
  #tenants: Tenants
  #state: State
  #generations = 1
  #changes = 0
  #turn = 0

  private constructor(
    at: { readonly service: TestService; readonly place: Place; readonly passHour: () => void },
    tenants: Tenants,
    state: State,
  ) {
    this.#service = at.service
    this.#place = at.place
    this.#passHour = at.passHour
    this.#tenants = tenants
    this.#state = state
  }

  static async open(): Promise<FuzzWorld> {
    const rates = [
      'SIGN_INS_PER_MINUTE',
      'RATE_DEVICE',
      'RATE_OBJECTS',
      'RATE_WEBHOOKS',
      'RATE_DOMAINS',
      'RATE_STRANGERS',
      'RATE_FAILURES',
    ]
    const clock = noonClock()
    const letters = new PostedLetters()
    const dns = new FakeDns()
    let passed = 0
    const service = await startTestService(
      { ...unlimited, ...Object.fromEntries(rates.map((name) => [name, '1000000'])) },
      {
        builder: new FakeBuilder(),
        texts: new FakeTexts(),
        pages: fakePages,
        router: writer,
        mailer: letters,
        lookupTxt: dns.lookup,
        now: () => new Date(clock().getTime() + passed),
        send: async () => ({ status: 200, headers: {}, body: 'thanks', truncated: false }),
      },
    )
    const passHour = (): void => void (passed += 3_600_000)
    const place = { url: service.url, dns, letters }
    const tenants = await Tenants.settle(place, 1)
    return new FuzzWorld({ service, place, passHour }, tenants, await tenants.mend())
  }

  close(): Promise<void> {
    return this.#service.close()
  }

  /** The text with all names replaced. */
  #resolve(text: string, write = (value: string): string => value): string {
    const values: Readonly<Record<string, readonly string[] | undefined>> = this.#tenants.known
    return text.replace(/__([A-Za-z]+)__/g, (whole, name: string) => {
      if (name === 'fresh') return `${this.#generations}-${this.#turn}`
      const pool = Object.hasOwn(values, name) ? (values[name] ?? []) : []
      return write(pool[this.#turn % pool.length] ?? whole)
    })
  }

  ask({ caller, method, path, headers, text, encode }: FuzzRequest): Promise<RawAnswer> {
    this.#turn += 1
    const authorization = this.#tenants.credentialOf(caller)
    const lines = Object.entries(headers).map(([name, value]): [string, string] => [name, this.#resolve(value)])
    return send(this.#service.port, {
      method,
      path: this.#resolve(path, encodeURI),
      headers: { ...(authorization === null ? {} : { authorization }), ...Object.fromEntries(lines) },
      ...(text === undefined || encode === undefined ? {} : { body: encode(this.#resolve(text)) }),
    })
  }

  /** What is not as it was when this was asked last, or when a change was accepted. */
  async changed(): Promise<string[]> {
    const before = this.#state
    this.#state = await this.#tenants.read()
    return [...this.#state]
      .filter(([at, text]) => before.get(at) !== text)
      .map(([at, text]) => `${at}: ${before.get(at) ?? ''} → ${text}`)
  }

  /** After a change that was accepted: its outcome is how it is from here on. */
  async accept(operation: string, answer: RawAnswer): Promise<void> {
    this.#changes += 1
    const state = this.#changes < mostChanges ? await this.#tenants.mend(operation, answer).catch(() => null) : null
    if (state !== null) {
      this.#state = state
      return
    }
    this.#changes = 0
    this.#generations += 1
    // Who tries many addresses that have an account may not sign up for an hour.
    this.#passHour()
    this.#tenants = await Tenants.settle(this.#place, this.#generations)
    this.#state = await this.#tenants.mend()
  }
}
