import { tagNameProblem, tagPrefix } from '../content/refs/ref-names.ts'
import type { Oid, RefUpdate, Repository } from '../content/repository.ts'
import type { Release } from '../contract/release.ts'
import { isTurnOver, nextTurn } from '../lib/slices.ts'
import type { Source } from '../site/builder.ts'

type Tags = Pick<Repository, 'resolveRef' | 'peel' | 'readTree' | 'readLinks'>

/** The files of a site to be, by path. */
export interface SiteFiles {
  readonly oids: ReadonlyMap<string, Oid>
  /** Content that is at hand; the rest is read from the repository. */
  readonly contents?: ReadonlyMap<Oid, Buffer>
  /** Symbolic links that no files come of, by path, with the reason. */
  readonly leftLinks?: ReadonlyMap<string, string>
}

/** Files as a build reads them. @param refs that move with it: a tag among them is there already. */
export function sourceOf(
  repository: Tags & Pick<Repository, 'readBlob'>,
  { oids, contents, leftLinks = new Map() }: SiteFiles,
  refs: readonly RefUpdate[] = [],
): Source {
  return {
    files: oids,
    leftLinks,
    read: async (oid) => contents?.get(oid) ?? repository.readBlob(oid),
    tag: async (name) => {
      const commit = await commitOfTag(repository, name, refs)
      return commit === null ? null : { commit, files: async () => (await filesOf(repository, commit)).oids }
    },
  }
}

/** The files of a commit, with those that its symbolic links lead to. */
export async function filesOf(
  repository: Pick<Repository, 'readTree' | 'readLinks'>,
  commit: Oid,
): Promise<SiteFiles & Required<Pick<SiteFiles, 'leftLinks'>>> {
  const oids = new Map<string, Oid>()
  for (const [path, { oid }] of await repository.readTree(commit)) {
    if (isTurnOver()) await nextTurn()
    oids.set(path, oid)
  }
  return { oids, leftLinks: (await repository.readLinks(commit)).left }
}

/** Whether the tags that a release was made of are where they were. */
export async function hasSameTags(
  repository: Tags,
  { tags = {} }: Pick<Release, 'tags'>,
  refs?: readonly RefUpdate[],
): Promise<boolean> {
  for (const [name, commit] of Object.entries(tags))
    if ((await commitOfTag(repository, name, refs)) !== commit) return false
  return true
}

/** Whether a release was made of what is elsewhere, which may be another today. */
export function hasCopies({ assets }: Pick<Release, 'assets'>): boolean {
  for (const path in assets) if (assets[path]?.copy !== undefined) return true
  return false
}

async function commitOfTag(repository: Tags, name: string, refs: readonly RefUpdate[] = []): Promise<Oid | null> {
  const ref = tagPrefix + name
  const moved = refs.find((update) => update.ref === ref)
  const oid = moved === undefined ? await resolved(repository, ref) : moved.new
  return oid === null ? null : repository.peel(oid)
}

/** Of a name that no ref can have, none. */
async function resolved(repository: Tags, ref: string): Promise<Oid | null> {
  return tagNameProblem(ref.slice(tagPrefix.length)) === null ? repository.resolveRef(ref) : null
}
