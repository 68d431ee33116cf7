import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { Failure } from '../../src/contract/failure.ts'
import { keepPrivate } from '../state-file.ts'
import type { Output } from '../output.ts'

const dayMs = 24 * 60 * 60 * 1000

interface Seen {
  /** Origin of the service that answered. */
  readonly service: string
  /** Absent: it is older than answers that say it. */
  readonly version?: string
}

let seen: Seen | undefined

/** Called with what an answer of a service says of its version. */
export function noteVersion(url: string, version: string | null): void {
  seen = { service: new URL(url).origin, ...(version === null ? {} : { version }) }
}

/** Whether a version comes after another one; what is no version does not. */
export function isNewer(version: string, than: string): boolean {
  const [one, other] = [partsOf(version), partsOf(than)]
  if (one === undefined || other === undefined) return false
  const at = one.findIndex((part, index) => part !== other[index])
  return at !== -1 && (one[at] ?? 0) > (other[at] ?? 0)
}

function partsOf(version: string): number[] | undefined {
  const [, ...parts] = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/.exec(version) ?? []
  return parts.length === 3 ? parts.map(Number) : undefined
}

/**
 * Tells a person at a terminal, once a day, that the service that answered hands out a newer command line. No request is
 * made for it.
 */
export async function tellNewerVersion(output: Output): Promise<void> {
  const { interactive, updateNotice, stateDirectory } = output.environment
  if (seen?.version === undefined || !interactive || !updateNotice || output.json) return
  if (!isNewer(seen.version, manifest.version)) return
  const file = join(stateDirectory, 'newer-version.json')
  if (await wasTold(file)) return
  // Where nothing can be kept it is told again, which is better than never.
  keepPrivate(file, JSON.stringify({ at: new Date().toISOString(), version: seen.version }))
  output.note(
    `${output.paint('cyan', 'note')}   ${seen.service} has Quire ${seen.version}, and this is ${manifest.version}: npm install --global ${seen.service}/cli`,
  )
}

/**
 * Says of a request that the service does not understand that the two are of different versions, where they are: all that
 * is sent has the form of this one.
 */
export function withVersions(error: unknown): unknown {
  if (!(error instanceof Failure) || seen === undefined || seen.version === manifest.version) return error
  const { code, message, errors, extra } = error
  const isUnknown =
    (code === 'invalid_request' &&
      [message, ...errors.map((each) => each.message)].some((each) => / ?is not known/.test(each))) ||
    (code === 'not_found' && message.startsWith('There is nothing at /api/'))
  if (!isUnknown) return error
  const theirs = seen.version === undefined ? 'an older Quire' : `Quire ${seen.version}`
  const hint = `${seen.service} is ${theirs}, and this is ${manifest.version}. Its own command line: npm install --global ${seen.service}/cli`
  return new Failure(code, message, { hint, errors, extra, cause: error })
}

async function wasTold(file: string): Promise<boolean> {
  try {
    const { at } = JSON.parse(await readFile(file, 'utf8')) as { readonly at?: unknown }
    const age = Date.now() - Date.parse(String(at))
    return age >= 0 && age < dayMs
  } catch {
    return false
  }
}
