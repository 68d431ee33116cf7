import { ObjectNotFound, type Author } from '../content/repository.ts'
import type { AssistantTurn, Conversation } from '../contract/assistant.ts'
import type { List, ListQuery } from '../contract/common.ts'
import { Failure } from '../contract/failure.ts'
import type { MeteredWork } from '../models/model.ts'
import { TurnRunner, newTurn, type Outcome } from './turn-runner.ts'
import { Conversations, newId, type ConversationKey, type KeptConversation } from './conversations.ts'
import type { AssistantPorts } from './ports.ts'
import { Running } from './running.ts'
import type { TurnListener } from './turn.ts'
import { lineOf, titleOf } from './words.ts'

export interface Message {
  readonly projectId: string
  /** Id. */
  readonly branch: string
  /** To go on with; absent: a new one. */
  readonly conversation?: string | undefined
  readonly text: string
  readonly author: Author
}

/** A message that is being answered. */
export interface BegunTurn {
  readonly conversation: string
  readonly turn: string
}

/** Told of a turn and, once, of its end. */
export interface AnswerListener extends TurnListener {
  /** It is on record. `failure`: the model or the service cut it off. */
  end(turn: AssistantTurn, failure: Failure | undefined): void
}

/**
 * Conversations with a model that works on one branch. What a turn can reach is in its draft: the files of that branch as
 * it found them. Its changes become one commit, made as any save, or none.
 */
export class Assistant {
  readonly #ports: AssistantPorts
  readonly #conversations: Conversations
  readonly #runner: TurnRunner
  readonly #running = new Running()
  readonly #pruning = new Set<Promise<void>>()

  constructor(ports: AssistantPorts) {
    this.#ports = ports
    this.#conversations = new Conversations(ports.records)
    this.#runner = new TurnRunner(ports, this.#conversations)
  }

