import type { Oid, Repository } from '../content/repository.ts'
import { Failure } from '../contract/failure.ts'
import type { Release } from '../contract/release.ts'
import type { BuildRequest } from '../site/builder.ts'

interface ChangeSource {
  readonly repository: Pick<Repository, 'lastChanges'>
  /** Whose history tells of all else; null when there is none. */
  readonly commit: Oid | null
  /** When all that differs from the live release was committed, RFC 3339; absent when there were several commits. */
  readonly at: string | undefined
}

/**
 * When pages were last changed: those that the live release has not so, at one time where one commit made them; others
 * as the history says.
 */
export function timesOf(
  live: Pick<Release, 'pages'> | null,
  oids: ReadonlyMap<string, Oid>,
  { repository, commit, at }: ChangeSource,
): NonNullable<BuildRequest['lastChanges']> {
  return async (paths) => {
    // Whoever pushes writes the date: one from the future would stay the newest for ever.
    const time = at === undefined ? undefined : Math.floor(Math.min(Date.parse(at), Date.now()) / 1000)
    const times = new Map<string, number>()
    const older: string[] = []
    for (const path of paths) {
      if (time !== undefined && live?.pages[path]?.oid !== oids.get(path)) times.set(path, time)
      else older.push(path)
    }
    if (older.length === 0 || commit === null) return times
    return new Map([...times, ...(await historyOf(repository, commit, older))])
  }
}

/** A site without dates is better than none: where git has no room or takes too long, they are left out. */
async function historyOf(
  repository: ChangeSource['repository'],
  commit: Oid,
  paths: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  try {
    return await repository.lastChanges(commit, paths)
  } catch (error) {
    if (error instanceof Failure) return new Map()
    throw error
  }
}
