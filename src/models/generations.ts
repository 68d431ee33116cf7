import { Failure } from '../contract/failure.ts'
import type { FinishReason, Generation, GenerationRequest, ModelList } from '../contract/generation.ts'
import { limits } from '../contract/limits.ts'
import { nearestName } from '../lib/nearest-name.ts'
import { assertSame, SharedWork, shortDigest } from '../lib/shared-work.ts'
import type { KeptResult } from './ledger.ts'
import type { ModelMessage, ModelRequest } from './model.ts'
import type { MeteredModels } from './models.ts'
import { RunningGeneration } from './running.ts'
import type { Work } from './work.ts'

export interface GenerationsOptions {
  readonly models: Pick<MeteredModels, 'begin' | 'ledger'>
  /** What may be asked of them. */
  readonly list: ModelList
}

/** Who asks for what. */
export interface Asked {
  readonly projectId: string
  readonly request: GenerationRequest
  /** Of a request that may come again, as it came. */
  readonly idempotency: { readonly key: string; readonly body: string } | undefined
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal
}

/** A request that may come again, in digests. */
type Keyed = Pick<KeptResult, 'key' | 'body'>

/** Generations for callers of the API: the same Idempotency-Key is the same one, for a day. */
export class Generations {
  readonly #options: GenerationsOptions
  readonly #shared = new SharedWork<RunningGeneration>()

  constructor(options: GenerationsOptions) {
    this.#options = options
  }

  get list(): ModelList {
    return this.#options.list
  }

  /** Settles when its first text has come. Throws a Failure when none comes. */
  async ask({ projectId, request, idempotency, signal }: Asked): Promise<RunningGeneration> {
    const wanted = this.#modelRequestOf(request)
    const { generation } = request
    if (idempotency === undefined) return this.#start(projectId, wanted, { generation, signal, keyed: undefined })
    const keyed = { key: shortDigest(idempotency.key), body: shortDigest(idempotency.body) }
    return this.#shared.run(
      { slot: `${projectId} ${keyed.key}`, body: keyed.body, signal },
      async (audience) =>
        (await this.#recorded(projectId, keyed)) ??
        // A repeated request counts for the generation of the first, however far that came.
        this.#start(projectId, wanted, { generation: generation ?? `key-${keyed.key}`, signal: audience, keyed }),
      (running) => running.over,
    )
  }

  async #recorded(projectId: string, { key, body }: Keyed): Promise<RunningGeneration | null> {
    const result = await this.#options.models.ledger.result(projectId, key)
    if (result === null) return null
    assertSame(result.body, body)
    return RunningGeneration.of(result.generation)
  }

  async #start(
    projectId: string,
    request: ModelRequest,
    { generation, signal, keyed }: { generation: string | undefined; signal: AbortSignal; keyed: Keyed | undefined },
  ): Promise<RunningGeneration> {
    const work = await this.#options.models.begin(projectId, 'generations', { generation, signal })
    const running = new RunningGeneration()
    void run(work, { request, signal, keyed, running })
    await running.begun
    return running
  }

  /** Throws Failure `invalid_request`, `request_too_large`. */
  #modelRequestOf({ prompt, messages, model, maxTokens }: GenerationRequest): ModelRequest {
    const { list } = this.#options
    if ((prompt === undefined) === (messages === undefined)) {
      throw new Failure('invalid_request', 'A request has either `prompt` or `messages`.', {
        errors: [{ pointer: prompt === undefined ? '/messages' : '/prompt', message: 'one of the two is needed' }],
      })
    }
    const known = list.models.map(({ id }) => id)
    if (model !== undefined && !known.includes(model)) throw unknownModel(model, known)
    if (maxTokens !== undefined && maxTokens > list.maxTokens) {
      throw new Failure('invalid_request', `An answer has at most ${list.maxTokens} tokens here.`, {
        errors: [{ pointer: '/maxTokens', message: `must be at most ${list.maxTokens}` }],
      })
    }
    const said: readonly ModelMessage[] = messages ?? [{ role: 'user', content: prompt ?? '' }]
    const bytes = said.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
    if (bytes > limits.promptBytes) {
      throw new Failure(
        'request_too_large',
        `The messages have ${bytes} bytes, and ${limits.promptBytes} may be sent.`,
        {
          hint: 'Leave out what the model need not know, or ask in several requests.',
        },
      )
    }
    return { messages: said, model, maxTokens: maxTokens ?? list.maxTokens }
  }
}

interface Run {
  readonly request: ModelRequest
  readonly signal: AbortSignal
  readonly keyed: Keyed | undefined
  readonly running: RunningGeneration
}

/** Carries a generation to its end, and tells of that when it is charged. Never rejects. */
async function run(work: Work, { request, signal, keyed, running }: Run): Promise<void> {
  try {
    const generation = await generate(work, { request, signal, running })
    await work.settle(keyed === undefined ? undefined : { ...keyed, generation })
    running.finish(generation)
  } catch (error) {
    // What could not be settled is the error.
    const unsettled = await work.settle().then(
      () => undefined,
      (reason: unknown) => reason,
    )
    running.fail(unsettled ?? withCount(error, work))
  }
}

async function generate(work: Work, { request, signal, running }: Omit<Run, 'keyed'>): Promise<Generation> {
  let content = ''
  let end: { readonly model: string; readonly finishReason: FinishReason } | undefined
  for await (const event of work.ask(request, signal)) {
    if (event.type === 'text') {
      content += event.text
      running.add(event.text)
    } else if (event.type === 'end') {
      const { model, finishReason } = event
      // No tool was offered: a call of one is not for anybody.
      end = { model, finishReason: finishReason === 'calls' ? 'stop' : finishReason }
    }
  }
  if (end === undefined) throw new Error('a router has ended an answer without saying so')
  if (content === '') throw withoutText(end.finishReason)
  return { id: work.id, generation: work.generation, content, ...end, usage: work.usage }
}

function withoutText(reason: FinishReason): Failure {
  if (reason === 'refused') {
    return new Failure('generation_rejected', 'The model’s provider would not let it answer.', {
      hint: 'Leave out what it could object to, or choose another model.',
    })
  }
  return new Failure('generation_failed', 'The model answered without any text.', {
    hint: reason === 'length' ? 'Raise `maxTokens`: it was used up before the answer began.' : 'Try again in a moment.',
  })
}

/** Says what a failure has cost, so that a client can go on without paying for another generation. */
function withCount(error: unknown, { hasProduced, generation, usage }: Work): unknown {
  if (!(error instanceof Failure) || !hasProduced) return error
  const { code, message, hint, errors, retryAfter, extra } = error
  return new Failure(code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    errors,
    extra: { ...extra, generation, usage },
    cause: error,
  })
}

function unknownModel(model: string, known: readonly string[]): Failure {
  const nearest = nearestName(model, known)
  return new Failure('invalid_request', `The model ${model} is not one of this service.`, {
    hint: `${nearest === undefined ? '' : `Did you mean ${nearest}? `}There are ${known.join(', ')}.`,
    errors: [{ pointer: '/model', message: `must be one of ${known.join(', ')}` }],
  })
}
