import { Readable } from 'node:stream'
import { GitError, type Git } from './git.ts'
import type { Oid } from '../repository.ts'

export interface GitLinesRequest {
  readonly directory: string
  /** Written to git line by line, as fast as it reads. */
  readonly input: readonly Oid[]
  readonly signal: AbortSignal
}

/**
 * Runs git over a list of objects and yields the lines of its answer as they come: neither is ever whole in memory.
 * Leaving the loop ends the process.
 *
 * @throws GitError when git does not exit with 0; the signal’s reason when it is aborted.
 */
export async function* gitLines(git: Git, args: readonly string[], request: GitLinesRequest): AsyncGenerator<string> {
  const { directory, input, signal } = request
  signal.throwIfAborted()
  const child = git.start(args, directory)
  const stop = () => child.kill('SIGKILL')
  signal.addEventListener('abort', stop)
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-2000)))
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code) => resolve(code === 0 ? '' : `exit code ${code}: ${stderr.trim()}`))
  })
  // git may end without reading all of its input (EPIPE); its exit code and stderr say why.
  child.stdin.on('error', () => child.stdin.destroy())
  Readable.from(blocks(input)).pipe(child.stdin)
  try {
    let rest = ''
    for await (const chunk of child.stdout.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
    const problem = await ended
    signal.throwIfAborted()
    if (problem !== '') throw new GitError(args, problem)
  } finally {
    signal.removeEventListener('abort', stop)
    if (child.exitCode === null) stop()
  }
}

function* blocks(oids: readonly Oid[]): Generator<string> {
  for (let at = 0; at < oids.length; at += 1000) yield `${oids.slice(at, at + 1000).join('\n')}\n`
}
