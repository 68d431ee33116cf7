import { blobOid } from '../../contract/blob-oid.ts'
import { Failure } from '../../contract/failure.ts'
import { limits } from '../../contract/limits.ts'
import { LinkedPlaces, throughLinks } from '../objects/links.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { buildTree, checkAuthor, checkMessage, editTree, Staging } from '../objects/staging.ts'
import { eachInTurns, nextTurn, isTurnOver } from '../../lib/slices.ts'
import { checkCollisions, checkEach, checkPaths } from '../paths.ts'
import {
  ObjectNotFound,
  type Author,
  type Commit,
  type FileChange,
  type Links,
  type NewFile,
  type Oid,
  type Tree,
  type TreeFile,
} from '../repository.ts'

interface ReplacementRequest {
  readonly files: readonly NewFile[]
  readonly parent: Commit | null
  readonly author: Author
  readonly message: string
  /**
   * False while gc runs: it may just be taking an object that no ref keeps, so whatever the parent does not keep is
   * written again.
   */
  readonly trustUnreachable: boolean
}

interface ChangesRequest {
  readonly parent: Oid
  readonly changes: readonly FileChange[]
  readonly author: Author
  readonly message: string
}

/** See `Repository.writeBlobs`. Also what is there already is written: an older copy that no ref keeps may be near its end. */
export async function writeBlobs({ objects }: ObjectStore, contents: readonly Uint8Array[]): Promise<readonly Oid[]> {
  const staging = new Staging()
  const oids: Oid[] = []
  for (const content of contents) {
    if (isTurnOver()) await nextTurn()
    const oid = blobOid(content)
    staging.addBlob(oid, content)
    oids.push(oid)
  }
  await objects.write(staging, staging.oids)
  return oids
}

/** See `Repository.replaceTree`. */
export async function replaceTree(
  store: ObjectStore,
  request: ReplacementRequest,
): Promise<{ commit: Oid; tree: Oid }> {
  checkAuthor(request.author)
  checkMessage(request.message)
  const paths = await checkPaths(request.files.map((file) => file.path))
  const base = request.parent?.tree ?? null
  const kept = new Set<Oid>()
  if (base !== null) for (const file of (await store.trees.files(base)).values()) kept.add(file.oid)

  const staging = new Staging()
  const contents = new Map<Oid, Uint8Array>()
  const files = new Map<string, Oid>()
  for (const [index, file] of request.files.entries()) {
    if (isTurnOver()) await nextTurn()
    const oid = 'oid' in file ? file.oid : blobOid(file.content)
    if ('content' in file) contents.set(oid, file.content)
    files.set(paths[index] ?? file.path, oid)
  }
  for (const [oid, content] of contents) {
    if (isTurnOver()) await nextTurn()
    if (!kept.has(oid)) staging.addBlob(oid, content)
  }
  await checkNamed(store, request, files, (oid) => kept.has(oid) || contents.has(oid), staging)

  const tree = await buildTree(files, base, store.trees, staging)
  const commit = await staging.addCommit({
    tree,
    parents: request.parent ? [request.parent.oid] : [],
    author: request.author,
    message: request.message,
    at: new Date(),
  })
  await store.objects.write(staging, request.trustUnreachable ? await lacking(store, staging.oids) : staging.oids)
  return { commit, tree }
}

/** Files given by id alone: the blob has to be there. */
async function checkNamed(
  store: ObjectStore,
  request: ReplacementRequest,
  files: ReadonlyMap<string, Oid>,
  known: (oid: Oid) => boolean,
  staging: Staging,
): Promise<void> {
  const named = [...new Set(files.values())].filter((oid) => !known(oid))
  const absent = new Set<Oid>()
  await eachInTurns(named, async (oid) => {
    if (request.trustUnreachable) {
      if ((await store.objects.type(oid)) !== 'blob') absent.add(oid)
      return
    }
    const object = await store.objects.read(oid)
    if (object?.type === 'blob') staging.addBlob(oid, object.body)
    else absent.add(oid)
  })
  if (absent.size > 0) throw missingObjects(files, absent)
}

/** Of files that were named by the ids of blobs which are not there. */
export function missingObjects(files: ReadonlyMap<string, Oid>, absent: ReadonlySet<Oid>): Failure {
  const errors = [...files]
    .filter(([, oid]) => absent.has(oid))
    .map(([path, oid]) => ({ path, message: `the service has no blob ${oid}` }))
  return new Failure(
    'missing_objects',
    `The content of ${errors.length} file(s) was named by id, but the service does not have it.`,
    {
      hint: 'Send these files with their content.',
      errors,
      extra: { oids: [...absent] },
    },
  )
}

async function lacking({ objects }: ObjectStore, oids: readonly Oid[]): Promise<Oid[]> {
  const absent = new Set<Oid>()
  await eachInTurns(oids, async (oid) => {
    if ((await objects.type(oid)) === null) absent.add(oid)
  })
  // In their order: an object never before those that it names.
  return oids.filter((oid) => absent.has(oid))
}

