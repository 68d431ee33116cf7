import type { Logger } from 'pino'
import { projectDocument } from '../projects/document.ts'
import type { Projects } from '../projects/projects.ts'
import type { Branches } from '../branching/branches.ts'
import type { Deploys } from '../deploying/deploys.ts'
import type { Store } from '../storage/store.ts'
import { Usage } from '../usage/usage.ts'

interface UsageParts {
  readonly store: Store
  readonly projects: Projects
  readonly now: () => Date
  readonly logger: Logger
}

/** Plans and quotas, with the use that is on record. */
export async function openUsage({ store, projects, now, logger }: UsageParts): Promise<Usage> {
  const usage = new Usage({
    store,
    now,
    projectOf: (id) => projects.read(id),
    onError: (error, message) => logger.error({ err: error }, message),
  })
  await usage.adopt(await projects.ids(), projectDocument)
  return usage
}

/** Settles what a crash left open, once the other rooms know what came of it. */
export async function recoverUsage(
  usage: Usage,
  rooms: { readonly projects: Projects; readonly deploys: Deploys; readonly branches: Branches },
): Promise<void> {
  const { projects, deploys, branches } = rooms
  await usage.recover(async ({ project, meter, subject }) => {
    if ((await projects.find(project)) === null) return false
    if (meter === 'deploys') return deploys.wentLive(project, subject)
    if (meter === 'branches') return branches.exists(project, subject)
    throw new Error(`nobody knows what came of ${meter} ${subject}`)
  })
}
