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
  const { tree, release } = earlier
  if (earlier.status !== 'live' || tree === undefined) {
    throw new Failure('release_gone', `The deploy ${earlier.number} never went live: there is nothing to go back to.`)
  }
  if ((await site.releases.read(release)) === null) {
    throw new Failure('release_gone', `The release of deploy ${earlier.number} is no longer kept.`, {
      hint: `Its files are still in Git: check out refs/deploys/${earlier.number} and deploy them.`,
    })
  }
  return {
    commit: await commitAgain(site, earlier.number, tree),
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

async function commitAgain(site: Site, number: number, tree: Oid): Promise<Oid> {
  const { repository, main, order, watch } = site
  if (main !== null && (await repository.readCommit(main)).tree === tree) return main
  // The very tree: pushed ones also keep what a deploy could not send, such as dotfiles.
  return watch.time('commit', () =>
    repository.commitTree({
      tree,
      parents: main === null ? [] : [main],
      author: order.author,
      message: order.message?.trim() || `Roll back to deploy ${number}`,
    }),
  )
}
