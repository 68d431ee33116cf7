import type { HistoryCommit } from '../contract/branches.ts'
import type { Deploy } from '../contract/deploys.ts'

/** Commits of a branch without those of main: what is reachable from `base`, main’s last commit in it, is left out. */
export function ownCommits(commits: readonly HistoryCommit[], base: string | undefined): readonly HistoryCommit[] {
  const mains = new Set(base === undefined ? [] : [base])
  // Newest first: a commit comes before its parents.
  return commits.filter(({ oid, parents }) => {
    if (!mains.has(oid)) return true
    for (const parent of parents) mains.add(parent)
    return false
  })
}

/** Deploys that became live after the commit where a branch left main; `deploys` newest first. */
export function deploysSince(deploys: readonly Deploy[], base: string | undefined): readonly Deploy[] {
  const worked = deploys.filter(({ status }) => status === 'live' || status === 'superseded')
  const at = worked.findIndex(
    ({ commit, mergeCommit }) => base !== undefined && (commit === base || mergeCommit === base),
  )
  return at < 0 ? [] : worked.slice(0, at)
}
