import type { Oid } from '../content/repository.ts'
import { Failure } from '../contract/failure.ts'
import type { StoredDeploy } from './state.ts'
import type { Prepared, Site, Work } from './work.ts'

/**
 * Serves the release of an earlier deploy again, without a build. Main gets a new commit with that deploy’s files, so
 * that main stays what is live and nothing leaves the history. Failure `release_gone` when it is not kept any more.
 */
export function rollbackTo(earlier: StoredDeploy): Work {
  return { kind: 'rollback', rollbackOf: earlier.id, prepare: (site) => prepare(site, earlier) }
}

async function prepare(site: Site, earlier: StoredDeploy): Promise<Prepared> {
  const { commit: target, tree, release } = earlier
  if (earlier.status !== 'live' || target === undefined || tree === undefined) {
    throw new Failure('release_gone', `The deploy ${earlier.number} never went live: there is nothing to go back to.`)
  }
  if ((await site.releases.read(release)) === null) {
    throw new Failure('release_gone', `The release of deploy ${earlier.number} is no longer kept.`, {
      hint: `Its files are still in Git: check out refs/deploys/${earlier.number} and deploy them.`,
    })
  }
  return {
    commit: await commitAgain(site, earlier.number, { commit: target, tree }),
    tree,
    release,
    ...(earlier.builder === undefined ? {} : { builder: earlier.builder }),
    built: Promise.resolve({
      errors: [],
      warnings: earlier.warnings,
      pages: { total: earlier.pages.total, built: 0, reused: earlier.pages.total },
    }),
    published: Promise.resolve(),
  }
}

async function commitAgain(
  site: Site,
  number: number,
  target: { readonly commit: Oid; readonly tree: Oid },
): Promise<Oid> {
  const { repository, main, order, watch } = site
  if (main !== null && (await repository.readCommit(main)).tree === target.tree) return main
  const tree = await repository.readTree(target.commit)
  const { commit } = await watch.time('commit', () =>
    repository.replaceTree({
      files: [...tree].map(([path, { oid }]) => ({ path, oid })),
      parent: main,
      author: order.author,
      message: order.message?.trim() || `Roll back to deploy ${number}`,
    }),
  )
  return commit
}
