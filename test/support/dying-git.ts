import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Git } from '../../src/content/git/git.ts'
import { temporaryDirectory } from './temporary.ts'

/** Does what git does in a ref transaction, up to a moment at which it is killed. */
const program = `
import { closeSync, existsSync, openSync, readFileSync, readSync, renameSync, unlinkSync, writeFileSync, writeSync } from 'node:fs'
const [plan] = process.argv.slice(2)
const moves = Number(readFileSync(plan, 'utf8'))
unlinkSync(plan)
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
process.kill(process.pid, 'SIGKILL')
`

/** Git that dies in a ref transaction when it is told to. */
export interface DyingGit {
  readonly git: Git
  /** The next transaction is killed after so many of its refs have moved; -1: before it has said that all are locked. */
  killAfter(moves: number): Promise<void>
  /** Whether that has come to pass. */
  died(): boolean
}

export async function dyingGit(): Promise<DyingGit> {
  const folder = await temporaryDirectory()
  const [plan, script] = [join(folder, 'plan'), join(folder, 'update-ref.mjs')]
  await writeFile(script, program)
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  const wrapper = [
    '#!/bin/sh',
    `if [ "$1" = update-ref ] && [ -e '${plan}' ]; then exec '${process.execPath}' '${script}' '${plan}'; fi`,
    `exec '${real}' "$@"`,
  ]
  await writeFile(join(folder, 'git'), `${wrapper.join('\n')}\n`, { mode: 0o755 })
  return {
    git: new Git({ searchPath: `${folder}:${process.env['PATH']}` }),
    killAfter: (moves) => writeFile(plan, String(moves)),
    died: () => !existsSync(plan),
  }
}
