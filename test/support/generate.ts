import { createParser } from 'eventsource-parser'
import { createClient, type Client } from '#client/client.ts'
import type { Problem } from '#contract/common.ts'
import type { Generation, GenerationEvent, GenerationRequest } from '#contract/generation.ts'
import { contract } from '#contract/index.ts'

/** Who may ask for generations of a project. */
export interface Generator {
  readonly url: string
  readonly slug: string
  /** API key with the scope `generate`. */
  readonly key: string
  readonly session: string
  readonly owner: Client
}

/** An account with a project and a key that may generate. */
export async function createGenerator(url: string, slug: string): Promise<Generator> {
  const { token } = await createClient({ baseUrl: url }).call(contract.accounts.signup, {
    body: { email: `${slug}@example.com`, password: 'correct horse battery' },
  })
  const owner = createClient({ baseUrl: url, token })
  await owner.call(contract.projects.create, { body: { slug } })
  const body = { name: 'generator', scopes: ['read', 'write', 'generate'] as ('read' | 'write' | 'generate')[] }
  const { key } = await owner.call(contract.keys.create, { params: { slug }, body })
  return { url, slug, key, session: token, owner }
}

/** What a client has seen of a generation. */
export interface Seen {
  /** Of HTTP; 0 where the connection ended before there was one. */
  readonly status: number
  /** Texts, as they came. */
  readonly deltas: readonly string[]
  readonly generation: Generation | undefined
  /** Before the answer began, or after. */
  readonly problem: (Problem & Partial<Pick<Generation, 'generation' | 'usage'>>) | undefined
  /** The connection ended before the end was told. */
  readonly isCutOff: boolean
}

export interface GenerateOptions {
  /** Idempotency-Key. */
  readonly key?: string
  readonly signal?: AbortSignal
  /** Told of the texts so far. */
  readonly onDelta?: (deltas: readonly string[]) => void
  /** Instead of the key of the project. */
  readonly token?: string
  readonly query?: string
}

/** Asks as a client does that speaks HTTP and nothing else. Never rejects. */
export async function generate(
  { url, key: apiKey }: Pick<Generator, 'url' | 'key'>,
  body: GenerationRequest,
  options: GenerateOptions = {},
): Promise<Seen> {
  const { key, signal, onDelta, token = apiKey, query = '' } = options
  const deltas: string[] = []
  let generation: Generation | undefined
  let problem: Seen['problem']
  let status = 0
  try {
    const response = await fetch(`${url}/api/proxy/generate${query}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    })
    status = response.status
    if (!response.ok) problem = (await response.json()) as NonNullable<typeof problem>
    else if (body.stream !== true) generation = (await response.json()) as Generation
    else {
      const parser = createParser({
        onEvent: ({ data }) => {
          const event = JSON.parse(data) as GenerationEvent
          if (event.type === 'delta') deltas.push(event.text)
          else if (event.type === 'error') ({ problem } = event)
          else {
            const { type: _type, ...whole } = event
            generation = whole
          }
        },
      })
      const decoder = new TextDecoder()
      for await (const chunk of response.body ?? []) {
        parser.feed(decoder.decode(chunk, { stream: true }))
        if (deltas.length > 0) onDelta?.(deltas)
      }
    }
  } catch {
    // The connection: what came before it is seen.
  }
  return { status, deltas, generation, problem, isCutOff: generation === undefined && problem === undefined }
}
