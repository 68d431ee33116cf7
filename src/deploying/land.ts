import type { Oid } from '../content/repository.ts'
import { buildSite, fingerprint, publishSite, serveAgain, type BuildOptions } from './site-build.ts'
import type { CommitSource, FoundCommit, Prepared, Site, Work } from './work.ts'

/** A deploy of a commit that the repository has, or that a merge makes: a publish, or a push to main. */
export function landCommit(source: CommitSource, options: BuildOptions): Work {
  return {
    kind: source.kind,
    ...(source.branch === undefined ? {} : { branch: source.branch }),
    again: true,
    prepare: (site, attempt) => prepare(site, source, attempt, options),
  }
}

async function prepare(site: Site, source: CommitSource, attempt: number, options: BuildOptions): Promise<Prepared> {
  const found = await site.watch.time('commit', () => source.find(site.main, attempt))
  const abort = new AbortController()
  try {
    const prepared = await build(site, found, attempt, { ...options, signal: abort.signal })
    const { refs, mergeCommit } = found
    const settle = (landed: boolean): void => found.settle(landed)
    return { ...prepared, refs, settle, ...(mergeCommit === undefined ? {} : { mergeCommit }) }
  } catch (error) {
    abort.abort()
    found.settle(false)
    throw error
  }
}

async function build(
  site: Site,
  found: FoundCommit,
  attempt: number,
  options: BuildOptions & { readonly signal: AbortSignal },
): Promise<Prepared> {
  const { repository, releases, state } = site
  const { commit } = found
  const { tree } = await repository.readCommit(commit)
  const builder = fingerprint(options)
  const live = state.live === null ? null : await releases.read(state.live.release)
  if (live !== null && state.live?.tree === tree && state.live.builder === builder) {
    return serveAgain(site, state.live.id, { builder, records: options.records }, commit)
  }
  const earlier = [live, ...(await Promise.all((found.reuse ?? []).map((id) => releases.read(id))))]
  const files = new Map<string, Oid>()
  for (const [path, { oid }] of await repository.readTree(commit)) files.set(path, oid)
  const building = buildSite(site, { oids: files }, earlier, options)
  building.catch(() => undefined)
  // Each attempt makes a release of its own: releases never change.
  const release = attempt === 1 ? site.id : `${site.id}-${attempt}`
  const published = publishSite(site, building, { id: release, commit, tree })
  return { commit, tree, release, builder, built: building, published }
}
