import type { Command } from 'commander'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Branch, Conflict, Resolution } from '../../src/contract/branches.ts'
import type { Deploy } from '../../src/contract/deploys.ts'
import { Failure } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import { settleConflicts, showConflict } from '../conflicts.ts'
import type { Output } from '../output.ts'
import { followDeploy } from '../progress.ts'
import { findBranch, openProject, type OpenProject } from '../project.ts'
import { withRetry } from '../retry.ts'
import { encode } from '../upload.ts'
import { report } from '../report.ts'
import { collect, run } from '../program.ts'

export function define(command: Command): void {
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
  const branch = name === undefined ? undefined : await findBranch(project, name)
  let resolutions = await resolutionsOf(options)
  for (;;) {
    try {
      const started = await post(project, { branch, resolutions, message: options.message })
      return report(await followDeploy(project.client, project.slug, started, output, project.policy), '.', output)
    } catch (error) {
      const conflicts = conflictsOf(error)
      if (conflicts === undefined) throw error
      if (!output.environment.interactive || output.json)
        throw tellConflicts(error as Failure, conflicts, name ?? 'main', output)
      resolutions = [...resolutions, ...(await settleConflicts(conflicts, output))]
    }
  }
}

function post(
  { client, slug, policy }: OpenProject,
  what: { branch: Branch | undefined; resolutions: readonly Resolution[]; message: string | undefined },
): Promise<Deploy> {
  const body = {
    ...(what.branch === undefined ? {} : { branchId: what.branch.id }),
    ...(what.resolutions.length === 0 ? {} : { resolutions: [...what.resolutions] }),
    ...(what.message === undefined ? {} : { message: what.message }),
  }
  const headers = { 'idempotency-key': randomUUID(), prefer: 'respond-async' }
  return withRetry(() => client.call(contract.branches.publish, { params: { slug }, body, headers }), policy)
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

function conflictsOf(error: unknown): readonly Conflict[] | undefined {
  if (!(error instanceof Failure) || error.code !== 'merge_conflict') return undefined
  return (error.extra['conflicts'] ?? []) as readonly Conflict[]
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
