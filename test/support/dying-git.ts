import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Git, type GitOptions } from '#content/git/git.ts'
import { temporaryDirectory } from './temporary.ts'

/** Does what git does in a ref transaction, up to a moment at which it is killed, or hangs. */
const program = `
import { closeSync, existsSync, openSync, readFileSync, readSync, renameSync, unlinkSync, writeFileSync, writeSync } from 'node:fs'
const [plan] = process.argv.slice(2)
const [{ moves, end }, ...later] = JSON.parse(readFileSync(plan, 'utf8'))
if (later.length > 0) writeFileSync(plan, JSON.stringify(later))
else unlinkSync(plan)
let input = ''
const chunk = Buffer.alloc(65536)
while (!input.endsWith('commit\\0')) input += chunk.toString('utf8', 0, readSync(0, chunk))
const words = input.split('\\0')
writeSync(1, 'start: ok\\n')
const updates = []
for (let at = 1; words[at] !== 'prepare'; ) {
  const [kind, ref] = words[at].split(' ')
  updates.push(kind === 'update' ? { ref, oid: words[at + 1] } : { ref, oid: null })
  at += kind === 'update' ? 3 : 2
}
const locks = ['HEAD', 'packed-refs', ...updates.map(({ ref }) => ref)]
for (const name of locks) closeSync(openSync(name + '.lock', 'wx'))
if (moves >= 0) writeSync(1, 'prepare: ok\\n')
for (const { ref, oid } of updates.slice(0, Math.max(0, moves))) {
  if (oid !== null) {
    writeFileSync(ref + '.lock', oid + '\\n')
    renameSync(ref + '.lock', ref)
  } else if (existsSync(ref)) unlinkSync(ref)
}
if (end === 'hang') setInterval(() => undefined, 1000)
else {
  if (end === 'kill both') process.kill(process.ppid, 'SIGKILL')
  process.kill(process.pid, 'SIGKILL')
}
`

/** Git that dies or hangs in ref transactions when it is told to. */
export interface DyingGit {
  readonly git: Git
  /** PATH in which it is found. */
  readonly path: string
  /**
   * The next transaction is killed after so many of its refs have moved, the one after it after the second number, and so
   * on; -1: before it has said that all are locked.
   */
  killAfter(...moves: number[]): Promise<void>
  /** As `killAfter`, but the process stays, with its locks, and does nothing more. */
  hangAfter(...moves: number[]): Promise<void>
  /** As `killAfter`, and whoever started the process is killed, too. */
  killBothAfter(...moves: number[]): Promise<void>
  /** Whether all of that has come to pass. */
  died(): boolean
}

/** @param folder where it lies; else in one that goes with the test. */
export async function dyingGit(options: Pick<GitOptions, 'onTimeout'> = {}, folder?: string): Promise<DyingGit> {
  folder ??= await temporaryDirectory()
  const [plan, script] = [join(folder, 'plan'), join(folder, 'update-ref.mjs')]
  await writeFile(script, program)
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  const wrapper = [
    '#!/bin/sh',
    `if [ "$1" = update-ref ] && [ -e '${plan}' ]; then exec '${process.execPath}' '${script}' '${plan}'; fi`,
    `exec '${real}' "$@"`,
  ]
  await writeFile(join(folder, 'git'), `${wrapper.join('\n')}\n`, { mode: 0o755 })
  const path = `${folder}:${process.env['PATH']}`
  const planned =
    (end: 'kill' | 'kill both' | 'hang') =>
    (...all: number[]) =>
      writeFile(plan, JSON.stringify(all.map((moves) => ({ moves, end }))))
  return {
    git: new Git({ searchPath: path, ...options }),
    path,
    killAfter: planned('kill'),
    killBothAfter: planned('kill both'),
    hangAfter: planned('hang'),
    died: () => !existsSync(plan),
  }
}
