import type { NewFile, Oid, Tree } from '../content/repository.ts'
import { withCheckedPaths, type ReceivedFiles } from './files.ts'
import { buildSite, fingerprint, publishSite, serveAgain, type BuildOptions } from './site-build.ts'
import type { Prepared, Site, Work } from './work.ts'

/** A deploy of files: they replace everything that the project holds. */
export function replaceFiles(received: ReceivedFiles, options: BuildOptions): Work {
  return { kind: 'deploy', prepare: (site) => prepare(site, received, options) }
}

async function prepare(site: Site, sent: ReceivedFiles, options: BuildOptions): Promise<Prepared> {
  const { repository, releases, state, main } = site
  const [base, tree] = await Promise.all([
    state.live === null ? null : releases.read(state.live.release),
    main === null ? null : repository.readTree(main),
  ])
  const received = withCheckedPaths(sent, tree)
  const builder = fingerprint(options)
  const unchanged = main !== null && tree !== null && sameFiles(tree, received.oids)
  if (unchanged && base !== null && state.live?.commit === main && state.live.builder === builder) {
    return serveAgain(site, state.live.id, { builder, records: options.records })
  }
  const abort = new AbortController()
  // Building needs the files’ ids and contents, not the commit: it need not wait until that is durable.
  const building = buildSite(site, received, [base], { ...options, signal: abort.signal })
  // Awaited below or by the pipeline; a refused commit comes first, and then nobody does.
  building.catch(() => undefined)
  try {
    const { commit, tree: root } = unchanged
      ? { commit: main, tree: (await repository.readCommit(main)).tree }
      : await commitFiles(site, received.files)
    const published = publishSite(site, building, { id: site.id, commit, tree: root })
    return { commit, tree: root, release: site.id, builder, built: building, published }
  } catch (error) {
    abort.abort()
    throw error
  }
}

function commitFiles(site: Site, files: readonly NewFile[]): Promise<{ commit: Oid; tree: Oid }> {
  const { order, repository, main, watch } = site
  const message = order.message?.trim() || 'Deploy documentation'
  return watch.time('commit', () => repository.replaceTree({ files, parent: main, author: order.author, message }))
}

function sameFiles(tree: Tree, oids: ReadonlyMap<string, Oid>): boolean {
  if (tree.size !== oids.size) return false
  for (const [path, oid] of oids) if (tree.get(path)?.oid !== oid) return false
  return true
}
