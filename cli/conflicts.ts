import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Conflict, Resolution } from '../src/contract/branches.ts'
import { Failure } from '../src/contract/failure.ts'
import { ask, openEditor } from './terminal.ts'
import type { Output } from './output.ts'
import { printable } from './format.ts'

const shownLines = 40

/** A conflict for people: what each side has. */
export function showConflict(conflict: Conflict, output: Output): string {
  const title = `${output.paint('yellow', 'conflict')}  ${output.paint('bold', printable(conflict.path))}  ${output.paint('dim', conflict.type)}`
  if (conflict.omitted !== undefined)
    return `${title}\n  its content is ${conflict.omitted}: take one side or give a file`
  return [title, side('main', conflict.main, output), side('branch', conflict.branch, output)].join('\n')
}

function side(name: string, text: string | undefined, output: Output): string {
  const head = output.paint('cyan', `  ── ${name}`)
  if (text === undefined) return `${head}\n  ${output.paint('dim', '(deleted)')}`
  const lines = printable(text).split('\n')
  const shown = lines.slice(0, shownLines).map((line) => `  ${line}`)
  const rest = lines.length > shownLines ? [output.paint('dim', `  … ${lines.length - shownLines} more lines`)] : []
  return [head, ...shown, ...rest].join('\n')
}

/** Asks for each conflict. @throws Failure merge_conflict when the user gives up. */
export async function settleConflicts(conflicts: readonly Conflict[], output: Output): Promise<Resolution[]> {
  const resolutions: Resolution[] = []
  for (const conflict of conflicts) {
    output.note(showConflict(conflict, output))
    resolutions.push(await settle(conflict, output))
  }
  return resolutions
}

async function settle(conflict: Conflict, output: Output): Promise<Resolution> {
  const editable = conflict.omitted === undefined
  for (;;) {
    const answer = await ask(`${conflict.path}: [1] branch, [2] main${editable ? ', [e]dit' : ''}, [q]uit? `)
    const { path } = conflict
    const seen = { seen: { main: conflict.oids.main ?? null, branch: conflict.oids.branch ?? null } }
    if (answer === '1') return { path, use: 'branch', ...seen }
    if (answer === '2') return { path, use: 'main', ...seen }
    if (answer === 'e' && editable) {
      const content = await edit(conflict, output.environment.editor)
      if (!content.includes('<<<<<<< ')) return { path, content, ...seen }
      output.note('There are conflict marks left in it.')
    }
    if (answer === 'q') throw new Failure('merge_conflict', 'Nothing was published; the branch is as it was.')
  }
}

/** Opens $EDITOR on both sides between the marks that Git writes. */
async function edit({ path, main = '', branch = '' }: Conflict, editor: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-conflict-'))
  const file = join(directory, basename(path))
  const line = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)
  try {
    await writeFile(file, `<<<<<<< main\n${line(main)}=======\n${line(branch)}>>>>>>> branch\n`)
    await openEditor(file, editor)
    return await readFile(file, 'utf8')
  } finally {
    await rm(directory, { recursive: true })
  }
}
