import { setTimeout as sleep } from 'node:timers/promises'
import { failureOfProblem } from '../../src/client/problem.ts'
import type { AssistantEvent, AssistantTurn, Conversation } from '../../src/contract/assistant.ts'
import type { Branch, FileDiff } from '../../src/contract/branches.ts'
import { Failure } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import { firstItems, type OpenProject } from '../service/project.ts'
import { withRetry } from '../service/retry.ts'

/** Milliseconds for the service to end a turn that was broken off. */
const settleMs = 10_000
/** Conversations in which a lost message is looked for. */
const searched = 5

type Shown = Exclude<AssistantEvent, { type: 'done' | 'error' }>

/** How to talk with the service about a project. */
type Project = Pick<OpenProject, 'client' | 'slug' | 'policy'>

/** A conversation with the assistant of a branch: a new one until something is asked. */
export class BranchConversation {
  readonly branch: Branch
  readonly #project: Project
  #id: string | undefined
  #turns: AssistantTurn[] = []

  constructor(project: Project, branch: Branch) {
    this.#project = project
    this.branch = branch
  }

  get id(): string | undefined {
    return this.#id
  }

  /** The last turn whose changes are in the branch. */
  get lastChange(): AssistantTurn | undefined {
    return this.#turns.findLast(({ commit, undone }) => commit !== undefined && undone === undefined)
  }

  /** Goes on with a conversation. Throws `not_found`. */
  async open(id: string): Promise<readonly AssistantTurn[]> {
    const { turns } = await this.#read(id)
    this.#id = id
    this.#turns = turns
    return turns
  }

  /**
   * Looks for a message whose answer was lost, in what this conversation does not know yet; null: the service has none of
   * late. @param isIt asked for each question
   */
  async find(
    isIt: (question: string) => boolean,
  ): Promise<{ readonly conversation: string; readonly turn: AssistantTurn } | null> {
    const known = new Set(this.#turns.map(({ id }) => id))
    for (const { id: conversation } of await this.list(searched)) {
      const { turns } = await this.#read(conversation)
      const turn = turns.findLast(({ id, question }) => !known.has(id) && isIt(question))
      if (turn !== undefined) return { conversation, turn }
    }
    return null
  }

  /** The next message begins another one. */
  leave(): void {
    this.#id = undefined
    this.#turns = []
  }

  /** Conversations of the branch, newest first. */
  list(limit: number): Promise<Conversation[]> {
    const { client, policy } = this.#project
    return firstItems(
      (query) => withRetry(() => client.call(contract.assistant.list, { params: this.#params, query }), policy),
      limit,
    )
  }

  /**
   * Asks, and shows what comes until the turn has ended. When the signal breaks it off, the turn that comes back is what
   * the service says became of it; null when it had not begun. Throws what refused or ended it.
   */
  async ask(content: string, signal: AbortSignal, show: (event: Shown) => void): Promise<AssistantTurn | null> {
    const { client } = this.#project
    const body = {
      messages: [{ role: 'user' as const, content }],
      ...(this.#id === undefined ? {} : { conversation: this.#id }),
    }
    let turn: string | undefined
    try {
      for await (const event of client.events<AssistantEvent>(contract.assistant.send, {
        params: this.#params,
        body,
        signal,
      })) {
        if (event.type === 'done') return this.#remember(event.turn)
        if (event.type === 'error') throw failureOfProblem(event.problem)
        if (event.type === 'started') {
          this.#id = event.conversation
          turn = event.turn
        }
        show(event)
      }
    } catch (error) {
      if (error instanceof Failure) throw error
      if (turn === undefined && signal.aborted) return null
      // A connection that broke, or was broken off, leaves open what became of the turn.
      if (turn === undefined) throw brokenConnection(error)
    }
    return this.#remember(await this.#settled(turn))
  }

  /** Takes back what a turn changed. Throws `stale_file`. */
  async undo({ id }: AssistantTurn): Promise<AssistantTurn> {
    const { client, policy } = this.#project
    const conversation = this.#id ?? ''
    const undone = await withRetry(
      () => client.call(contract.assistant.undo, { params: { ...this.#params, conversation }, body: { turn: id } }),
      policy,
    )
    return this.#remember(undone)
  }

  async diff(commit: string): Promise<readonly FileDiff[]> {
    const { client, policy } = this.#project
    const query = { commit }
    return (await withRetry(() => client.call(contract.branches.diff, { params: this.#params, query }), policy)).files
  }

  get #params(): { readonly slug: string; readonly id: string } {
    return { slug: this.#project.slug, id: this.branch.id }
  }

  #read(conversation: string) {
    const { client, policy } = this.#project
    return withRetry(() => client.call(contract.assistant.read, { params: { ...this.#params, conversation } }), policy)
  }

  async #settled(id: string | undefined): Promise<AssistantTurn> {
    const until = Date.now() + settleMs
    while (this.#id !== undefined) {
      const turn = (await this.#read(this.#id)).turns.find((one) => one.id === id)
      if (turn !== undefined && (turn.status !== 'running' || Date.now() > until)) return turn
      if (turn === undefined) break
      await sleep(200)
    }
    throw brokenConnection()
  }

  #remember(turn: AssistantTurn): AssistantTurn {
    const at = this.#turns.findIndex(({ id }) => id === turn.id)
    if (at < 0) this.#turns.push(turn)
    else this.#turns[at] = turn
    return turn
  }
}

function brokenConnection(cause?: unknown): Failure {
  return new Failure('unavailable', 'The connection broke before the assistant had answered.', {
    hint: 'Ask again; quire branches shows whether the branch was changed.',
    cause,
  })
}
