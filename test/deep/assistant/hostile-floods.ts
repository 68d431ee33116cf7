import type { ModelReply } from '#test/support/model-server.ts'
import { done, raw, reads, write, writes, type HostileCase } from './hostile-case.ts'
import { call, says } from '#test/support/assistant/world.ts'

let turn = 0
/** Searching for it takes minutes, unless that is done in linear time. */
const nearlyRepeats = `${'a'.repeat(100_000)}b${'a'.repeat(100_000)}`

/** What takes too much: of the service, of the disk, of the plan. */
export const floods: readonly HostileCase[] = [
  {
    name: 'one text that is too large',
    replies: [raw(['write_file', JSON.stringify({ path: 'pwned.mdx', content: 'x'.repeat(299_990) })]), done],
  },
  {
    name: 'files that are too large together',
    replies: [
      ...[0, 2, 4].map((index): ModelReply => {
        const content = 'word '.repeat(44_000)
        return { calls: [write(`big-${index}.mdx`, content), write(`big-${index + 1}.mdx`, content)] }
      }),
      done,
    ],
    lands: [0, 1, 2, 3].map((index) => `big-${index}.mdx`),
    refused: Array.from({ length: 2 }, () => 'One turn may write at most 1 MB of files.'),
  },
  {
    name: 'thousands of calls at once',
    replies: [writes(...Array.from({ length: 3000 }, (_, index) => `pwned-${index}.mdx`))],
    status: 'failed',
    refused: [],
  },
  {
    name: 'the same call for ever',
    replies: [reads('index.mdx')],
    status: 'failed',
    refused: Array.from({ length: 4 }, () => /^You have made this call before/),
  },
  {
    name: 'other calls for ever',
    replies: [() => call('read_file', { path: 'index.mdx', from: 1, lines: (turn++ % 500) + 1 })],
    status: 'failed',
    refused: [],
  },
  {
    name: 'an answer without an end',
    replies: [says(...Array.from({ length: 200 }, () => 'And so on. '.repeat(100)))],
    status: 'failed',
    refused: [],
  },
  {
    name: 'an edit of a text that nearly repeats',
    files: { 'repeats.md': `${'a'.repeat(1_000_000)}\n` },
    replies: [raw(['edit_file', JSON.stringify({ path: 'repeats.md', find: nearlyRepeats, replace: 'x' })]), done],
  },
]