/** See `Repository.commitChanges`. */
export async function commitChanges(
  store: ObjectStore,
  request: ChangesRequest,
): Promise<{ commit: Oid; tree: Oid; oids: ReadonlyMap<string, Oid | null> }> {
  checkAuthor(request.author)
  checkMessage(request.message)
  const parent = await store.commits.read(request.parent)
  const { files: before, links } = await store.trees.followed(parent.tree)
  const changes = await checkedChanges(request.changes, before, links)
  for (const { change } of changes) checkExpected(change, before)

  const staging = new Staging()
  const edits = new Map<string, TreeFile | null>()
  const oids = new Map<string, Oid | null>()
  for (const { change, place } of changes) {
    if (isTurnOver()) await nextTurn()
    const oid = await stageContent(change, before, store, staging)
    edits.set(place, oid === null ? null : { oid, mode: before.get(change.path)?.mode ?? '100644' })
    oids.set(change.path, oid)
  }
  await checkResult(before, edits)

  const tree = await editTree(parent.tree, edits, store.trees, staging)
  if (tree === parent.tree) return { commit: parent.oid, tree, oids }
  const { author, message } = request
  const commit = await staging.addCommit({ tree, parents: [parent.oid], author, message, at: new Date() })
  // Also what is there already is written: an older copy that no ref keeps may be near its end.
  await store.objects.write(staging, staging.oids)
  return { commit, tree, oids }
}

/**
 * The files that changes would make of a tree, and the content that is new among them; nothing is written. What links
 * lead to changes at their paths, too.
 *
 * @throws Failure as `Repository.commitChanges`, but for ids that the repository lacks.
 */
export async function changedFiles(
  before: Tree,
  links: Links,
  requested: readonly FileChange[],
): Promise<{ readonly oids: ReadonlyMap<string, Oid>; readonly contents: ReadonlyMap<Oid, Buffer> }> {
  const changes = await checkedChanges(requested, before, links)
  const linked = new LinkedPlaces(links)
  const edits = new Map<string, TreeFile | null>()
  const oids = new Map<string, Oid>()
  for (const [path, { oid }] of before) oids.set(path, oid)
  const contents = new Map<Oid, Buffer>()
  for (const { change, place } of changes) {
    checkExpected(change, before)
    if (isTurnOver()) await nextTurn()
    if (isDeletion(change)) {
      edits.set(place, null)
      oids.delete(place)
      for (const path of linked.of(place)) {
        if (isTurnOver()) await nextTurn()
        oids.delete(path)
      }
      continue
    }
    const oid = 'oid' in change ? change.oid : blobOid(change.content ?? Buffer.alloc(0))
    edits.set(place, { oid, mode: '100644' })
    oids.set(place, oid)
    for (const path of linked.of(place)) {
      if (isTurnOver()) await nextTurn()
      // Many links to a folder show each new file in it: more than a project may have are not even looked through.
      if (oids.size >= limits.files && !oids.has(path)) break
      oids.set(path, oid)
    }
    if ('content' in change && change.content !== null) contents.set(oid, Buffer.from(change.content))
  }
  await checkResult(before, edits)
  return { oids, contents }
}

/** A change, and where it is made: what symbolic links lead to is written there. */
interface PlacedChange {
  readonly change: FileChange
  readonly place: string
}

/** The changes with their paths in the form in which the tree has them. A bad path may be deleted, but not written. */
async function checkedChanges(changes: readonly FileChange[], before: Tree, links: Links): Promise<PlacedChange[]> {
  const named = changes.map((change) =>
    before.has(change.path) ? change : { ...change, path: change.path.normalize('NFC') },
  )
  await checkEach(named.filter((change) => !isDeletion(change)).map((change) => change.path))
  const seen = new Set<string>()
  const placed: PlacedChange[] = []
  for (const change of named) {
    if (isTurnOver()) await nextTurn()
    const { path } = change
    const place = isDeletion(change) ? placeOfDeletion(path, links) : throughLinks(path, links)
    if (seen.has(place))
      throw new Failure('invalid_path', `${JSON.stringify(path)}: is given twice.`, {
        hint: place === path ? 'Name each file once.' : `Name each file once: by a symbolic link this one is ${place}.`,
        errors: [{ path, message: 'is given twice' }],
      })
    seen.add(place)
    placed.push({ change, place })
  }
  return placed
}

/** A link itself can be deleted. What a link to a folder shows is elsewhere, and would be gone there. */
function placeOfDeletion(path: string, links: Links): string {
  const slash = path.lastIndexOf('/')
  const place = slash === -1 ? path : throughLinks(path.slice(0, slash), links) + path.slice(slash)
  if (place === path) return path
  throw new Failure('invalid_path', `${JSON.stringify(path)} is ${place}, by a symbolic link: it is deleted there.`, {
    hint: `Delete ${place}, or take the symbolic link out with Git.`,
    errors: [{ path, message: `is ${place}, by a symbolic link` }],
  })
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
async function checkResult(before: Tree, edits: ReadonlyMap<string, TreeFile | null>): Promise<void> {
  const added = [...edits].filter(([path, file]) => file !== null && !before.has(path))
  if (added.length === 0) return
  const paths = new Set(before.keys())
  for (const [path, file] of edits) if (file === null) paths.delete(path)
  for (const [path] of added) paths.add(path)
  await checkCollisions([...paths], (path) => !before.has(path))
}

/** See `Repository.commitTree`. */
export async function commitTree(
  { objects }: ObjectStore,
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
