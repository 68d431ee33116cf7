import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import type { Git } from '../git/git.ts'
import { writeObjects, type ObjectSource } from './object-writer.ts'
import type { ObjectType } from './objects.ts'
import { isOid } from './objects.ts'
import { Quarantine } from '../push/quarantine.ts'
import type { Oid } from '../repository.ts'
import { looseName } from './staging.ts'

const inflateInPool = promisify(inflate)

/**
 * Runs git commands that write loose objects, and brings these into the repository afterwards. Not every command fsyncs
 * what it writes, and none the directories; and gc removes folders of `objects/` under the hands of those who write.
 *
 * @param work gets the git to run.
 * @returns what `work` returned, once the objects are durable.
 */
export async function keepingObjects<T>(git: Git, directory: string, work: (git: Git) => Promise<T>): Promise<T> {
  const quarantine = await Quarantine.open(git, directory)
  try {
    const result = await work(quarantine.git)
    await writeObjects(git, directory, new LooseObjects(quarantine.folder), await looseOids(quarantine.folder))
    return result
  } finally {
    await quarantine.remove()
  }
}

class LooseObjects implements ObjectSource {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
  }

  looseFile(oid: Oid): Promise<Uint8Array> {
    return readFile(join(this.#directory, looseName(oid)))
  }

  async object(oid: Oid): Promise<{ type: ObjectType; body: Uint8Array }> {
    const bytes = await inflateInPool(await this.looseFile(oid))
    const type = bytes.toString('latin1', 0, bytes.indexOf(0x20)) as ObjectType
    return { type, body: bytes.subarray(bytes.indexOf(0) + 1) }
  }
}

async function looseOids(directory: string): Promise<Oid[]> {
  const files = await readdir(directory, { recursive: true })
  return files.map((name) => name.replaceAll(/[/\\]/g, '')).filter(isOid)
}
