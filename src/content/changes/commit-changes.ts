import { blobOid } from '../../contract/blob-oid.ts'
import { Failure } from '../../contract/failure.ts'
import { checkAuthor, checkMessage } from '../objects/commits.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { ObjectDatabase } from '../objects/objects.ts'
import { Staging } from '../objects/staging.ts'
import { editTree } from '../objects/tree-builder.ts'
import { checkCollisions, checkEach } from '../paths.ts'
import { ObjectNotFound, type Author, type FileChange, type Oid, type Tree, type TreeFile } from '../repository.ts'

interface Request {
  readonly parent: Oid
  readonly changes: readonly FileChange[]
  readonly author: Author
  readonly message: string
}

/** See `Repository.commitChanges`. */
export async function commitChanges(
  store: ObjectStore,
  request: Request,
): Promise<{ commit: Oid; tree: Oid; oids: ReadonlyMap<string, Oid | null> }> {
  checkAuthor(request.author)
  checkMessage(request.message)
  const parent = await store.commits.read(request.parent)
  const before = await store.trees.files(parent.tree)
  const changes = checkedChanges(request.changes, before)
  for (const change of changes) checkExpected(change, before)

  const staging = new Staging()
  const edits = new Map<string, TreeFile | null>()
  for (const change of changes) {
    const oid = await stageContent(change, before, store, staging)
    edits.set(change.path, oid === null ? null : { oid, mode: before.get(change.path)?.mode ?? '100644' })
  }
  checkResult(before, edits)

  const oids = new Map([...edits].map(([path, file]) => [path, file?.oid ?? null]))
  const tree = await editTree(parent.tree, edits, store.trees, staging)
  if (tree === parent.tree) return { commit: parent.oid, tree, oids }
  const { author, message } = request
  const commit = await staging.addCommit({ tree, parents: [parent.oid], author, message, at: new Date() })
  // Also what is there already is written: an older copy that no ref keeps may be near its end.
  await store.objects.write(staging, staging.oids)
  return { commit, tree, oids }
}

/** See `Repository.commitTree`. */
export async function commitTree(
  objects: ObjectDatabase,
  request: {
    readonly tree: Oid
    readonly parents: readonly Oid[]
    readonly author: Author
    readonly message: string
  },
): Promise<Oid> {
  checkAuthor(request.author)
  checkMessage(request.message)
  if ((await objects.type(request.tree)) !== 'tree') throw new ObjectNotFound(`tree ${request.tree}`)
  const staging = new Staging()
  const commit = await staging.addCommit({ ...request, at: new Date() })
  await objects.write(staging, staging.oids)
  return commit
}

/** The changes with their paths in the form in which the tree has them. A bad path may be deleted, but not written. */
function checkedChanges(changes: readonly FileChange[], before: Tree): FileChange[] {
  const named = changes.map((change) =>
    before.has(change.path) ? change : { ...change, path: change.path.normalize('NFC') },
  )
  checkEach(named.filter((change) => !isDeletion(change)).map((change) => change.path))
  const seen = new Set<string>()
  for (const { path } of named) {
    if (seen.has(path))
      throw new Failure('invalid_path', `${JSON.stringify(path)}: is given twice.`, {
        hint: 'Name each file once.',
        errors: [{ path, message: 'is given twice' }],
      })
    seen.add(path)
  }
  return named
}

function checkExpected(change: FileChange, before: Tree): void {
  const { path, expected } = change
  const oid = before.get(path)?.oid ?? null
  if (expected !== undefined && expected !== oid) {
    const what = oid === null ? 'has been deleted' : expected === null ? 'exists already' : 'has changed'
    throw new Failure('stale_file', `${path} ${what} since it was read. Nothing was saved.`, {
      hint: 'Read the file again and repeat the change.',
      extra: { path, oid },
    })
  }
  if (oid === null && isDeletion(change))
    throw new Failure('not_found', `There is no file ${path}.`, { errors: [{ path, message: 'does not exist' }] })
}

function isDeletion(change: FileChange): boolean {
  return 'content' in change && change.content === null
}

async function stageContent(
  change: FileChange,
  before: Tree,
  { objects }: ObjectStore,
  staging: Staging,
): Promise<Oid | null> {
  if ('oid' in change) {
    if (before.get(change.path)?.oid === change.oid) return change.oid
    const object = await objects.read(change.oid)
    if (object?.type !== 'blob') {
      throw new Failure('missing_objects', `The content of ${change.path} was named by id, but is not there.`, {
        hint: 'Send the file with its content.',
        errors: [{ path: change.path, message: `the service has no blob ${change.oid}` }],
        extra: { oids: [change.oid] },
      })
    }
    staging.addBlob(change.oid, object.body)
    return change.oid
  }
  if (change.content === null) return null
  const oid = blobOid(change.content)
  if (before.get(change.path)?.oid !== oid) staging.addBlob(oid, change.content)
  return oid
}

/** What was there before may collide with itself, after a push by an older version: only what is new is to blame. */
function checkResult(before: Tree, edits: ReadonlyMap<string, TreeFile | null>): void {
  const added = [...edits].filter(([path, file]) => file !== null && !before.has(path))
  if (added.length === 0) return
  const paths = new Set(before.keys())
  for (const [path, file] of edits) if (file === null) paths.delete(path)
  for (const [path] of added) paths.add(path)
  checkCollisions([...paths], (path) => !before.has(path))
}
