import type { Author, FileChange, Oid } from '../content/repository.ts'
import type { AssistantTurn } from '../contract/assistant.ts'
import { Failure } from '../contract/failure.ts'
import { problemOf } from '../contract/problem.ts'
import { ClientGone } from '../lib/client-gone.ts'
import type { MeteredWork } from '../models/model.ts'
import { bounds } from './bounds.ts'
import { newId, type Conversations, type ConversationKey } from './conversations.ts'
import { Draft } from './draft.ts'
import { Frame } from './frame.ts'
import type { AssistantPorts } from './ports.ts'
import { openingMessages } from './prompt.ts'
import { SiteChecks } from './site-checks.ts'
import { Transcript } from './transcript.ts'
import { Turn, type TurnListener } from './turn.ts'
import { titleOf } from './words.ts'

interface RunParts {
  readonly key: ConversationKey
  readonly author: Author
  readonly signal: AbortSignal
  readonly work: MeteredWork
  readonly listener: TurnListener
}

export interface Outcome {
  /** As it is on record. */
  readonly turn: AssistantTurn
  /** The model or the service cut it off. */
  readonly failure?: Failure | undefined
}

/** Does turns, lands what they changed, and keeps what became of them. */
export class TurnRunner {
  readonly #ports: Pick<AssistantPorts, 'branches' | 'log'>
  readonly #conversations: Conversations

  constructor(ports: Pick<AssistantPorts, 'branches' | 'log'>, conversations: Conversations) {
    this.#ports = ports
    this.#conversations = conversations
  }

  /** Does the turn and writes down what came of it. Never rejects. */
  async run(
    { key, author, signal, work, listener }: RunParts,
    begun: AssistantTurn,
    before: readonly AssistantTurn[],
  ): Promise<Outcome> {
    const own = new AbortController()
    const timer = setTimeout(() => own.abort(tooLong()), bounds.milliseconds)
    const both = AbortSignal.any([signal, own.signal])
    let turn: Turn | undefined
    const soFar = (): AssistantTurn => ({
      ...begun,
      answer: turn?.answer ?? '',
      steps: [...(turn?.steps ?? [])],
      usage: { ...work.usage },
    })
    let outcome: Outcome
    try {
      const content = await this.#ports.branches.content(key.projectId, key.branch)
      const [draft, frame] = [new Draft(content), new Frame()]
      const opening = { branch: content.name, frame, before, question: begun.question }
      const checks = new SiteChecks(this.#ports, { projectId: key.projectId, id: key.branch, head: content.head })
      const bench = { draft, checks, frame, signal: both }
      turn = new Turn({ work, bench, transcript: new Transcript(openingMessages(opening)), listener })
      await turn.run()
      outcome = { turn: await this.#land(key, { author, changes: draft.changes(), signal: both }, soFar()) }
    } catch (error) {
      outcome = this.#failed(key, soFar(), both.aborted ? both.reason : error)
    } finally {
      clearTimeout(timer)
      // Whatever is still asked of a model is ended.
      own.abort()
    }
    await this.#write(key, outcome.turn)
    return outcome
  }

  /** Writes down how a turn ended that a crash cut off. */
  async endOf(key: ConversationKey, turn: AssistantTurn): Promise<AssistantTurn> {
    const commit = turn.files.length === 0 ? undefined : await this.#commitOf(key, turn.id)
    const failure = new Failure(
      'unavailable',
      'The service stopped before the answer was there. Nothing was committed.',
    )
    const ended: AssistantTurn =
      commit === undefined
        ? { ...turn, files: [], status: 'failed', problem: problemOf(failure) }
        : { ...turn, status: 'done', commit }
    await this.#write(key, ended)
    return ended
  }

  /**
   * One commit of what a turn changed. That it is about to be made is on record before, so that a crash between the
   * commit and its record leaves nobody in doubt.
   */
  async #land(
    key: ConversationKey,
    of: { readonly author: Author; readonly changes: readonly FileChange[]; readonly signal: AbortSignal },
    turn: AssistantTurn,
  ): Promise<AssistantTurn> {
    const { author, changes, signal } = of
    if (changes.length === 0) return { ...turn, status: 'done' }
    const files = changes.map(({ path }) => path).sort()
    await this.#conversations.update(key, { ...turn, files })
    signal.throwIfAborted()
    const message = `${titleOf(turn.question)}\n\nWritten by the assistant.\n\n${trailerOf(turn.id)}`
    const save = { projectId: key.projectId, id: key.branch, author, message }
    const { commit } = await this.#ports.branches.saves.apply(save, changes)
    return { ...turn, status: 'done', files, commit }
  }

  #failed(key: ConversationKey, turn: AssistantTurn, reason: unknown): Outcome {
    if (reason instanceof ClientGone) return { turn: { ...turn, status: 'cancelled' } }
    const failure = reason instanceof Failure ? reason : hidden(reason)
    if (failure.code === 'internal') this.#ports.log.error({ err: reason, ...key }, 'a turn of the assistant failed')
    const failed: AssistantTurn = { ...turn, status: 'failed', problem: problemOf(failure) }
    return { turn: failed, failure: ends.has(failure.code) ? undefined : failure }
  }

  /** What became of a turn. Where it cannot be written it is told as cut off later, and its commit is found. */
  async #write(key: ConversationKey, turn: AssistantTurn): Promise<void> {
    try {
      await this.#conversations.update(key, turn)
    } catch (error) {
      if (error instanceof Failure && error.code === 'not_found') return
      this.#ports.log.error({ err: error, ...key, turn: turn.id }, 'a turn of the assistant is not on record')
    }
  }

  async #commitOf({ projectId, branch }: ConversationKey, turn: string): Promise<Oid | undefined> {
    const { items } = await this.#ports.branches.history(projectId, branch, { limit: 200 })
    return items.find(({ message }) => message.trimEnd().endsWith(trailerOf(turn)))?.oid
  }
}

/** Ways in which a turn itself ends without a commit: it is told as a whole. */
const ends: ReadonlySet<string> = new Set(['build_failed', 'stale_file', 'invalid_path'])

export function newTurn(question: string, now: Date): AssistantTurn {
  return {
    id: newId('t', now),
    question,
    answer: '',
    steps: [],
    status: 'running',
    files: [],
    usage: { inputTokens: 0, outputTokens: 0 },
    createdAt: now.toISOString(),
  }
}

/** Names the turn in its commit. */
function trailerOf(turn: string): string {
  return `Assistant-Turn: ${turn}`
}

function tooLong(): Failure {
  const detail = `The turn was ended after ${bounds.milliseconds / 60_000} minutes. Nothing was committed.`
  return new Failure('generation_failed', detail, { hint: 'Ask for less at a time.' })
}

function hidden(cause: unknown): Failure {
  return new Failure('internal', 'The service made a mistake. Nothing was committed.', { cause })
}
