import { Failure } from '../../contract/failure.ts'
import { checkAuthor } from '../changes/author.ts'
import { writeObjects } from './object-writer.ts'
import { ObjectNotFound, type Author, type Oid } from '../repository.ts'
import { Staging } from './staging.ts'
import type { Stores } from './stores.ts'

/** See `Repository.commitTree`. */
export async function commitTree(
  stores: Stores,
  request: {
    readonly tree: Oid
    readonly parents: readonly Oid[]
    readonly author: Author
    readonly message: string
  },
): Promise<Oid> {
  checkAuthor(request.author)
  checkMessage(request.message)
  if ((await stores.objects.type(request.tree)) !== 'tree') throw new ObjectNotFound(`tree ${request.tree}`)
  const staging = new Staging()
  const commit = await staging.addCommit({ ...request, at: new Date() })
  await writeObjects(stores.git, stores.directory, staging, staging.oids)
  return commit
}

export function checkMessage(message: string): void {
  if (message.includes('\0'))
    throw new Failure('invalid_request', 'The message contains a NUL character.', { hint: 'Remove it.' })
}
