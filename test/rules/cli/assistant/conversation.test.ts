import { describe, expect, it } from 'vitest'
import { BranchConversation } from '#cli/assistant/conversation.ts'
import type { OpenProject } from '#cli/service/project.ts'
import type { Client } from '#client/client.ts'
import type { AssistantEvent, AssistantTurn } from '#contract/assistant.ts'
import type { Branch } from '#contract/branches.ts'
import { refusalOf } from '#test/support/refusal.ts'

const started: AssistantEvent = { type: 'started', conversation: 'c', turn: 't' }
const turn: AssistantTurn = {
  id: 't',
  question: 'Hello',
  answer: 'Hi',
  steps: [],
  status: 'done',
  files: [],
  usage: { inputTokens: 1, outputTokens: 1 },
  createdAt: '2027-01-01T00:00:00.000Z',
}

/** A conversation with a service whose streams say these events, and then break. */
function breaking(events: readonly AssistantEvent[], statuses: AssistantTurn['status'][] = []) {
  const client = {
    call: async () => ({ id: 'c', turns: [{ ...turn, status: statuses.shift() ?? 'done' }] }),
    async *events() {
      yield* events
      throw new TypeError('terminated')
    },
  } as unknown as Client
  const project = { client, slug: 'docs', policy: { tries: 1, contentionMs: 0 } } as OpenProject
  return new BranchConversation(project, { id: 'b', name: 'intro' } as Branch)
}

const never = new AbortController().signal
const nothing = (): void => undefined

describe('a connection that breaks', () => {
  it('in a turn leaves open what became of it: the service is asked until the turn has ended', async () => {
    const conversation = breaking([started, { type: 'delta', text: 'H' }], ['running', 'done'])
    expect(await conversation.ask('Hello', never, nothing)).toEqual(turn)
    expect(conversation.id).toBe('c')
  })

  it('before the turn has begun is told as that', async () => {
    expect(await refusalOf(breaking([]).ask('Hello', never, nothing))).toMatchObject({
      code: 'unavailable',
      hint: expect.stringContaining('Ask again'),
    })
  })

  it('because somebody broke it off before the turn had begun is no failure', async () => {
    expect(await breaking([]).ask('Hello', AbortSignal.abort(), nothing)).toBeNull()
  })
})

it('an error that ends the stream is the failure that the service told', async () => {
  const problem = {
    type: 'about:blank',
    title: '',
    status: 429,
    detail: 'No more.',
    code: 'quota_exceeded',
    hint: 'Wait.',
  }
  const failure = await refusalOf(breaking([started, { type: 'error', problem }]).ask('Hello', never, nothing))
  expect(failure).toMatchObject({ code: 'quota_exceeded', message: 'No more.', hint: 'Wait.', exitCode: 75 })
})
