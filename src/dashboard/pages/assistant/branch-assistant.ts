import type { AssistantEvent, AssistantStep, AssistantTurn } from '#contract/assistant.ts'
import { askAssistant, conversationsChanged, turnEnded } from '../../queries/assistant.ts'
import { branchChanged, type BranchRef } from '../../queries/files.ts'
import { signedOut } from '../../query-client.ts'

type Step = Omit<AssistantStep, 'outcome'> & { readonly outcome?: AssistantStep['outcome'] }

/** A question that this page waits for the answer of. */
export interface UnderWay {
  readonly question: string
  /** Absent until the service has begun a new one. */
  readonly conversation: string | undefined
  /** Absent until the service has begun. */
  readonly turn: string | undefined
  readonly answer: string
  readonly steps: readonly Step[]
  readonly isStopping: boolean
}

/** Why a question was not taken. */
export interface Refused {
  readonly question: string
  readonly conversation: string | undefined
  readonly error: unknown
}

export interface AssistantState {
  readonly underWay?: UnderWay
  readonly refused?: Refused
}

/**
 * What the assistant does on one branch for this page. It goes on while other pages of the dashboard are shown; one
 * question at a time.
 */
class BranchAssistant {
  readonly #branchRef: BranchRef
  readonly #listeners = new Set<() => void>()
  #state: AssistantState = {}
  #abort: AbortController | undefined

  constructor(branchRef: BranchRef) {
    this.#branchRef = branchRef
  }

  readonly state = (): AssistantState => this.#state

  /** @returns ends it */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** @param onTaken what becomes of the question is on record from now on */
  async ask(question: string, conversation: string | undefined, onTaken: () => void): Promise<void> {
    if (this.#state.underWay !== undefined) return
    this.#abort = new AbortController()
    const begun = { question, conversation, turn: undefined, answer: '', steps: [], isStopping: false }
    this.#set({ underWay: begun })
    addEventListener('beforeunload', askBeforeLeaving)
    let ended: AssistantTurn | undefined
    try {
      for await (const event of askAssistant(this.#branchRef, question, conversation, this.#abort.signal)) {
        if (event.type === 'started') onTaken()
        if (event.type === 'done') ended = event.turn
        this.#hear(event)
      }
    } catch (error) {
      // Once it has begun, the record says how it ended.
      if (this.state().underWay?.turn === undefined && !this.#abort.signal.aborted) {
        this.#set({ refused: { question, conversation, error } })
        signedOut(error)
        return
      }
    } finally {
      removeEventListener('beforeunload', askBeforeLeaving)
    }
    branchChanged(this.#branchRef)
    // The record comes into the place of what was heard, without a gap between them.
    await conversationsChanged(this.#branchRef).catch(() => undefined)
    const { underWay } = this.state()
    // Another look may have come between, at the record as it was before the end.
    if (ended !== undefined && underWay?.conversation !== undefined)
      turnEnded(this.#branchRef, underWay.conversation, ended)
    this.#set({})
  }

  /** Nothing that the turn has done so far reaches the branch. */
  stop(): void {
    if (this.#state.underWay !== undefined) this.#set({ underWay: { ...this.#state.underWay, isStopping: true } })
    this.#abort?.abort()
  }

  forgetRefusal(): void {
    if (this.#state.refused !== undefined) this.#set({})
  }

  #hear(event: AssistantEvent): void {
    const { underWay } = this.#state
    if (underWay === undefined) return
    if (event.type === 'started') {
      this.#set({ underWay: { ...underWay, conversation: event.conversation, turn: event.turn } })
    } else if (event.type === 'delta') {
      this.#set({ underWay: { ...underWay, answer: underWay.answer + event.text } })
    } else if (event.type === 'step') {
      const { step } = event
      const isKnown = underWay.steps.some(({ id }) => id === step.id)
      const steps = isKnown
        ? underWay.steps.map((each) => (each.id === step.id ? step : each))
        : [...underWay.steps, step]
      this.#set({ underWay: { ...underWay, steps } })
    }
  }

  #set(state: AssistantState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}

/** The answer ends with the page that waits for it. */
function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault()
}

const assistants = new Map<string, BranchAssistant>()

/** Ids name branches: they are not used again. */
export function assistantOf(branchRef: BranchRef): BranchAssistant {
  const found = assistants.get(branchRef.id) ?? new BranchAssistant(branchRef)
  assistants.set(branchRef.id, found)
  return found
}
