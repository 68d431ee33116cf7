import type { UnsentMessage } from '#cli/tui/data/drafts/message.ts'
import { AssistantView } from '#cli/tui/views/assistant/assistant.ts'
import type { AssistantEvent, AssistantTurn } from '#contract/assistant.ts'
import type { FileDiff } from '#contract/comparisons.ts'
import { contract } from '#contract/index.ts'
import { FakeApp } from '#test/support/fake-app.ts'
import { aBranch, aProject, FakeWorkspace } from '#test/support/fake-workspace.ts'

export const branch = aBranch()
export const size = { width: 80, height: 40 }

export const file: FileDiff = {
  path: 'guides/limits.mdx',
  status: 'modified',
  binary: false,
  truncated: false,
  hunks: [
    {
      oldStart: 1,
      oldLines: 1,
      newStart: 1,
      newLines: 1,
      lines: [
        { kind: 'deleted', text: 'Ten a minute.' },
        { kind: 'added', text: 'Twenty a \u001B[2Jminute.' },
      ],
    },
  ],
}

export function aTurn(own: Partial<AssistantTurn> = {}): AssistantTurn {
  return {
    id: 't1',
    question: 'Raise the limit',
    answer: 'Done.',
    steps: [],
    status: 'done',
    commit: 'c'.repeat(40),
    files: ['guides/limits.mdx'],
    usage: { inputTokens: 1200, outputTokens: 30 },
    createdAt: '2026-03-01T12:00:00.000Z',
    ...own,
  }
}

const { commit: _commit, ...cancelled } = aTurn({ status: 'cancelled', answer: 'I was' })

/** The view, with what the service sends; and with what is kept of a message. */
export function open(
  events: (signal: AbortSignal | undefined) => AsyncIterable<AssistantEvent>,
  message?: UnsentMessage | Promise<UnsentMessage>,
) {
  const app = new FakeApp()
  const workspace = new FakeWorkspace()
  workspace.message = message
  const { service } = workspace
  service.stream(contract.assistant.send, ({ signal }) => events(signal))
  service.on(contract.branches.diff, () => ({ head: 'c'.repeat(40), files: [file] }))
  service.on(contract.assistant.undo, () => aTurn({ undone: 'd'.repeat(40) }))
  service.on(contract.assistant.read, () => ({
    id: 'c1',
    title: 'Raise the limit',
    createdAt: '2026-03-01T12:00:00.000Z',
    updatedAt: '2026-03-01T12:00:00.000Z',
    turns: [cancelled],
  }))
  app.push(new AssistantView({ app, workspace, project: aProject(), branch }))
  return { app, workspace, service }
}

export async function* done(): AsyncGenerator<AssistantEvent> {
  yield { type: 'started', conversation: 'c1', turn: 't1' }
  yield { type: 'delta', text: '\n# Limits\nI rai' }
  yield { type: 'delta', text: 'se the **limit** in `limits.mdx`.\n\n- one\n- two' }
  yield { type: 'step', step: { id: 's1', tool: 'edit_file', about: 'guides/limits.mdx' } }
  yield {
    type: 'step',
    step: { id: 's1', tool: 'edit_file', about: 'guides/limits.mdx', outcome: 'done', detail: '1 edit' },
  }
  yield { type: 'done', turn: aTurn() }
}
