import { readFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Command } from 'commander'
import type { Conflict, Resolution } from '../../src/contract/branches.ts'
import { Failure } from '../../src/contract/failure.ts'
import { markedText, showConflict } from '../conflict-text.ts'
import type { Output } from '../output.ts'
import { collect, run } from '../program.ts'
import { followDeploy, report } from '../deploying/progress.ts'
import { findBranch, openProject } from '../service/project.ts'
import { conflictsOf, seenOf } from '../../src/authoring/pending-conflicts.ts'
import { startPublish } from '../publishing.ts'
import { ask, openEditor } from '../terminal.ts'
import { encode } from '../deploying/upload.ts'

export function definePublish(command: Command): void {
  command
    .argument('[branch]', 'name of the branch')
    .option('-m, --message <text>', 'message of the merge commit')
    .option('--use <path=side>', 'settle a conflict with a side: branch or main (repeatable)', collect)
    .option('--content <path=file>', 'settle a conflict with the content of a file (repeatable)', collect)
    .action((name: string | undefined, options: { message?: string; use?: string[]; content?: string[] }) =>
      run((output, url) => publish(name, { use: [], content: [], ...options, url }, output)),
    )
}

interface PublishOptions {
  readonly url: string
  readonly message?: string
  readonly use: readonly string[]
  readonly content: readonly string[]
}

/** `quire publish [branch]`: conflicts are settled on a terminal, or shown with exit code 5. */
async function publish(name: string | undefined, options: PublishOptions, output: Output): Promise<number> {
  const project = await openProject(options.url, output)
  const { client, slug, policy } = project
  const branch = name === undefined ? undefined : await findBranch(project, name)
  let resolutions = await resolutionsOf(options)
  for (;;) {
    try {
      const request = { slug, branchId: branch?.id, resolutions, message: options.message }
      const started = await startPublish(client, request, { policy })
      return report(await followDeploy(client, slug, started, output, policy), '.', output)
    } catch (error) {
      const conflicts = conflictsOf(error)
      if (conflicts === undefined) throw error
      if (!output.environment.interactive || output.json)
        throw tellConflicts(error as Failure, conflicts, name ?? 'main', output)
      resolutions = [...resolutions, ...(await resolveConflicts(conflicts, output))]
    }
  }
}

function pairOf(word: string, flag: string): [path: string, value: string] {
  const at = word.lastIndexOf('=')
  if (at < 1) throw new Failure('invalid_request', `${flag} takes path=value; it is ${word}.`)
  return [word.slice(0, at), word.slice(at + 1)]
}

async function resolutionsOf({ use, content }: PublishOptions): Promise<Resolution[]> {
  const sides = use.map((word): Resolution => {
    const [path, side] = pairOf(word, '--use')
    if (side === 'branch' || side === 'main') return { path, use: side }
    throw new Failure('invalid_request', `--use takes branch or main for ${path}, not ${side}.`)
  })
  const contents = content.map(async (word): Promise<Resolution> => {
    const [path, file] = pairOf(word, '--content')
    const bytes = await readFile(file).catch((error: unknown) => {
      throw new Failure('invalid_request', `${file} cannot be read.`, { cause: error })
    })
    return { path, ...encode(bytes).object }
  })
  return [...sides, ...(await Promise.all(contents))]
}

/** The refusal with all that is needed to settle it without a terminal. */
function tellConflicts(error: Failure, conflicts: readonly Conflict[], name: string, output: Output): Failure {
  if (!output.json) for (const conflict of conflicts) output.note(showConflict(conflict, output))
  const example = conflicts[0]?.path ?? 'path'
  return new Failure('merge_conflict', error.message, {
    errors: error.errors,
    hint: `Settle each file: quire publish ${name} --use ${example}=branch, or --use …=main, or --content ${example}=merged-file.`,
    extra: { conflicts },
    cause: error,
  })
}

/** Asks for each conflict. @throws Failure merge_conflict when the user gives up. */
async function resolveConflicts(conflicts: readonly Conflict[], output: Output): Promise<Resolution[]> {
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
    const seen = { seen: seenOf(conflict) }
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

/** Opens $EDITOR on the merged text, with the marks that Git writes around what is in conflict. */
async function edit(conflict: Conflict, editor: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-conflict-'))
  const file = join(directory, basename(conflict.path))
  try {
    await writeFile(file, markedText(conflict))
    await openEditor(file, editor)
    return await readFile(file, 'utf8')
  } finally {
    await rm(directory, { recursive: true })
  }
}
