import { blobOid } from '../../contract/blob-oid.ts'
import { Failure } from '../../contract/failure.ts'
import { checkAuthor, checkMessage } from '../objects/commits.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { ObjectDatabase } from '../objects/objects.ts'
import { Staging } from '../objects/staging.ts'
import { buildTree } from '../objects/tree-builder.ts'
import { checkPaths } from '../paths.ts'
import type { Author, Commit, NewFile, Oid } from '../repository.ts'

export interface Replacement {
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

/** See `Repository.replaceTree`. */
export async function replaceTree(store: ObjectStore, request: Replacement): Promise<{ commit: Oid; tree: Oid }> {
  checkAuthor(request.author)
  checkMessage(request.message)
  const paths = checkPaths(request.files.map((file) => file.path))
  const base = request.parent?.tree ?? null
  const kept = new Set<Oid>()
  if (base !== null) for (const file of (await store.trees.files(base)).values()) kept.add(file.oid)

  const staging = new Staging()
  const contents = new Map<Oid, Uint8Array>()
  const files = new Map<string, Oid>()
  for (const [index, file] of request.files.entries()) {
    const oid = 'oid' in file ? file.oid : blobOid(file.content)
    if ('content' in file) contents.set(oid, file.content)
    files.set(paths[index] ?? file.path, oid)
  }
  for (const [oid, content] of contents) if (!kept.has(oid)) staging.addBlob(oid, content)
  await checkNamed(store, request, files, (oid) => kept.has(oid) || contents.has(oid), staging)

  const tree = await buildTree(files, base, store.trees, staging)
  const commit = await staging.addCommit({
    tree,
    parents: request.parent ? [request.parent.oid] : [],
    author: request.author,
    message: request.message,
    at: new Date(),
  })
  await store.objects.write(
    staging,
    request.trustUnreachable ? await lacking(store.objects, staging.oids) : staging.oids,
  )
  return { commit, tree }
}

/** Files given by id alone: the blob has to be there. */
async function checkNamed(
  store: ObjectStore,
  request: Replacement,
  files: ReadonlyMap<string, Oid>,
  known: (oid: Oid) => boolean,
  staging: Staging,
): Promise<void> {
  const named = [...new Set(files.values())].filter((oid) => !known(oid))
  const absent = new Set<Oid>()
  await Promise.all(
    named.map(async (oid) => {
      if (request.trustUnreachable) {
        if ((await store.objects.type(oid)) !== 'blob') absent.add(oid)
        return
      }
      const object = await store.objects.read(oid)
      if (object?.type === 'blob') staging.addBlob(oid, object.body)
      else absent.add(oid)
    }),
  )
  if (absent.size === 0) return
  const errors = [...files]
    .filter(([, oid]) => absent.has(oid))
    .map(([path, oid]) => ({ path, message: `the service has no blob ${oid}` }))
  throw new Failure(
    'missing_objects',
    `The content of ${errors.length} file(s) was named by id, but the service does not have it.`,
    {
      hint: 'Send these files with their content.',
      errors,
      extra: { oids: [...absent] },
    },
  )
}

async function lacking(objects: ObjectDatabase, oids: readonly Oid[]): Promise<Oid[]> {
  const types = await Promise.all(oids.map((oid) => objects.type(oid)))
  return oids.filter((_, index) => types[index] === null)
}
