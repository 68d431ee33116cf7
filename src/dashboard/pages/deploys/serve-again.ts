import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Deploy } from '#contract/deploys.ts'
import { Failure } from '#contract/failure.ts'
import type { Project } from '#contract/projects.ts'
import { rollback } from '../../queries/deploys.ts'
import { may, projectQuery } from '../../queries/projects.ts'
import { toast } from '../../ui/toasts.tsx'

/** Why a deploy cannot be served again; null: it can. */
export function whyNotServed(project: Project, deploy: Deploy): string | null {
  if (deploy.status !== 'superseded') return 'Only what was live can be served again.'
  return may(project, 'deploy') ? null : 'You may not deploy in this project.'
}

function outdated({ number }: Deploy): Failure {
  return new Failure('invalid_request', `Deploy ${number} has gone live meanwhile: it stays, and nothing was undone.`, {
    hint: 'Serve another one again from the list of deploys.',
  })
}

/** Serves an earlier deploy again; what was live until then comes back with an undo. */
export function useServeAgain(project: Project) {
  const queries = useQueryClient()
  const { slug } = project
  const settle = (): Promise<void> => queries.invalidateQueries({ queryKey: projectQuery(slug).queryKey })
  const liveNow = async (): Promise<Deploy | undefined> => {
    // The page may not have heard yet of what somebody else has deployed.
    const { live } = await queries.fetchQuery({ ...projectQuery(slug), staleTime: 0 })
    return live
  }
  const back = async (before: Deploy, served: Deploy): Promise<void> => {
    try {
      const live = await liveNow()
      // What came later is not to go with it.
      if (live !== undefined && live.id !== served.id) throw outdated(live)
      await rollback(slug, before.id)
    } finally {
      await settle()
    }
    toast.done('What was live before is live again.')
  }
  return useMutation({
    mutationFn: async ({ id }: Deploy) => {
      const before = await liveNow()
      return { served: await rollback(slug, id), before }
    },
    onSuccess: ({ served, before }, { number }) => {
      queries.setQueryData(projectQuery(slug).queryKey, (now) => (now === undefined ? now : { ...now, live: served }))
      toast.done(`Deploy ${number} is live again.`, before === undefined ? undefined : () => back(before, served))
    },
    onError: toast.failed,
    onSettled: settle,
  })
}
