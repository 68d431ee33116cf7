import { readFile } from 'node:fs/promises'
import type { Branch, BranchChange } from '../../src/contract/branches.ts'
import { contract } from '../../src/contract/index.ts'
import { limits } from '../../src/contract/limits.ts'
import { builtPreview } from '../deploying/branch-sending.ts'
import { collectFiles } from '../deploying/files.ts'
import { count, type Output } from '../output.ts'
import type { OpenProject } from '../service/project.ts'
import { withRetry } from '../service/retry.ts'
import { encode } from '../deploying/upload.ts'
import { branchOf } from './branch.ts'
import type { OutputFolder } from './output-folder.ts'
import { fileOf } from './plan.ts'
import type { State } from './state.ts'
import { matcherOf } from './work.ts'

/** Room for the JSON around the contents of one commit. */
const commitBytes = limits.requestBytes - 512 * 1024

interface Sent {
  readonly folder: OutputFolder
  readonly state: State
  /** Of the branch. */
  readonly name: string
  /** Patterns of pages that are replaced although somebody changed them there. */
  readonly take: readonly string[]
}

/** By it our own commits are known again, also from another machine. */
const message = 'Generate the documentation'

/**
 * Puts the output on a branch, which is made when there is none, and waits for its preview. Other files of the branch
 * stay, and so does what somebody changed there; pages that a run has taken away go.
 */
export async function sendToBranch(
  project: OpenProject,
  { folder, state, name, take }: Sent,
  output: Output,
): Promise<Branch> {
  const branch = await branchOf(project, name)
  const all = await changesFor(project, branch, folder, state)
  const isTaken = matcherOf(take)
  const changes: Change[] = []
  for (const { mayBeTheirs, ...change } of all) {
    const page = change.path.replace(/\.mdx?$/, '')
    if (!mayBeTheirs || isTaken(page) || !(await isSomebodys(project, branch, change))) changes.push(change)
    else
      output.note(
        `${output.paint('yellow', 'kept')}  ${change.path}  was changed on ${name} and stays; --take ${page} replaces it`,
      )
  }
  for (const batch of batches(changes)) await commit(project, branch.id, batch)
  output.note(
    changes.length === 0 ? `${name} has all of it already.` : `${count(changes.length, 'file')} changed on ${name}`,
  )
  const built = await builtPreview(project, branch, output)
  if (built.preview.status === 'failed' && !output.json) {
    output.note(`${output.paint('red', 'error')}  ${name} does not build; the preview shows what was before.`)
    for (const detail of built.preview.errors) output.note(output.describe(detail))
  }
  return built
}

type Change = BranchChange & { readonly bytes: number }

/** Somebody else was the last to change a file on the branch, or deleted one of ours there. */
async function isSomebodys(
  { client, slug, policy }: OpenProject,
  { id }: Branch,
  { path, expectedOid }: Change,
): Promise<boolean> {
  const { items } = await withRetry(
    () => client.call(contract.branches.history, { params: { slug, id }, query: { path, limit: 20 } }),
    policy,
  )
  const [last, ...before] = items.map((item) => item.message.trim() === message)
  return last === false && (expectedOid !== null || before.includes(true))
}

async function changesFor(
  { client, slug, policy }: OpenProject,
  { id, head, base }: Branch,
  folder: OutputFolder,
  state: State,
): Promise<(Change & { readonly mayBeTheirs: boolean })[]> {
  const { items } = await withRetry(() => client.call(contract.branches.files, { params: { slug, id } }), policy)
  const there = new Map(items.flatMap((file) => (file.status === 'deleted' ? [] : [[file.path, file.oid] as const])))
  // What is as on main is to be seen in what the branch changes.
  const untouched = new Set(items.flatMap(({ path, status }) => (status === 'unchanged' ? [path] : [])))
  const { files } = await collectFiles(folder.root)
  const changes: (Change & { readonly mayBeTheirs: boolean })[] = []
  const add = (path: string, change: Pick<Change, 'content' | 'encoding' | 'bytes'>): void => {
    // Refused where somebody saves meanwhile.
    changes.push({
      path,
      ...change,
      expectedOid: there.get(path) ?? null,
      mayBeTheirs: head !== base && !untouched.has(path),
    })
  }
  for (const file of files) {
    if (there.get(file.path) === file.oid) continue
    const { object, bytes } = encode(await readFile(file.absolute))
    add(file.path, { ...object, bytes })
  }
  const local = new Set(files.map(({ path }) => path))
  for (const path of state.lock.removed.map(fileOf))
    if (there.has(path) && !local.has(path)) add(path, { content: null, bytes: 0 })
  return changes
}

/** As many changes to a commit as a request may carry. */
function* batches(changes: readonly Change[]): Generator<BranchChange[]> {
  let batch: BranchChange[] = []
  let size = 0
  for (const { bytes, ...change } of changes) {
    const whole = bytes + change.path.length * 2 + 100
    if (batch.length > 0 && size + whole > commitBytes) {
      yield batch
      batch = []
      size = 0
    }
    batch.push(change)
    size += whole
  }
  if (batch.length > 0) yield batch
}

async function commit({ client, slug, policy }: OpenProject, id: string, changes: BranchChange[]): Promise<void> {
  await withRetry(
    () =>
      client.call(contract.branches.commit, {
        params: { slug, id },
        body: { message, changes },
      }),
    policy,
  )
}
