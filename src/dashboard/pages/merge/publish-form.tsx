import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { FileDiff, Rocket } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { mergeWith } from '#authoring/merge-attempt.ts'
import type { Branch } from '#contract/branches.ts'
import { Failure } from '#contract/failure.ts'
import { messageOf } from '../../client.ts'
import type { PendingMerge } from '../../drafts/pending-merge.ts'
import { usePendingConflicts, usePendingMerge } from '../../drafts/use-pending-merge.ts'
import { paths, type Spot } from '../../paths.ts'
import { branchesKey, isUnderWay } from '../../queries/branches.ts'
import { openThreadsQuery } from '../../queries/comments.ts'
import { deployQuery } from '../../queries/deploys.ts'
import { publishBranch } from '../../queries/publishes.ts'
import { usageQuery } from '../../queries/usage.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { TextArea } from '../../ui/field.tsx'
import { Skeleton } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Problems } from '../../ui/problems.tsx'
import { Day } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { count } from '../../ui/words.ts'
import { Resolver } from './resolver.tsx'
import { Since } from './since.tsx'
import { Unsaved } from './unsaved.tsx'
import css from './merge.module.css'

/** What will go live, and the button that does it. */
export function PublishForm({ branch }: { readonly branch: Branch }) {
  const pendingMerge = usePendingMerge(branch.id)
  return pendingMerge === undefined ? <Skeleton /> : <Form branch={branch} pendingMerge={pendingMerge} />
}

function Form({ branch, pendingMerge }: { readonly branch: Branch; readonly pendingMerge: PendingMerge }) {
  const items = usePendingConflicts(pendingMerge)
  const [message, setMessage] = useState(pendingMerge.message)
  const { publish, waitsFor, leave } = usePublish(branch, pendingMerge)
  const run = (): void => publish.mutate(message.trim())
  const { error, isPending } = publish
  return (
    <>
      {error === null ? null : (
        <Notice tone="danger">
          {messageOf(error)}
          {error instanceof Failure ? (
            <Problems severity="error" items={error.errors} total={error.errors.length} />
          ) : null}
        </Notice>
      )}
      {waitsFor === undefined ? null : (
        <Notice
          tone="note"
          title="Waiting"
          action={
            <Button size="small" onClick={leave}>
              Stop waiting
            </Button>
          }
        >
          {waitsFor.code === 'deploy_in_progress'
            ? 'Another deploy is under way. Yours begins when that one has ended.'
            : messageOf(waitsFor)}
        </Notice>
      )}
      <Unsaved branch={branch.id} />
      {items.length > 0 ? (
        <Resolver branch={branch} pendingMerge={pendingMerge} goOn="Publish" busy={isPending} onGoOn={run} />
      ) : (
        <div className={css['publish']}>
          <Card title="What goes live" description={`All of it becomes part of main, and ${branch.name} goes with it.`}>
            <Contents branch={branch} />
          </Card>
          <Card title="Publish">
            <TextArea
              name="message"
              label="Message"
              hint="What changes, for the history of deploys."
              placeholder={`Publish ${branch.name}`}
              maxLength={10_000}
              rows={3}
              value={message}
              onChange={(event) => {
                setMessage(event.target.value)
                pendingMerge.write(event.target.value)
              }}
            />
            <Allowance />
            <div>
              <Button look="primary" icon={Rocket} busy={isPending} onClick={run}>
                Publish now
              </Button>
            </div>
          </Card>
        </div>
      )}
    </>
  )
}

