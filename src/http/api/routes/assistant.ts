import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AnswerListener, Assistant, BegunTurn } from '#assistant/assistant.ts'
import type { Branches } from '#branching/branches.ts'
import type { AssistantEvent } from '#contract/assistant.ts'
import { contract } from '#contract/index.ts'
import { problemOf } from '#contract/problem.ts'
import { EventStream } from '#lib/event-stream.ts'
import type { AuditNote } from '../audit.ts'
import type { Router } from '../route.ts'
import { requestAuthor } from './deploys.ts'

export interface AssistantServices {
  readonly assistant: Assistant
  readonly branches: Branches
}

/** Conversations with the assistant of a branch. */
export function assistantRoutes(router: Router, { assistant, branches }: AssistantServices): void {
  /** The audit log tells the branch’s name, too: the id says nothing when the branch is gone. */
  const note = (projectId: string, id: string, ...rest: readonly string[]): AuditNote => {
    const name = branches.nameOf(projectId, id)
    return { target: [id, ...rest].join(' '), ...(name === undefined ? {} : { detail: name }) }
  }

  const endpoints = contract.assistant
  router.route(endpoints.send, async ({ projectId, params, body, request, reply, gone }) => {
    const text = body.messages.map(({ content }) => content).join('\n\n')
    const { conversation } = body
    const message = { projectId, branch: params.id, conversation, text, author: requestAuthor(request) }
    // The audit log tells of it when it begins: after that it does not reject.
    await new Promise<void>((resolve, reject) => {
      const answered = assistant.send(message, gone, (begun) => {
        request.audit = note(projectId, params.id, begun.conversation)
        resolve()
        return streamTo(reply, request, begun)
      })
      answered.catch(reject)
    })
    return reply
  })
  router.route(endpoints.list, ({ projectId, params, query }) => assistant.list(projectId, params.id, query))
  router.route(endpoints.read, ({ projectId, params }) => assistant.read(keyOf(projectId, params)))
  router.route(endpoints.remove, async ({ projectId, params, request }) => {
    request.audit = note(projectId, params.id, params.conversation)
    await assistant.remove(keyOf(projectId, params))
    return undefined
  })
  router.route(endpoints.undo, ({ projectId, params, body, request }) => {
    request.audit = note(projectId, params.id, params.conversation, body.turn)
    return assistant.undo(keyOf(projectId, params), body.turn, requestAuthor(request))
  })
}

function keyOf(projectId: string, params: { readonly id: string; readonly conversation: string }) {
  return { projectId, branch: params.id, conversation: params.conversation }
}

/**
 * Begins the answer. Who reads slowly gets texts joined; all of a turn is bounded, so what waits for them is, too.
 */
function streamTo(reply: FastifyReply, request: FastifyRequest, begun: BegunTurn): AnswerListener {
  reply.hijack()
  let pending = ''
  const stream = new EventStream(reply.raw)
  const send = (event: AssistantEvent): void => {
    if (pending !== '') stream.send('delta', { type: 'delta', text: pending })
    pending = ''
    stream.send(event.type, event)
  }
  send({ type: 'started', ...begun })
  return {
    text: (text) => {
      if (stream.isBehind) pending += text
      else send({ type: 'delta', text })
    },
    step: (step) => send({ type: 'step', step }),
    end: (turn, failure) => {
      if (failure === undefined) send({ type: 'done', turn })
      else send({ type: 'error', problem: problemOf(failure, failure.code === 'internal' ? request.id : undefined) })
      stream.end()
    },
  }
}
