import type { ModelMessage, ToolCall } from '../models/model.ts'
import { bounds } from './bounds.ts'

const leftOut = '[Left out: call the tool again if you need it.]'
/** Names that protocols take; the model is told what its call became all the same. */
const callable = /^[\w-]{1,64}$/

/** The messages of a turn, as models are told them. */
export class Transcript {
  readonly #messages: ModelMessage[]
  #calls = 0

  constructor(messages: readonly ModelMessage[]) {
    this.#messages = [...messages]
  }

  /** What a model said, with the calls that it made; returns the ids under which they are answered. */
  said(content: string, calls: readonly ToolCall[]): readonly string[] {
    const ids = calls.map(() => `call_${++this.#calls}`)
    const toolCalls = calls.map((call, index) => ({
      id: ids[index] ?? '',
      name: callable.test(call.name) ? call.name : 'unknown',
      // Routers refuse the rest of the conversation where the arguments are no object.
      arguments: isObject(call.arguments) ? call.arguments : '{}',
    }))
    this.#messages.push({ role: 'assistant', content, ...(toolCalls.length === 0 ? {} : { toolCalls }) })
    return ids
  }

  answer(callId: string, content: string): void {
    this.#messages.push({ role: 'tool', callId, content })
  }

  tell(content: string): void {
    this.#messages.push({ role: 'user', content })
  }

  /** All that fits; what goes first are the oldest answers of tools, then what the oldest calls held. */
  messages(): readonly ModelMessage[] {
    let over = this.#messages.reduce((sum, message) => sum + sizeOf(message), 0) - bounds.context
    for (const shorten of [withoutAnswer, withoutArguments]) {
      for (const [index, message] of this.#messages.entries()) {
        if (over <= 0) break
        const shorter = shorten(message)
        over -= sizeOf(message) - sizeOf(shorter)
        this.#messages[index] = shorter
      }
    }
    return [...this.#messages]
  }
}

function withoutAnswer(message: ModelMessage): ModelMessage {
  if (message.role !== 'tool' || message.content.length <= leftOut.length) return message
  return { ...message, content: leftOut }
}

function withoutArguments(message: ModelMessage): ModelMessage {
  if (message.role !== 'assistant' || message.toolCalls === undefined) return message
  return { ...message, toolCalls: message.toolCalls.map((call) => ({ ...call, arguments: '{}' })) }
}

function sizeOf(message: ModelMessage): number {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
  return message.content.length + calls.reduce((sum, call) => sum + call.arguments.length + call.name.length, 0)
}

function isObject(json: string): boolean {
  if (json.length > bounds.arguments) return false
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
