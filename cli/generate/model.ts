import { failureOfProblem } from '../../src/client/problem.ts'
import { exitCodes, Failure } from '../../src/contract/failure.ts'
import { generation, type GenerationEvent, type ModelList, type PromptMessage } from '../../src/contract/generation.ts'
import type { OpenProject } from '../service/project.ts'
import { withRetry } from '../service/retry.ts'
import { sha256 } from './lock.ts'
import { costOf, dollars, priceOf, type Price } from './prices.ts'
import { estimateTokens, promptTokens } from './prompt.ts'
import { findSecrets } from './source/secrets.ts'

/** Ends a run early; what is done stays. */
export class RunStopped extends Error {
  override readonly name = 'RunStopped'
  readonly hint: string
  readonly exitCode = exitCodes.failed

  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

export interface Answer {
  readonly text: string
  readonly model: string
  /** The model did not come to its end. */
  readonly cutOff: boolean
  readonly refused: boolean
}

/** What a run has used so far. */
export interface Spent {
  requests: number
  inputTokens: number
  outputTokens: number
  /** Absent while no price is known. */
  costUsd?: number
}

interface ModelOptions {
  readonly project: OpenProject
  /** Of the service. */
  readonly models: ModelList
  readonly model: string | undefined
  /** Requests of one run count once of the plan's generations. */
  readonly generation: string
  /** With another number, the same question gets another answer. */
  readonly attempt: () => number
  /** US dollars that must not be exceeded. */
  readonly maxCost: number | undefined
}

/** Tokens that an answer has in most cases: of a page, of a plan. */
export const usualAnswer = { page: 1800, plan: 3500 } as const
const longestAnswer = { page: 8000, plan: 24_000 } as const
/** Below that there is no sense in asking. */
const leastAnswer = 1000

/** The service's language model, within what a run may cost. */
export class Model {
  readonly spent: Spent = { requests: 0, inputTokens: 0, outputTokens: 0 }
  readonly #options: ModelOptions
  readonly #price: Price

  constructor(options: ModelOptions) {
    this.#options = options
    this.#price = priceOf(options.model ?? options.models.default, options.models)
  }

  /** That is asked, if nothing keeps it from answering. */
  get name(): string {
    return this.#options.model ?? this.#options.models.default
  }

  /**
   * Asks, and waits for the whole answer. The same question of the same attempt has the same idempotency key: where an
   * answer was lost on its way it comes again, and costs nothing.
   *
   * @param onText told how many tokens there are of it so far. @throws RunStopped where it could cost too much.
   */
  async ask(
    kind: keyof typeof usualAnswer,
    messages: readonly PromptMessage[],
    onText: (tokens: number) => void,
  ): Promise<Answer> {
    assertNoSecrets(messages)
    const { project, models, model } = this.#options
    const maxTokens = this.#affordable(kind, promptTokens(messages), Math.min(longestAnswer[kind], models.maxTokens))
    const body = {
      messages: [...messages],
      ...(model === undefined ? {} : { model }),
      maxTokens,
      stream: true,
      generation: this.#options.generation,
    }
    const key = sha256(JSON.stringify({ attempt: this.#options.attempt(), body }))
    const events = () =>
      project.client.events<GenerationEvent>(generation.create, {
        query: { project: project.slug },
        headers: { 'idempotency-key': key },
        body,
      })
    this.spent.requests += 1
    const done = await withRetry(() => collect(events(), onText), project.policy)
    this.#count(done)
    return {
      text: done.content,
      model: done.model,
      cutOff: done.finishReason === 'length',
      refused: done.finishReason === 'refused',
    }
  }

  #count({ usage, model }: Done): void {
    const { spent } = this
    spent.inputTokens += usage.inputTokens
    spent.outputTokens += usage.outputTokens
    const cost = usage.costUsd ?? costOf(priceOf(model, this.#options.models), usage)
    spent.costUsd = (spent.costUsd ?? 0) + cost
  }

  /** The longest answer that does not exceed what the run may cost. */
  #affordable(kind: keyof typeof usualAnswer, inputTokens: number, longest: number): number {
    const { maxCost } = this.#options
    if (maxCost === undefined) return longest
    const left = maxCost - (this.spent.costUsd ?? 0)
    const expected = costOf(this.#price, { inputTokens, outputTokens: usualAnswer[kind] })
    const affordable = Math.floor(
      ((left - costOf(this.#price, { inputTokens, outputTokens: 0 })) / this.#price.output) * 1e6,
    )
    if (expected > left || affordable < leastAnswer) {
      throw new RunStopped(
        `The next request would cost about ${dollars(expected)}; of the ${dollars(maxCost)} that the run may cost ${dollars(Math.max(0, left))} are left.`,
        'What is done stays. Run the same command again to go on, with a higher --max-cost if you like.',
      )
    }
    return Math.min(longest, affordable)
  }
}

type Done = Extract<GenerationEvent, { type: 'done' }>

/** How often a line on a terminal changes. */
const redrawMs = 100

async function collect(events: AsyncIterable<GenerationEvent>, onText: (tokens: number) => void): Promise<Done> {
  let [text, told] = ['', 0]
  try {
    for await (const event of events) {
      if (event.type === 'done') return event
      if (event.type === 'error') throw failureOfProblem(event.problem)
      text += event.text
      if (Date.now() - told < redrawMs) continue
      told = Date.now()
      onText(estimateTokens(text))
    }
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure('unavailable', 'The connection broke while the model answered.', { cause: error })
  }
  throw new Failure('unavailable', 'The answer of the model ended before its end.')
}

/** The last line of defence: what the scan let through must not leave this machine either. */
function assertNoSecrets(messages: readonly PromptMessage[]): void {
  for (const { content } of messages) {
    const [found] = findSecrets(content)
    if (found === undefined) continue
    const line = content.split('\n')[found.line - 1] ?? ''
    const place = /^ *(\d+)\| /.exec(line)?.[1]
    throw new Failure(
      'invalid_content',
      `What would be sent holds ${found.kind}${place === undefined ? '' : `, in line ${place} of a source`}. It was not sent.`,
      { hint: 'Take the secret out of the source, or name the file in .gitignore or .quireignore.' },
    )
  }
}