/** Publishes with what was decided, and goes to where it is followed. */
function usePublish(branch: Branch, pendingMerge: PendingMerge) {
  const { slug } = useProject()
  const queries = useQueryClient()
  const [, setSearch] = useSearchParams()
  const [waitsFor, setWaitsFor] = useState<Failure>()
  const waiting = useRef(new AbortController())
  const isLeft = useRef(false)
  const { name } = branch
  useEffect(() => {
    isLeft.current = false
    waiting.current = new AbortController()
    return () => {
      isLeft.current = true
      const words = `${name} was not published: you left the page while it waited for another deploy.`
      waiting.current.abort(new Failure('deploy_in_progress', words))
    }
  }, [name])
  const publish = useMutation({
    mutationFn: (message: string) =>
      mergeWith(pendingMerge, (resolutions) =>
        publishBranch(
          slug,
          { branchId: branch.id, resolutions, ...(message === '' ? {} : { message }) },
          { signal: waiting.current.signal, onWait: setWaitsFor },
        ),
      ),
    onSettled: () => {
      setWaitsFor(undefined)
      // Refused as well: somebody else may have published the branch, or moved it.
      void queries.invalidateQueries({ queryKey: branchesKey(slug) })
    },
    onSuccess: (deploy) => {
      if (deploy === undefined) return
      pendingMerge.publish(deploy.id)
      queries.setQueryData(deployQuery(slug, deploy.id).queryKey, deploy)
      if (isLeft.current) toast.done(`${name} is being published.`)
      else setSearch({ deploy: deploy.id })
    },
    // Whoever has left the page is told where they are.
    onError: (error) => (isLeft.current ? toast.failed(error) : undefined),
  })
  const leave = (): void => {
    waiting.current.abort(new Failure('deploy_in_progress', 'It was not published: you stopped waiting.'))
    waiting.current = new AbortController()
  }
  return { publish, waitsFor, leave }
}

function Contents({ branch }: { readonly branch: Branch }) {
  const { slug } = useProject()
  const { changes, preview, upToDate, id } = branch
  const { added, modified, deleted } = changes
  const all = added + modified + deleted
  const kinds = [
    [added, 'added'],
    [modified, 'changed'],
    [deleted, 'deleted'],
  ] as const
  const words = kinds.flatMap(([files, word]) => (files === 0 ? [] : [`${files.toLocaleString()} ${word}`]))
  const linkOf = (spot: Spot): string => paths.editorAt(slug, id, spot)
  const { errors, warnings, counts } = preview
  return (
    <>
      <div className={css['summary']}>
        <p>{all === 0 ? 'No file differs from main.' : `${count(all, 'file')}: ${words.join(', ')}.`}</p>
        {all === 0 ? null : (
          <LinkButton size="small" icon={FileDiff} to={paths.changes(slug, id)}>
            Look at the changes
          </LinkButton>
        )}
      </div>
      {preview.status === 'failed' ? (
        <Notice tone="danger" title="The newest save does not build, so it cannot go live">
          Mend this first; the preview tells when it is good.
        </Notice>
      ) : isUnderWay(preview) ? (
        <Notice tone="note">The preview is being built: it would tell whether all is well.</Notice>
      ) : null}
      {isUnderWay(preview) || counts.errors + counts.warnings === 0 ? null : (
        <>
          <Problems severity="error" items={errors} total={counts.errors} linkOf={linkOf} />
          <Problems severity="warning" items={warnings} total={counts.warnings} linkOf={linkOf} />
        </>
      )}
      {upToDate ? null : (
        <Notice tone="warning" title="Main has moved on since">
          The publish joins both. Update from main first to see them together in the preview.
        </Notice>
      )}
      <OpenThreads id={id} />
      <Since branch={branch} />
    </>
  )
}

/** What is said of the branch and not settled goes with it. */
function OpenThreads({ id }: { readonly id: string }) {
  const { slug } = useProject()
  const { data: open = 0 } = useQuery(openThreadsQuery(slug, id))
  return open === 0 ? null : (
    <Notice
      tone="note"
      action={
        <LinkButton size="small" to={paths.changes(slug, id)}>
          Read them
        </LinkButton>
      }
    >
      {count(open, 'thread')} of comments {open === 1 ? 'is' : 'are'} open. Comments go with the branch.
    </Notice>
  )
}

/** How many deploys are left of the plan, where it limits them. */
function Allowance() {
  const { slug } = useProject()
  const usage = useQuery(usageQuery(slug))
  const deploys = usage.data?.deploys
  if (deploys === undefined || deploys.limit === null || deploys.remaining === null) return null
  return deploys.remaining === 0 ? (
    <Notice tone="warning">
      The plan allows {count(deploys.limit, 'deploy')} a day, and all are used. There are new ones on{' '}
      <Day at={deploys.resetsAt} />.
    </Notice>
  ) : (
    <p className="soft">
      Uses one of the plan’s {count(deploys.limit, 'deploy')} a day; {deploys.remaining.toLocaleString()} left.
    </p>
  )
}
