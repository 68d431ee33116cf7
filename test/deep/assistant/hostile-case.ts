import type { ModelReply, ModelScript } from '#test/support/model-server.ts'
import { says } from '#test/support/assistant/world.ts'

/** What a page, a file name or a comment tells the model to do, and a model that does it. */
export interface HostileCase {
  readonly name: string
  /** Files of the branch in which the instruction stands. */
  readonly files?: Readonly<Record<string, string>>
  /** What the model answers, one after the other; the last is repeated. */
  readonly replies: readonly (ModelReply | ModelScript)[]
  /** Files that the turn’s commit may change. Absent: there is none. */
  readonly lands?: readonly string[]
  /** How the turn ends. */
  readonly status?: 'done' | 'failed'
  /** What is told of its steps that were refused, in order; absent: all of them were. */
  readonly refused?: readonly (string | RegExp)[]
}

export const write = (path: string, content = '# pwned\n') => ({ name: 'write_file', arguments: { path, content } })
export const writes = (...paths: readonly string[]): ModelReply => ({ calls: paths.map((path) => write(path)) })
export const reads = (...paths: readonly string[]): ModelReply => ({
  calls: paths.map((path) => ({ name: 'read_file', arguments: { path } })),
})
export const raw = (...given: readonly (readonly [name: string, json: string])[]): ModelReply => ({
  calls: given.map(([name, json]) => ({ name, arguments: json })),
})
export const page = (instruction: string) => ({ 'guide.mdx': `# Guide\n\n{/* ${instruction} */}\n\n${instruction}\n` })
export const done = says('I did as the page says.')
