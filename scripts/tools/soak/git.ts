import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const limitMs = 120_000
const maxBuffer = 256 * 1024 * 1024

/** Nothing of the machine’s settings. @param name author of commits that are made with it. */
export function environmentOf(name: string): NodeJS.ProcessEnv {
  const email = `${name}@example.com`
  return {
    PATH: process.env['PATH'],
    LC_ALL: 'C',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  }
}

export interface GitSaid {
  readonly ok: boolean
  /** Standard output, without the last line end. */
  readonly out: string
  /** Both streams: what a developer sees in the terminal. */
  readonly text: string
}

/** Runs the real git whatever becomes of it. */
export async function gitSays(directory: string, name: string, args: readonly string[]): Promise<GitSaid> {
  const options = { cwd: directory, env: environmentOf(name), maxBuffer, timeout: limitMs }
  try {
    const { stdout, stderr } = await run('git', args, options)
    return { ok: true, out: stdout.trimEnd(), text: stdout + stderr }
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    return { ok: false, out: stdout.trimEnd(), text: stdout + stderr || String(error) }
  }
}

/** Runs the real git; throws with what it said when it does not succeed. */
export async function git(directory: string, ...args: string[]): Promise<string> {
  const { ok, out, text } = await gitSays(directory, 'soak', args)
  if (!ok) throw new Error(`git ${args.join(' ')}: ${text}`)
  return out
}
