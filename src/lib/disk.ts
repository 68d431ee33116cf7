/** What every room that keeps files asks of the disk. */
import { open, readdir, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../contract/failure.ts'
import { eachInTurns } from './slices.ts'

const refusals: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EROFS: 'the disk takes no writes',
  unsaid: 'the disk takes no more',
}
/** Programs tell it in words. */
const refusalWords: readonly (readonly [RegExp, keyof typeof refusals])[] = [
  [/No space left on device/i, 'ENOSPC'],
  [/Disk quota exceeded/i, 'EDQUOT'],
  [/Read-only file system/i, 'EROFS'],
  // Git opened the lock of a ref, and could write nothing into it: the disk is full, or its quota used up.
  [/couldn't (?:write|close) '.*\.lock'/, 'unsaid'],
]

/** Why a disk did not take what was written, where an error or one of its causes says that it did not; else null. */
export function diskRefusal(error: unknown): string | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    const code = 'code' in at && typeof at.code === 'string' ? at.code : ''
    const { message } = at
    const known = refusals[code] ?? refusals[refusalWords.find(([words]) => words.test(message))?.[1] ?? '']
    if (known !== undefined) return known
  }
  return null
}

/** The refusal of a change that the disk does not take. @param reason as `diskRefusal` gives it. */
export function takesNoChanges(reason: string, cause?: unknown): Failure {
  return new Failure('unavailable', `The service cannot store anything: ${reason}.`, {
    hint: 'Nothing was changed. Sites are served as before; try again when the operator of the service has mended this.',
    retryAfter: 60,
    ...(cause === undefined ? {} : { cause }),
  })
}

/** The refusal of a change by a service that comes to its end, or that another one takes the place of. */
export function takesNoMoreChanges(): Failure {
  return new Failure('unavailable', 'The service is about to stop or to start anew. Nothing was changed.', {
    hint: 'Send the request again in a moment.',
    retryAfter: 5,
  })
}

/** True for an error of the system with this code, such as `EEXIST`. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

/** True for the error of a path that does not exist. */
export function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT')
}

/** For `catch` of a promise: null where the path does not exist, every other error as it is. */
export function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null
  throw error
}

/** Makes names added to or removed from a directory survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  await sync(path)
}

/** Makes the bytes of a file survive a power cut, whoever has written them. */
export async function syncFile(path: string): Promise<void> {
  await sync(path)
}

/** Makes a file whose bytes survive a power cut. @throws with the code `EEXIST` when something has the name already. */
export async function writeNewFile(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  const handle = await open(path, 'wx', mode)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Files of a folder that are removed at once. */
const removedAtOnce = 16

/**
 * Removes a folder with all that is in it, however much; nothing happens when there is none. `rm` asks the disk of all
 * files of a folder at once, and holds the event loop with the answers.
 */
export async function removeTree(path: string): Promise<void> {
  const entries = (await readdir(path, { withFileTypes: true }).catch(nullIfMissing)) ?? []
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(path, entry.name))
  const remove = ({ name }: { readonly name: string }): Promise<void> => unlink(join(path, name)).catch(() => undefined)
  await eachInTurns(
    entries.filter((entry) => !entry.isDirectory()),
    remove,
    removedAtOnce,
  )
  // What came meanwhile, too; and it tells what could not be removed.
  await rm(path, { recursive: true, force: true, maxRetries: 3 })
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
