import type { AssistantStep } from '../contract/assistant.ts'
import { Failure } from '../contract/failure.ts'
import type { MeteredWork, ToolCall } from '../models/model.ts'
import { sha256 } from '../lib/digest.ts'
import { bounds } from './bounds.ts'
import { Refusal } from './draft.ts'
import { repairRequest } from './prompt.ts'
import { tools, toolOf } from './tools/table.ts'
import type { ReadyCall, Workbench } from './tools/tool.ts'
import type { Transcript } from './transcript.ts'
import { count, lineOf } from './words.ts'

/** What is told while a turn runs. */
export interface TurnListener {
  text(text: string): void
  /** Twice: without an outcome when it begins. */
  step(step: Omit<AssistantStep, 'outcome'> & { readonly outcome?: AssistantStep['outcome'] }): void
}

interface TurnParts {
  readonly work: Pick<MeteredWork, 'ask' | 'usage'>
  readonly bench: Workbench
  readonly transcript: Transcript
  readonly listener: TurnListener
}

interface Reply {
  readonly text: string
  readonly calls: readonly ToolCall[]
  readonly isWhole: boolean
}

/**
 * One turn: a model is asked, its calls are done on the draft, and it is asked again, until it only talks and the site
 * builds with what it changed. Everything in it is bounded; beyond a bound it fails, and its draft with it.
 */
export class Turn {
  readonly #parts: TurnParts
  readonly #steps: AssistantStep[] = []
  readonly #made = new Map<string, number>()
  #answer = ''
  #requests = 0
  #used = 0
  #refused = 0

  constructor(parts: TurnParts) {
    this.#parts = parts
  }

  /** All texts of the model, so far. */
  get answer(): string {
    return this.#answer
  }

  get steps(): readonly AssistantStep[] {
    return this.#steps
  }

  /** When it returns, the draft builds. Failures of the model, `build_failed`, and `generation_failed` beyond a bound. */
  async run(): Promise<void> {
    const { transcript, bench } = this.#parts
    for (let repairs = 0; ;) {
      const reply = await this.#ask()
      const ids = transcript.said(reply.text, reply.calls)
      for (const [index, call] of reply.calls.entries()) transcript.answer(ids[index] ?? '', await this.#step(call))
      if (reply.calls.length > 0) continue
      if (bench.draft.changes().length === 0) return
      if (!reply.isWhole) throw new Failure('generation_failed', `The answer of the model was cut off. ${unchanged}`)
      const errors = await this.#newErrors()
      if (errors.length === 0) return
      if (repairs === bounds.repairs) {
        const detail = `With the assistant’s changes the site would not build: ${count(errors.length, 'error')}. ${unchanged}`
        throw new Failure('build_failed', detail, { errors: errors.slice(0, 50) })
      }
      repairs += 1
      transcript.tell(repairRequest(errors, bench.frame))
    }
  }

  async #ask(): Promise<Reply> {
    const { work, transcript, bench } = this.#parts
    this.#requests += 1
    if (this.#requests > bounds.requests) throw beyond(count(bounds.requests, 'request'))
    if (work.usage.inputTokens + work.usage.outputTokens > bounds.tokens) throw beyond(count(bounds.tokens, 'token'))
    const calls: ToolCall[] = []
    let text = ''
    let size = 0
    let isWhole = true
    let separator = this.#answer === '' ? '' : '\n\n'
    for await (const event of work.ask({ messages: transcript.messages(), tools }, bench.signal)) {
      bench.signal.throwIfAborted()
      if (event.type === 'text') {
        text += event.text
        this.#say(separator + event.text)
        separator = ''
      } else if (event.type === 'call') {
        if (this.#used + calls.length >= bounds.steps) throw beyond(count(bounds.steps, 'step'))
        size += event.call.arguments.length
        if (size > bounds.calls) throw beyond('the length of what it called for')
        calls.push(event.call)
      } else if (event.finishReason === 'refused') {
        throw new Failure('generation_rejected', `The model, or its provider, would not go on. ${unchanged}`)
      } else isWhole = event.finishReason !== 'length'
    }
    // Of a call that was cut off nobody knows what it would have been.
    return { text, calls, isWhole }
  }

  #say(text: string): void {
    if (text === '') return
    if (this.#answer.length + text.length > bounds.answer) throw beyond(`${bounds.answer} characters of answer`)
    this.#answer += text
    this.#parts.listener.text(text)
  }

  /** Does what a model called for. Returns what it is told. */
  async #step({ name, arguments: json }: ToolCall): Promise<string> {
    const { bench, listener } = this.#parts
    bench.signal.throwIfAborted()
    this.#used += 1
    const call = this.#prepared(name, json)
    const step = { id: this.#nextId(), tool: lineOf(name, 64), about: call.about }
    listener.step(step)
    try {
      const { text, detail } = await call.run(bench)
      this.#end({ ...step, outcome: 'done', detail })
      return text
    } catch (error) {
      this.#end({ ...step, outcome: 'failed', detail: lineOf(messageOf(error), 300) })
      if (!(error instanceof Refusal)) throw error
      return `Error: ${error.message}`
    }
  }

  /** The call, or one that is refused where there is no such tool, or it does not take that. */
  #prepared(name: string, json: string): ReadyCall {
    try {
      this.#refuseRepeated(name, json)
      return toolOf(name).prepare(json)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { about: '', run: () => Promise.reject(error) }
    }
  }

  async #newErrors() {
    const { bench } = this.#parts
    const step = { id: this.#nextId(), tool: 'check_site', about: 'before it is committed' }
    this.#parts.listener.step(step)
    const errors = await bench.checks.newErrors(bench.draft, bench.signal)
    const builds = errors.length === 0
    const detail = builds ? 'The site builds.' : count(errors.length, 'new error')
    this.#end({ ...step, outcome: builds ? 'done' : 'failed', detail })
    return errors
  }

  #end(step: AssistantStep): void {
    this.#steps.push(step)
    this.#parts.listener.step(step)
  }

  #nextId(): string {
    return `s${this.#steps.length + 1}`
  }

  /** A model that goes in a circle would use up all that a turn may take. */
  #refuseRepeated(name: string, json: string): void {
    const key = sha256(`${this.#parts.bench.draft.revision} ${name} ${json}`)
    const made = (this.#made.get(key) ?? 0) + 1
    this.#made.set(key, made)
    if (made <= bounds.sameCalls) return
    this.#refused += 1
    if (this.#refused > bounds.refusedCalls) throw beyond('the same calls, made again and again')
    throw new Refusal('You have made this call before, and nothing has changed since: its answer is the same.')
  }
}

const unchanged = 'Nothing was committed.'

function beyond(what: string): Failure {
  return new Failure('generation_failed', `The turn was ended, as it came to its bound: ${what}. ${unchanged}`, {
    hint: 'Ask for less at a time.',
  })
}

function messageOf(error: unknown): string {
  return error instanceof Refusal || error instanceof Failure ? error.message : 'It was ended.'
}
