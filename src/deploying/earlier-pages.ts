import type { Oid } from '../content/repository.ts'
import type { ProjectReleases } from '../hosting/hosting.ts'
import { inSlices } from '../lib/slices.ts'
import { reusable, type BuiltBefore, type Earlier } from '../site/build/records.ts'

/** To render so few pages takes less time than to read main’s release and look for them there. */
const fewPages = 20

/** Where pages of the same files may have been built. */
export interface Places {
  /** What was built for the same purpose, such as a check of it. */
  readonly built?: BuiltBefore | undefined
  /** The release that the files are to follow. */
  readonly own: string | undefined
  /** The live one. */
  readonly main: string | undefined
}

/** What a build of files takes over from earlier ones: main’s release is read only when the others lack much. */
export async function earlierPages(
  files: ReadonlyMap<string, Oid>,
  releases: Pick<ProjectReleases, 'read'>,
  places: Places,
  signal: AbortSignal,
): Promise<Earlier> {
  const { built, own, main } = places
  const found = [built ?? null, own === undefined ? null : await releases.read(own)]
  const isOther = main !== undefined && main !== own
  // Of tags, main has pages that are not among the files.
  const hasNone = found.every((release) => release === null)
  if (isOther && (hasNone || lacks(found, files) > fewPages)) found.push(await releases.read(main))
  return inSlices(reusable(files, found), signal)
}

/** How many of the files no page and no asset of the releases was made of. */
function lacks(releases: readonly (BuiltBefore | null)[], files: ReadonlyMap<string, Oid>): number {
  let count = 0
  for (const [path, oid] of files)
    if (!releases.some((release) => release?.pages[path]?.oid === oid || release?.assets?.[path]?.oid === oid))
      count += 1
  return count
}
