import type { FastifyRequest } from 'fastify'
import { contract } from '#contract/index.ts'
import { EventStream } from '#lib/event-stream.ts'
import type { Generations } from '#models/generations.ts'
import type { RunningGeneration } from '#models/running.ts'
import { idempotencyOf } from '../idempotency-key.ts'
import { problemFor } from '../problems.ts'
import type { Router } from '../route.ts'

export interface GenerationServices {
  readonly generations: Generations
}

export function generationRoutes(router: Router, { generations }: GenerationServices): void {
  router.route(contract.generation.create, async ({ body, projectId, request, reply, gone }) => {
    const running = await generations.ask({
      projectId,
      request: body,
      idempotency: idempotencyOf(request),
      signal: gone,
    })
    if (body.stream !== true) return running.whole()
    reply.hijack()
    await stream(running, new EventStream(reply.raw), request)
    return reply
  })
  router.route(contract.generation.models, async () => generations.list)
}

/** Sends texts as they come, at the pace of who reads them, and the end. */
async function stream(running: RunningGeneration, events: EventStream, request: FastifyRequest): Promise<void> {
  try {
    const texts = running.read()
    for (;;) {
      const next = await texts.next()
      if (events.isOver) return
      if (next.done === true) {
        events.send('done', { type: 'done', ...next.value })
        break
      }
      events.send('delta', { type: 'delta', text: next.value })
      await events.drained()
    }
  } catch (error) {
    // Nobody erred, and nobody hears of it.
    if (events.isOver) return
    events.send('error', { type: 'error', problem: problemFor(error, request) })
  }
  events.end()
}
