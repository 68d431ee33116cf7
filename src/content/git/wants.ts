import { setImmediate as nextTurn } from 'node:timers/promises'
import { Failure } from '../../contract/failure.ts'
import { GitError, quickly, type Git } from './git.ts'
import { pktLinesOf } from './pkt-line.ts'

/** What a clone shows: everything else under `refs/` is the service’s own. */
const shown = ['refs/heads', 'refs/tags', 'refs/deploys']
/** Lines of a request between two turns of the event loop. */
const linesAtOnce = 2_000
/** Milliseconds to look through the history for what is asked. */
const longestSearch = 30_000
const want = /^want ([0-9a-f]{40})/i

/** Repository and objects that a fetch asks for. */
interface Wanted {
  readonly git: Git
  readonly directory: string
  readonly signal: AbortSignal
  /** The whole request, of any version of the protocol. */
  readonly request: Buffer
}

/**
 * Finds an object that a fetch may not have: what no shown ref reaches, such as the commits of a deleted branch. Git
 * itself serves every object that is there to whoever knows its id, in protocol 2.
 *
 * @returns its id; null when all may be served.
 * @throws Failure `invalid_request` for what is no request, `unavailable` when the search takes too long.
 */
export async function unreachableWant(wanted: Wanted): Promise<string | null> {
  const wants = await wantsOf(wanted.request)
  if (wants.size === 0) return null
  const format = '--format=%(objectname)%0a%(*objectname)'
  const { git, directory, signal } = wanted
  const refs = await git.check(['for-each-ref', format, ...shown], { directory, signal, timeout: quickly })
  for (const oid of refs.toString().split('\n')) wants.delete(oid)
  if (wants.size === 0) return null
  const left = await beyondTips(wanted, wants)
  return left.size === 0 ? null : ((await beyondHistory(wanted, left)) ?? null)
}

/** git takes capital digits, too. */
async function wantsOf(request: Buffer): Promise<Set<string>> {
  const wants = new Set<string>()
  let lines = 0
  for (const line of pktLinesOf(request)) {
    const oid = want.exec(line.toString('latin1', 0, 45))?.[1]
    if (oid !== undefined) wants.add(oid.toLowerCase())
    if (++lines % linesAtOnce === 0) await nextTurn()
  }
  return wants
}

/**
 * Of these, what neither the history of the shown refs has nor their own trees: almost nothing is left of an honest
 * request, and the whole history need not be read for that.
 */
async function beyondTips({ git, directory, signal }: Wanted, wants: ReadonlySet<string>): Promise<Set<string>> {
  const args = ['rev-list', '--objects-edge-aggressive', '--no-object-names', '--stdin', '--not', ...globs]
  const left = new Set<string>()
  try {
    for await (const line of git.lines(args, { directory, signal, input: [...wants] }))
      if (wants.has(line)) left.add(line)
    return left
  } catch (error) {
    // An object that is not there at all.
    if (error instanceof GitError) return new Set(wants)
    throw error
  }
}

/** The first of these that nothing in the history has. A partial clone asks for files of older commits one by one. */
async function beyondHistory({ git, directory, signal }: Wanted, left: Set<string>): Promise<string | undefined> {
  const late = AbortSignal.timeout(longestSearch)
  const args = ['rev-list', '--objects', '--no-object-names', ...globs]
  try {
    for await (const oid of git.lines(args, { directory, signal: AbortSignal.any([signal, late]), input: [] }))
      if (left.delete(oid) && left.size === 0) break
  } catch (error) {
    if (error !== late.reason) throw error
    throw new Failure('unavailable', 'It takes too long to find what this fetch asks for in the history.', {
      hint: 'Clone anew, without --filter.',
    })
  }
  return left.values().next().value
}

const globs = shown.map((prefix) => `--glob=${prefix}/*`)
