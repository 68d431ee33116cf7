import { expect, test } from 'vitest'
import { Assistant } from '#assistant/assistant.ts'
import type { AssistantPorts } from '#assistant/ports.ts'
import type { HistoryCommit } from '#contract/branches.ts'
import type { MeteredWork, ModelEvent } from '#models/model.ts'
import { MemoryRecords } from '#test/support/memory-records.ts'

const author = { name: 'Ada', email: 'ada@example.com' }
const usage = { inputTokens: 1, outputTokens: 1 }
const stays = new AbortController().signal

/** A model that writes a page. */
function writer(): MeteredWork {
  let asked = 0
  return {
    id: 'work',
    generation: 'work',
    usage,
    hasProduced: true,
    settle: async () => undefined,
    async *ask(): AsyncIterable<ModelEvent> {
      const args = JSON.stringify({ path: 'more.md', content: '# More\n' })
      if (asked++ === 0) yield { type: 'call', call: { id: 'a', name: 'write_file', arguments: args } }
      else yield { type: 'text', text: 'Done.' }
      yield { type: 'end', model: 'acme/large', finishReason: 'stop', usage }
    },
  }
}

/** @param onCommit what happens when the branch has moved and nobody was told yet. */
function room(records: AssistantPorts['records'], commits: HistoryCommit[], onCommit: () => void = () => undefined) {
  const none = async (): Promise<never> => Promise.reject(new Error('nobody asks for this'))
  const pages = { total: 1, built: 1, reused: 0 }
  return new Assistant({
    branches: {
      require: async () => undefined,
      isKnown: () => true,
      content: async () => ({ name: 'draft', head: 'a'.repeat(40), files: new Map(), size: none, read: none }),
      history: async () => ({ items: commits }),
      check: async () => ({ errors: [], warnings: [], counts: { errors: 0, warnings: 0 }, pages }),
      saves: {
        apply: async ({ message }) => {
          const commit = 'b'.repeat(40)
          commits.unshift({ oid: commit, parents: [], author, message, committedAt: new Date().toISOString() })
          onCommit()
          return { commit, files: [], created: true }
        },
        revert: none,
      },
    },
    models: { begin: async () => writer() },
    records,
    now: () => new Date(),
    log: { warn: () => undefined, error: () => undefined },
  })
}

test('a turn whose commit was made when the process died is done, with that commit', async () => {
  const alive = new MemoryRecords()
  const commits: HistoryCommit[] = []
  let left = alive
  const dying = room(alive, commits, () => {
    left = alive.afterDeath()
  })
  let conversation = ''
  const message = { projectId: 'docs', branch: 'one', text: 'Write', author }
  await dying.send(message, stays, (begun) => {
    ;({ conversation } = begun)
    return { text: () => undefined, step: () => undefined, end: () => undefined }
  })

  const next = room(left, commits)
  const { turns } = await next.read({ projectId: 'docs', branch: 'one', conversation })
  expect(turns).toMatchObject([
    { question: 'Write', answer: 'Done.', status: 'done', files: ['more.md'], commit: 'b'.repeat(40) },
  ])
})

test('a turn that was about to land when the process died is failed, and names no files', async () => {
  const alive = new MemoryRecords()
  let left = alive
  const dying = room(alive, [], () => {
    left = alive.afterDeath()
  })
  let conversation = ''
  const message = { projectId: 'docs', branch: 'one', text: 'Write', author }
  await dying.send(message, stays, (begun) => {
    ;({ conversation } = begun)
    return { text: () => undefined, step: () => undefined, end: () => undefined }
  })

  const next = room(left, [])
  const { turns } = await next.read({ projectId: 'docs', branch: 'one', conversation })
  expect(turns).toMatchObject([{ status: 'failed', files: [], problem: { code: 'unavailable' } }])
})
