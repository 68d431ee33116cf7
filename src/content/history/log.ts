import type { LogEntry, Oid } from '../repository.ts'
import type { GitObjectStore } from '../objects/object-store.ts'

interface Found {
  readonly oid: Oid
  readonly path?: string
}

/** See `Repository.log`. */
export async function log(
  store: GitObjectStore,
  request: {
    readonly from: Oid
    readonly path?: string | undefined
    readonly limit: number
    readonly after?: Oid | undefined
  },
): Promise<readonly LogEntry[]> {
  const { from, path, limit, after } = request
  // Saves of one second have one date: without an order git might show a commit above one that was built on it.
  const args = ['--literal-pathspecs', 'log', '-z', '--date-order', '--format=format:%H']
  // A later page is cut out of the whole list: a walk that begins at `after` would miss what lies beside it.
  if (after === undefined) args.push(`--max-count=${limit}`)
  if (path !== undefined) args.push('--follow', '--name-status', '--diff-merges=off')
  args.push('--end-of-options', from, '--', ...(path === undefined ? [] : [path]))
  const output = (await store.git.check(args, { directory: store.directory })).toString()
  const found = path === undefined ? oidsOf(output) : touching(output, path)
  const start = after === undefined ? 0 : found.findIndex(({ oid }) => oid === after) + 1
  if (after !== undefined && start === 0) return []
  return Promise.all(
    found.slice(start, start + limit).map(async (entry) => ({ ...(await store.commits.read(entry.oid)), ...entry })),
  )
}

function oidsOf(output: string): Found[] {
  const oids = output.split('\0').filter((oid) => oid !== '')
  return oids.map((oid) => ({ oid }))
}

/**
 * `<oid>` LF `<status>` NUL, one path (two for a rename) each with NUL, and another NUL between commits. A merge shows
 * no change: its line is the id alone, and the path stays what it was.
 */
function touching(output: string, path: string): Found[] {
  const found: Found[] = []
  let current = path
  const fields = output.split('\0')
  for (let at = 0; at < fields.length; at++) {
    const match = /^([0-9a-f]{40})(?:\n([A-Z])\d*)?$/.exec(fields[at] ?? '')
    if (!match) continue
    const [, oid = '', status] = match
    const paths = status === undefined ? 0 : status === 'R' || status === 'C' ? 2 : 1
    found.push({ oid, path: fields[at + paths] ?? current })
    if (paths > 0) current = fields[at + 1] ?? current
    at += paths
  }
  return found
}
