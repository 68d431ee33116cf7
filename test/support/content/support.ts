import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { Git } from '#content/git/git.ts'
import { Repositories } from '#content/repositories.ts'
import type { Author, NewFile, BareRepository } from '#content/repository.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

export const author: Author = { name: 'Ada', email: 'ada@example.com' }

const run = promisify(execFile)

export function newGit(): Git {
  return new Git({ searchPath: process.env['PATH'] })
}

export async function newRepositories(): Promise<{ repositories: Repositories; directory: string }> {
  const directory = await temporaryDirectory()
  const repositories = new Repositories({ directory, git: newGit() })
  onTestFinished(() => repositories.close())
  return { repositories, directory }
}

export async function newRepository(): Promise<BareRepository> {
  const { repositories } = await newRepositories()
  return repositories.create('docs')
}

export function filesOf(contents: Readonly<Record<string, string>>): NewFile[] {
  return Object.entries(contents).map(([path, content]) => ({ path, content: Buffer.from(content) }))
}

/** Runs the real git as a user would. */
export async function git(directory: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('git', args, {
    cwd: directory,
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0' },
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout.trim()
}
