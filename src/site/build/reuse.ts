import type { PageRecord, Release } from '../../contract/release.ts'
import type { BuildRequest } from '../builder.ts'

type Earlier = Pick<BuildRequest, 'earlier' | 'earlierAssets'>

/**
 * What a build of `files` may take over from several releases of the project: of each page the record that was made of
 * the same source, the first release that has one first.
 */
export function reusable(files: ReadonlyMap<string, string>, releases: readonly (Release | null)[]): Earlier {
  const [first, ...others] = releases.filter((release) => release !== null)
  if (first === undefined) return { earlier: null, earlierAssets: null }
  if (others.length === 0) return { earlier: first.pages, earlierAssets: first.assets ?? null }
  const pages: Record<string, PageRecord> = Object.create(null) as Record<string, PageRecord>
  const assets: Record<string, NonNullable<Release['assets']>[string]> = Object.create(null) as typeof assets
  for (const [path, oid] of files) {
    const page = find(releases, (release) => release.pages[path], oid)
    if (page !== undefined) pages[path] = page
    const asset = find(releases, (release) => release.assets?.[path], oid)
    if (asset !== undefined) assets[path] = asset
  }
  return { earlier: pages, earlierAssets: assets }
}

function find<T extends { readonly oid: string }>(
  releases: readonly (Release | null)[],
  record: (release: Release) => T | undefined,
  oid: string,
): T | undefined {
  for (const release of releases) {
    const found = release === null ? undefined : record(release)
    if (found?.oid === oid) return found
  }
  return undefined
}
