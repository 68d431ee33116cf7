import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { FileDiff, Trash } from 'lucide-react'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { ownCommits } from '#authoring/branch-history.ts'
import type { Branch, HistoryCommit } from '#contract/branches.ts'
import type { CommitComparison } from '#contract/comparisons.ts'
import { paths, type Spot } from '../../paths.ts'
import { branchDiffQuery, branchHistoryQuery, isUnderWay } from '../../queries/branches.ts'
import { may } from '../../queries/projects.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { IconButton, LinkButton } from '../../ui/button.tsx'
import { Card, Row, Rows } from '../../ui/card.tsx'
import { LineCounts, Mark } from '../../ui/diff-file.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { More } from '../../ui/more.tsx'
import { Problems } from '../../ui/problems.tsx'
import { Time } from '../../ui/time.tsx'
import { count } from '../../ui/words.ts'
import { BranchFrame } from './branch-frame.tsx'
import { DeleteBranch } from './delete-branch.tsx'
import css from './branches.module.css'

/** Files that the overview names. */
const most = 12

/** How a branch stands: what it changed, what its preview says, who did what. */
export function Component() {
  return (
    <BranchFrame part="Branch" actions={(branch) => <Delete branch={branch} />}>
      {(branch) => (
        <div className={css['overview']}>
          <ChangedFiles branch={branch} />
          <div className={css['column']}>
            <Preview branch={branch} />
            <History branch={branch} />
          </div>
        </div>
      )}
    </BranchFrame>
  )
}

function Delete({ branch }: { readonly branch: Branch }) {
  const project = useProject()
  const navigate = useNavigate()
  const [isOpen, setIsOpen] = useState(false)
  if (!may(project, 'write')) return null
  return (
    <>
      <IconButton icon={Trash} label="Delete branch…" onClick={() => setIsOpen(true)} />
      <DeleteBranch
        branch={branch}
        open={isOpen}
        onOpenChange={setIsOpen}
        onDeleted={() => void navigate(paths.branches(project.slug), { replace: true })}
      />
    </>
  )
}

function ChangedFiles({ branch }: { readonly branch: Branch }) {
  const { slug } = useProject()
  const query = useQuery(branchDiffQuery(slug, branch.id))
  const to = paths.changes(slug, branch.id)
  return (
    <Card
      title="Changed files"
      description="Against main, since the branch left it."
      actions={
        <LinkButton size="small" icon={FileDiff} to={to}>
          All changes
        </LinkButton>
      }
    >
      <Loaded query={query}>{(comparison) => <Files comparison={comparison} to={to} />}</Loaded>
    </Card>
  )
}

function Files({ comparison: { files }, to }: { readonly comparison: CommitComparison; readonly to: string }) {
  if (files.length === 0) return <p className="soft">None yet. What you save in the editor appears here.</p>
  return (
    <>
      <ul className={css['files']}>
        {files.slice(0, most).map((file) => (
          <li key={file.path}>
            <Mark status={file.status} />
            <Link to={`${to}?path=${encodeURIComponent(file.path)}`}>{file.path}</Link>
            <LineCounts file={file} />
          </li>
        ))}
      </ul>
      {files.length > most ? (
        <p className="soft">
          and {(files.length - most).toLocaleString()} more in{' '}
          <Link className="link" to={to}>
            all changes
          </Link>
        </p>
      ) : null}
    </>
  )
}

function Preview({ branch }: { readonly branch: Branch }) {
  const project = useProject()
  const { preview, id } = branch
  const { errors, warnings, counts } = preview
  const linkOf = may(project, 'write') ? (spot: Spot) => paths.editorAt(project.slug, id, spot) : undefined
  return (
    <Card
      title="Preview"
      description={
        <>
          {previewWords(branch)}
          {preview.served === undefined ? null : (
            <>
              <br />
              <a className="link" href={branch.previewUrl} target="_blank" rel="noreferrer">
                {new URL(branch.previewUrl).host}
              </a>
            </>
          )}
        </>
      }
    >
      {isUnderWay(preview) || counts.errors + counts.warnings === 0 ? null : (
        <>
          <Problems severity="error" items={errors} total={counts.errors} linkOf={linkOf} />
          <Problems severity="warning" items={warnings} total={counts.warnings} linkOf={linkOf} />
        </>
      )}
    </Card>
  )
}

function previewWords({ preview }: Branch): string {
  const { status, served, counts, pages } = preview
  if (isUnderWay(preview)) return status === 'queued' ? 'It is about to be built.' : 'It is being built.'
  if (status === 'failed') {
    const stays = served === undefined ? '' : ' It shows what was saved before.'
    return `The newest save does not build: ${count(counts.errors, 'error')}.${stays}`
  }
  return `${count(pages.total, 'page')}, as readers would see them.`
}

function History({ branch }: { readonly branch: Branch }) {
  const { slug } = useProject()
  const query = useInfiniteQuery(branchHistoryQuery(slug, branch.id))
  return (
    <Card title="History" description="What was saved on this branch, newest first.">
      <Loaded query={query}>
        {(all) => {
          const own = ownCommits(all, branch.base)
          // Further pages are main’s alone once the place is reached where the branch left it.
          const isAtBase = all.some(({ oid }) => oid === branch.base)
          if (own.length === 0 && (isAtBase || !query.hasNextPage)) return <p className="soft">Nothing yet.</p>
          return (
            <>
              <Rows label="Commits" ordered>
                {own.map((commit) => (
                  <CommitRow key={commit.oid} branch={branch} commit={commit} />
                ))}
              </Rows>
              {isAtBase || !query.hasNextPage ? null : (
                <div className={css['more']}>
                  <More query={query} />
                </div>
              )}
            </>
          )
        }}
      </Loaded>
    </Card>
  )
}

function CommitRow({ branch, commit }: { readonly branch: Branch; readonly commit: HistoryCommit }) {
  const { slug } = useProject()
  const { oid, message, author, committedAt } = commit
  return (
    <Row
      title={<Link to={`${paths.changes(slug, branch.id)}?commit=${oid}`}>{message.split('\n', 1)[0]}</Link>}
      detail={
        <>
          {author.name}, <Time at={committedAt} />
        </>
      }
    />
  )
}
