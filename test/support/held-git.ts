import { execFileSync } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryDirectory } from './temporary.ts'

/** Git of which single commands wait, in a repository of a service, until the test lets them go on. */
export interface HeldGit {
  /** For PATH. */
  readonly searchPath: string
  /** From now on. */
  hold(repository: string, command: string): Promise<void>
  /** How many wait, or have waited. */
  waiting(repository: string, command: string): Promise<number>
  letGo(repository: string, command: string): Promise<void>
}

export async function heldGit(): Promise<HeldGit> {
  const folder = await temporaryDirectory()
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  const wrapper = [
    '#!/bin/sh',
    'held="$GIT_DIR/held-$1"',
    '[ -e "$held" ] && echo >> "$held"',
    'while [ -e "$held" ]; do sleep 0.05; done',
    `exec '${real}' "$@"`,
  ]
  await writeFile(join(folder, 'git'), `${wrapper.join('\n')}\n`, { mode: 0o755 })
  const mark = (repository: string, command: string): string => join(repository, `held-${command}`)
  return {
    searchPath: `${folder}:${process.env['PATH']}`,
    hold: (repository, command) => writeFile(mark(repository, command), ''),
    waiting: async (repository, command) => (await readFile(mark(repository, command))).length,
    letGo: (repository, command) => rm(mark(repository, command)),
  }
}