  /**
   * Answers a message; `begin` is called when that has begun, and what it returns is told of all that comes. Rejects only
   * before: `not_found`, `rate_limited`, and those of `Models.begin`.
   *
   * @param signal Aborted when nobody waits for the answer any more.
   */
  async send(message: Message, signal: AbortSignal, begin: (begun: BegunTurn) => AnswerListener): Promise<void> {
    const { projectId, branch, author } = message
    const { branches, models } = this.#ports
    await branches.require(projectId, branch)
    const now = this.#ports.now()
    const key = { projectId, branch, conversation: message.conversation ?? newId('c', now) }
    await this.#running.run(key, async (own) => {
      const before = message.conversation === undefined ? [] : (await this.#ended(key)).turns
      const both = AbortSignal.any([signal, own])
      const work = await models.begin(projectId, 'agentMessages', { signal: both })
      let ended: { readonly outcome: Outcome; readonly listener: AnswerListener } | undefined
      try {
        const turn = newTurn(message.text.toWellFormed(), now)
        await this.#conversations.begin(key, turn, (id) => !branches.isKnown(projectId, id))
        const listener = begin({ conversation: key.conversation, turn: turn.id })
        const outcome = await this.#runner.run({ key, author, signal: both, work, listener }, turn, before)
        ended = { outcome, listener }
      } finally {
        await this.#settle(work, ended === undefined)
      }
      ended.listener.end(ended.outcome.turn, ended.outcome.failure)
    })
  }

  /** Throws `not_found`, as all that name a branch. */
  async list(projectId: string, branch: string, query: ListQuery): Promise<List<Conversation>> {
    await this.#ports.branches.require(projectId, branch)
    return this.#conversations.list(projectId, branch, query)
  }

  async read(key: ConversationKey): Promise<Omit<Conversation, 'turns'> & { turns: AssistantTurn[] }> {
    await this.#ports.branches.require(key.projectId, key.branch)
    const { conversation, turns } = await this.#read(key)
    return { ...conversation, turns }
  }

  /** Ends what is under way in it. */
  async remove(key: ConversationKey): Promise<void> {
    await this.#ports.branches.require(key.projectId, key.branch)
    await this.#running.end((each) => each.conversation === key.conversation && each.branch === key.branch, removed())
    await this.#conversations.remove(key)
  }

  /** Takes back what a turn changed. Failures: `stale_file`, `invalid_request` where there is nothing (any more) to take back. */
  async undo(key: ConversationKey, id: string, author: Author): Promise<AssistantTurn> {
    const { branches } = this.#ports
    await branches.require(key.projectId, key.branch)
    return this.#running.run(key, async () => {
      const turn = (await this.#ended(key)).turns.find((each) => each.id === id)
      if (turn === undefined) throw new Failure('not_found', `The conversation has no turn ${lineOf(id, 64)}.`)
      const { commit, undone, question } = turn
      if (commit === undefined) throw new Failure('invalid_request', 'That turn changed nothing.')
      if (undone !== undefined) {
        const hint = 'Its files can be restored from the history of the branch.'
        throw new Failure('invalid_request', 'That turn has been taken back before.', { hint })
      }
      const save = { projectId: key.projectId, id: key.branch, author, message: `Take back: ${titleOf(question)}` }
      const saved = await branches.saves.revert(save, commit).catch((error: unknown) => {
        if (error instanceof ObjectNotFound) throw forgotten()
        throw error
      })
      const after = { ...turn, undone: saved.commit }
      await this.#conversations.update(key, after)
      return after
    })
  }

  /** A branch is gone, and so is what was said about it. */
  forget(projectId: string, branch: string): void {
    const isOfBranch = (key: ConversationKey): boolean => key.projectId === projectId && key.branch === branch
    const pruning = this.#running
      .end(isOfBranch, removed())
      .then(() => this.#conversations.prune(projectId, (id) => id === branch))
      // What is left goes with the next message of the project.
      .catch((error: unknown) => this.#ports.log.warn({ err: error, projectId, branch }, 'conversations could not go'))
      .finally(() => this.#pruning.delete(pruning))
    this.#pruning.add(pruning)
  }

  /** The project is being removed: ends what is under way. */
  removed(projectId: string): Promise<void> {
    return this.#running.end((key) => key.projectId === projectId, removed())
  }

  async close(): Promise<void> {
    const stopping = new Failure('unavailable', 'The service stopped before the answer was there.', {
      hint: 'Send the message again in a moment.',
    })
    await this.#running.end(() => true, stopping)
    await Promise.all(this.#pruning)
  }

  /** @param mayFail nothing came of it, and why is told already. */
  async #settle(work: MeteredWork, mayFail: boolean): Promise<void> {
    try {
      await work.settle()
    } catch (error) {
      if (mayFail) return
      this.#ports.log.error({ err: error }, 'a message to the assistant could not be charged')
    }
  }

  /** A conversation in which every turn that no process works on has come to its end. */
  async #read(key: ConversationKey): Promise<KeptConversation> {
    const found = await this.#conversations.read(key)
    // Whoever works in it alone may tell what was cut off, and what has just ended.
    return isCutOff(found) && !this.#running.has(key) ? this.#running.run(key, () => this.#ended(key)) : found
  }

  /** The same for whoever works in it. */
  async #ended(key: ConversationKey): Promise<KeptConversation> {
    const found = await this.#conversations.read(key)
    const last = found.turns.at(-1)
    if (last === undefined || !isCutOff(found)) return found
    return { ...found, turns: [...found.turns.slice(0, -1), await this.#runner.endOf(key, last)] }
  }
}

function isCutOff({ turns }: KeptConversation): boolean {
  return turns.at(-1)?.status === 'running'
}

function removed(): Failure {
  return new Failure('not_found', 'The conversation, its branch or its project was removed.')
}

function forgotten(): Failure {
  return new Failure('stale_file', 'The commit of that turn is not there any more: the branch was written anew.')
}
