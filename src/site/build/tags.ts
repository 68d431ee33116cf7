import type { ErrorDetail } from '../../contract/common.ts'
import { limits } from '../../contract/limits.ts'
import { pointerTo } from '../../lib/json-reader.ts'
import { inSlices, type Steps } from '../../lib/slices.ts'
import type { Source, SourceTag } from '../builder.ts'
import { type ConfigBudget, newConfigBudget, readConfig, type SiteConfig } from '../config/config.ts'
import type { Problems } from '../config/problems.ts'
import type { TagVersion } from '../config/tags.ts'

/** The files of a tag, which stand in the site below the folder of their version as if they were a site of their own. */
export interface Mount extends TagVersion {
  readonly commit: string
  /** As in the tag: Git blob ids by path, and its docs.json, of which navigation, redirects and descriptions of APIs are used. */
  readonly own: { readonly files: ReadonlyMap<string, string>; readonly config: SiteConfig }
  /** The same with the pages that its navigation asks for. */
  readonly files: ReadonlyMap<string, string>
  readonly config: SiteConfig
  /** Values and characters of its docs.json. */
  readonly weight: { readonly values: number; readonly text: number }
}

export interface Mounted {
  readonly mounts: readonly Mount[]
  /** With the files of the tags, at the paths that they have in the site. */
  readonly source: Source
  readonly errors: readonly ErrorDetail[]
  readonly warnings: readonly ErrorDetail[]
}

interface MountOptions {
  readonly source: Source
  readonly config: SiteConfig
  /** Of the last build. */
  readonly before: readonly Mount[]
  /** Paths of pages that nobody wrote. */
  readonly made: readonly string[]
  /** Adds the pages that the navigation of a tag asks for. */
  readonly describe: (mount: Mount) => Promise<Mount>
}

/**
 * Finds the tags that docs.json names. Those whose commit is the one of the last build are the same objects as there:
 * neither are their files listed again, nor is their docs.json read.
 */
export async function mountTags(
  { source, config, before, made, describe }: MountOptions,
  signal?: AbortSignal,
): Promise<Mounted> {
  if (config.tags.length === 0) return { mounts: [], source, errors: [], warnings: [] }
  const problems = config.problems()
  const mounts: Mount[] = []
  let left = limits.files - source.files.size
  // All of them together may have as much as one docs.json: each build holds them.
  const budget = newConfigBudget()
  for (const version of config.tags) {
    const tag = await source.tag?.(version.tag)
    if (tag === null || tag === undefined) {
      tellMissing(version, tag, problems)
      continue
    }
    const same = before.find((mount) => isSame(mount, version, tag))
    const files = same?.own.files ?? (await tag.files())
    left -= files.size
    if (left < 0) {
      problems.error(
        'settings-limit',
        version.pointer,
        `With the tag ${version.tag} the site has more than ${limits.files} files. Remove an older version.`,
      )
      continue
    }
    const mount = same ?? (await mountOf({ ...version, commit: tag.commit, files }, source, { budget, signal }))
    if (same !== undefined) {
      budget.values.used += same.weight.values
      budget.text += same.weight.text
    }
    const wrong = errorOf(mount.own.config)
    if (wrong !== undefined)
      problems.error(
        'settings-syntax',
        pointerTo(version.pointer, 'gitTag'),
        `The docs.json of the tag ${version.tag} has an error${wrong.line === undefined ? '' : ` in line ${wrong.line}`}: ${wrong.message} Correct it in another tag, and name that one.`,
      )
    else mounts.push(await describe(mount))
  }
  const files = await inSlices(withMounts({ own: source.files, made, mounts }, problems), signal)
  return { mounts, source: { ...source, files }, errors: problems.errors, warnings: problems.warnings }
}

async function mountOf(
  tag: Omit<Mount, 'own' | 'config' | 'weight'>,
  source: Source,
  { budget, signal }: { budget: ConfigBudget; signal: AbortSignal | undefined },
): Promise<Mount> {
  const before = { values: budget.values.used, text: budget.text }
  const config = await readConfig({ ...source, files: tag.files }, signal, budget)
  const weight = { values: budget.values.used - before.values, text: budget.text - before.text }
  return { ...tag, own: { files: tag.files, config }, config, weight }
}

/** What is wrong with the part of a tag's docs.json that is used: nobody can mend the rest, and nobody sees it. */
function errorOf({ settings, errors }: SiteConfig): ErrorDetail | undefined {
  if (settings === undefined) return errors[0]
  return errors.find(({ pointer = '' }) => /^\/(?:navigation|redirects)(?:\/|$)/.test(pointer))
}

function tellMissing({ tag, pointer }: TagVersion, found: null | undefined, problems: Problems): void {
  const place = pointerTo(pointer, 'gitTag')
  if (found === null)
    problems.error(
      'tag-missing',
      place,
      `There is no tag ${tag}. Push it to this project (git push <address> ${tag}), then deploy again.`,
    )
  else problems.warning('tag-unknown', place, `The tag ${tag} cannot be looked at here; its version is left out.`)
}

function isSame(mount: Mount, version: TagVersion, { commit }: SourceTag): boolean {
  return (
    mount.commit === commit &&
    mount.tag === version.tag &&
    mount.folder === version.folder &&
    mount.pointer === version.pointer
  )
}

function* withMounts(
  {
    own,
    made,
    mounts,
  }: { readonly own: ReadonlyMap<string, string>; readonly made: readonly string[]; readonly mounts: readonly Mount[] },
  problems: Problems,
): Steps<ReadonlyMap<string, string>> {
  const files = new Map<string, string>()
  const free = new Map(mounts.map((mount) => [mount.folder.toLowerCase(), mount]))
  const check = (path: string): void => {
    const slash = path.indexOf('/')
    const taken = slash === -1 ? undefined : free.get(path.slice(0, slash).toLowerCase())
    if (taken === undefined) return
    free.delete(taken.folder.toLowerCase())
    problems.error(
      'page-clash',
      taken.pointer,
      `The pages of the tag ${taken.tag} are at /${taken.folder}, where the project has a folder. Rename the version or the folder, or remove the folder.`,
    )
  }
  for (const [path, oid] of own) {
    yield
    files.set(path, oid)
    check(path)
  }
  for (const path of made) {
    yield
    check(path)
  }
  for (const mount of mounts) {
    for (const [path, oid] of mount.files) {
      yield
      files.set(pathIn(mount, path), oid)
    }
  }
  return files
}

/** The path that a file of a tag has in the site. */
export function pathIn({ folder }: Pick<Mount, 'folder'>, path: string): string {
  return `${folder}/${path}`
}

/** The path that a file of the site has in its tag. */
export function pathInTag({ folder }: Pick<Mount, 'folder'>, path: string): string {
  return path.slice(folder.length + 1)
}
