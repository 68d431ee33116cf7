import { useQuery } from '@tanstack/react-query'
import { FileDiff as FileDiffIcon, PencilLine, X } from 'lucide-react'
import type { Branch } from '#contract/branches.ts'
import type { FileDiff } from '#contract/comparisons.ts'
import { paths } from '../../paths.ts'
import { branchDiffQuery, branchFileAtQuery } from '../../queries/branches.ts'
import { may } from '../../queries/projects.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { IconLink, LinkButton } from '../../ui/button.tsx'
import { Diff } from '../../ui/diff.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useSearchParam } from '../../ui/search-params.ts'
import { BranchComments, FileComments } from '../comments/branch-comments.tsx'
import { useDiscussion } from '../comments/use-discussion.tsx'
import { BranchFrame } from './branch-frame.tsx'

/** What a branch, or with `?commit=` one commit of it, changed. */
export function Component() {
  return (
    <BranchFrame part="Changes" width="wide">
      {(branch) => <Changes key={branch.id} branch={branch} />}
    </BranchFrame>
  )
}

function Changes({ branch }: { readonly branch: Branch }) {
  const project = useProject()
  const { slug } = project
  const [commit] = useSearchParam('commit')
  const query = useQuery(branchDiffQuery(slug, branch.id, { commit }))
  const discussion = useDiscussion(branch.id)
  // The lines of one commit have other numbers than those of all.
  const isDiscussed = commit === undefined
  const actions = (file: FileDiff) => (
    <>
      {isDiscussed ? <FileComments discussion={discussion} file={file} /> : null}
      {file.status === 'deleted' || !may(project, 'write') ? null : (
        <IconLink
          size="small"
          icon={PencilLine}
          label={`Edit ${file.path}`}
          to={paths.editor(slug, branch.id, file.path)}
        />
      )}
    </>
  )
  return (
    <>
      {commit === undefined ? null : (
        <Notice
          tone="note"
          action={
            <LinkButton size="small" icon={X} to={paths.changes(slug, branch.id)}>
              Show all changes
            </LinkButton>
          }
        >
          Only what the commit <code>{commit.slice(0, 8)}</code> changed.
        </Notice>
      )}
      {isDiscussed ? <BranchComments discussion={discussion} files={query.data?.files} /> : null}
      <Loaded query={query}>
        {(comparison) =>
          comparison.files.length === 0 ? (
            <NoChanges branch={branch} commit={commit} />
          ) : (
            <Diff
              key={commit}
              comparison={comparison}
              fileQuery={(path) => branchDiffQuery(slug, branch.id, { commit, path })}
              contentQuery={(path, at) => branchFileAtQuery(slug, branch.id, path, at)}
              notes={isDiscussed ? discussion.notes : undefined}
              actions={actions}
            />
          )
        }
      </Loaded>
    </>
  )
}

function NoChanges({ branch, commit }: { readonly branch: Branch; readonly commit: string | undefined }) {
  const project = useProject()
  if (commit !== undefined) return <p className="soft">This commit changed no file.</p>
  return (
    <Empty
      icon={FileDiffIcon}
      title={`${branch.name} is the same as main`}
      action={
        may(project, 'write') ? (
          <LinkButton look="primary" icon={PencilLine} to={paths.editor(project.slug, branch.id)}>
            Edit
          </LinkButton>
        ) : null
      }
    >
      What you save on the branch appears here, line by line, before readers see any of it.
    </Empty>
  )
}
