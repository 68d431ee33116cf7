import { changedFiles } from '../content/changes/new-commits.ts'
import type { FileChange } from '../content/repository.ts'
import type { BranchRender } from '../contract/branches.ts'
import { Failure } from '../contract/failure.ts'
import type { ResolvedBranch } from './branch-refs.ts'
import type { BranchingPorts } from './ports.ts'

type RenderPorts = Pick<BranchingPorts, 'pages' | 'renders' | 'ownerOf'>

/** Seconds after which another try is worth it where too many wait. */
const fullSeconds = 2

/** A page of a branch with what is not saved of it and of other files. */
export interface UnsavedPage {
  readonly path: string
  readonly content: Buffer
  readonly changes: readonly FileChange[]
}

/**
 * What the preview of a branch would show of a page, at the cost of that page. Keeps nothing. Failures: `invalid_request`
 * for a path that is no page, `invalid_path`, `stale_file`, `rate_limited`; the signal’s reason when nobody waits for it
 * any more.
 */
export async function renderUnsaved(
  { pages, renders, ownerOf }: RenderPorts,
  { repository, record: { projectId }, head }: ResolvedBranch,
  { path, content, changes }: UnsavedPage,
  signal: AbortSignal,
): Promise<BranchRender> {
  requirePage(path)
  const owner = ownerOf(projectId)
  if (renders.isFull(owner))
    throw new Failure('rate_limited', 'Too many pages of this account wait to be rendered.', {
      hint: 'Take back the requests whose text is not the newest, and ask again.',
      retryAfter: fullSeconds,
    })
  return renders.run(
    owner,
    async () => {
      const { oids, contents } = await changedFiles(await repository.readTree(head), await repository.readLinks(head), [
        ...changes,
        { path, content },
      ])
      const source = {
        files: oids,
        read: async (oid: string) => contents.get(oid) ?? repository.readBlob(oid),
      }
      const named = oids.has(path) ? path : path.normalize('NFC')
      const outcome = await pages.render({ project: projectId, path: named, source, signal })
      if (!outcome.ok) return { errors: [...outcome.errors], warnings: [] }
      const { ok: _, headings, warnings, ...page } = outcome
      return { ...page, headings: [...headings], errors: [], warnings: [...warnings] }
    },
    signal,
  )
}

function requirePage(path: string): void {
  if (/\.mdx?$/i.test(path)) return
  const message = `is no page: only .md and .mdx are rendered`
  throw new Failure('invalid_request', `${path} ${message}.`, {
    hint: 'Check other files with `…/check`; their effect shows in the preview after a save.',
    errors: [{ pointer: '/path', path, message }],
  })
}
