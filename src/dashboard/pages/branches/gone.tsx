import { useQuery } from '@tanstack/react-query'
import { GitBranch } from 'lucide-react'
import { Link } from 'react-router'
import { writtenOf } from '#authoring/merge-pieces.ts'
import { textsOf, unrepeated } from '#authoring/pending-conflicts.ts'
import { FileDrafts } from '../../drafts/file-drafts.ts'
import type { PendingMerge } from '../../drafts/pending-merge.ts'
import { UnsentComments } from '../../drafts/unsent-comments.ts'
import { usePendingConflicts, usePendingMerge } from '../../drafts/use-pending-merge.ts'
import { paths } from '../../paths.ts'
import { meQuery } from '../../queries/account.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Snippet } from '../../ui/copy.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import css from './branches.module.css'

/** Published branches are deleted: what they held is in main. What somebody here wrote for one and did not save is shown. */
export function BranchGone({ id }: { readonly id: string }) {
  const { slug } = useProject()
  const pendingMerge = usePendingMerge(id)
  return (
    <Page title="No such branch">
      <Empty
        icon={GitBranch}
        title="There is no such branch any more"
        action={<LinkButton to={paths.branches(slug)}>All branches</LinkButton>}
      >
        It was published or deleted. What was published is in main, and the{' '}
        <Link className="link" to={paths.deploys(slug)}>
          deploys
        </Link>{' '}
        show it.
      </Empty>
      <Unsaved id={id} />
      <Unsent id={id} />
      {pendingMerge === undefined ? null : <Settled pendingMerge={pendingMerge} />}
    </Page>
  )
}

interface Written {
  readonly path: string
  readonly text: string
}

/** Drafts of the editor. */
function Unsaved({ id }: { readonly id: string }) {
  const account = useQuery(meQuery).data?.account.id ?? ''
  const { data = [] } = useQuery({
    queryKey: ['drafts', account, id, 'texts'],
    queryFn: async (): Promise<Written[]> => {
      const drafts = new FileDrafts(account, id)
      const all = [...(await drafts.paths())].sort().map(async (path) => ({ path, draft: await drafts.read(path) }))
      return (await Promise.all(all)).flatMap(({ path, draft }) => {
        if (draft === undefined) return []
        // Also what was written by hand where somebody else had saved the file.
        return unrepeated([draft.text, ...writtenOf(draft.decisions ?? [])]).map((text) => ({ path, text }))
      })
    },
    enabled: account !== '',
  })
  return <Texts title="You had not saved this" whose="your draft" written={data} />
}

/** Comments that were being written. */
function Unsent({ id }: { readonly id: string }) {
  const account = useQuery(meQuery).data?.account.id ?? ''
  const written = new UnsentComments(account, id).written()
  return <Texts title="You had not sent this" whose="your comment" written={written} />
}

/** What was written by hand where main and the branch did not go together. */
function Settled({ pendingMerge }: { readonly pendingMerge: PendingMerge }) {
  const written = usePendingConflicts(pendingMerge).flatMap((item) =>
    unrepeated(textsOf(item)).map((text) => ({ path: item.conflict.path, text })),
  )
  return <Texts title="You had settled this" whose="your text" written={written} />
}

interface TextsProps {
  readonly title: string
  /** Before “of” and the path. */
  readonly whose: string
  readonly written: readonly Written[]
}

function Texts({ title, whose, written }: TextsProps) {
  if (written.length === 0) return null
  return (
    <Card title={title} description="It is on no branch: only this browser has it. Copy what you still need.">
      {written.map(({ path, text }, index) => (
        <div key={index} className={css['left']}>
          <h3>{path}</h3>
          <Snippet label={`${whose} of ${path}`}>{text}</Snippet>
        </div>
      ))}
    </Card>
  )
}
