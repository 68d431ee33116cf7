import type { FinishReason, TokenUsage } from '../contract/generation.ts'

/** A message of a conversation with a model, in the words of the protocol that routers share. */
export type ModelMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls?: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly content: string }

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON as the model wrote it: nobody has checked it. */
  readonly arguments: string
}

export interface Tool {
  readonly name: string
  readonly description: string
  /** JSON schema of the arguments. */
  readonly parameters: object
}

export interface ModelRequest {
  readonly messages: readonly ModelMessage[]
  readonly tools?: readonly Tool[]
  /** Absent: the default with its fallback. */
  readonly model?: string | undefined
  /** Absent: as many as the service allows. */
  readonly maxTokens?: number | undefined
}

/** What comes of a request, in order: texts and calls, and one `end`. */
export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly call: ToolCall }
  | {
      readonly type: 'end'
      readonly model: string
      readonly finishReason: FinishReason | 'calls'
      readonly usage: TokenUsage
    }

/** A router of models. */
export interface ModelRouter {
  /**
   * Asks a model. Throws Failure `generation_failed`, `generation_rejected`, `generation_unavailable`, before the first
   * event or after; the signal's reason when it is aborted, which ends the request upstream.
   *
   * @param told what it came to, once, when it ends after something was produced: at its end, by a failure, aborted or
   * left by whoever read it.
   */
  ask(request: ModelRequest, signal: AbortSignal, told?: (usage: TokenUsage) => void): AsyncIterable<ModelEvent>
}

/**
 * One of the plan's allowance (a generation, a message to the assistant, an answer to a reader) with the requests to
 * models that are made for it. Taken before the first request; it counts when something was produced.
 */
export interface MeteredWork {
  readonly id: string
  /** The generation that it counts for: other works may share it. */
  readonly generation: string
  /** As `ModelRouter.ask`; its tokens are counted when it ends, however it ends. Failure `quota_exceeded` beyond the bounds of one generation. */
  ask(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>
  /** So far. */
  readonly usage: TokenUsage
  /** A model has said something: it will count. */
  readonly hasProduced: boolean
  /** Ends it, durably; a second call changes nothing. Must be called in any case. */
  settle(): Promise<void>
}

/** What may be begun. */
export type MeteredKind = 'generations' | 'agentMessages' | 'answers'

export interface BeginOptions {
  /** Nobody waits for it any more: ends the wait for a place among the works of the owner. */
  readonly signal?: AbortSignal | undefined
  /** Works of the same kind with the same id are one of the plan, within bounds. Absent: it is one by itself. */
  readonly generation?: string | undefined
}

export interface Models {
  readonly isConfigured: boolean
  /**
   * Begins work that the owner of a project pays for. Throws Failure `generation_not_configured`, `quota_exceeded`,
   * `not_found`, `rate_limited` when too many of theirs are under way.
   */
  begin(projectId: string, kind: MeteredKind, options?: BeginOptions): Promise<MeteredWork>
}
