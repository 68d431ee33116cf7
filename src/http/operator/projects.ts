import { Failure } from '../../contract/failure.ts'
import { operator, type OperatorProject } from '../../contract/operator.ts'
import { EventStream } from '../../lib/event-stream.ts'
import { eachInTurns } from '../../lib/slices.ts'
import type { Hold } from '../../operator/projects.ts'
import type { Projects } from '../../projects/projects.ts'
import type { Router } from '../api/route.ts'
import type { OperatorRooms } from './rooms.ts'

/** What an operator does to whole projects. */
export function projectRoutes(
  router: Router,
  rooms: () => Promise<OperatorRooms>,
  { hold, longestHold }: { readonly hold: (projectId: string) => Promise<Hold>; readonly longestHold: number },
): void {
  router.route(operator.projects.list, async () => {
    return { items: await listed(await rooms()) }
  })

  router.route(operator.projects.suspend, async ({ params: { slug }, body: { reason } }) => {
    const opened = await rooms()
    const { projects, notes, now } = opened
    const projectId = idOf(projects, slug)
    const since = (await projects.read(projectId)).suspended?.since ?? now().toISOString()
    await projects.setSuspended(projectId, { since, ...(reason === undefined ? {} : { reason }) })
    await notes.write([projectId], 'suspend', reason === undefined ? {} : { detail: reason })
    return present(projectId, opened, await emails(opened))
  })

  router.route(operator.projects.resume, async ({ params: { slug } }) => {
    const opened = await rooms()
    const { projects, notes, wake } = opened
    const projectId = idOf(projects, slug)
    const { suspended } = await projects.read(projectId)
    if (suspended !== undefined) {
      await projects.setSuspended(projectId, null)
      await notes.write([projectId], 'resume', {})
      wake(projectId)
    }
    return present(projectId, opened, await emails(opened))
  })

  router.route(operator.projects.remove, async ({ params: { slug } }) => {
    const { projects, lifecycle } = await rooms()
    await lifecycle.remove(idOf(projects, slug))
    return undefined
  })

  router.route(operator.projects.transfer, async ({ params: { slug }, body: { email } }) => {
    const { members, projects, notes } = await rooms()
    const projectId = idOf(projects, slug)
    const { id } = await members.add(projectId, email)
    const owner = await members.transfer(projectId, id)
    await notes.write([projectId], 'transfer', { target: owner.email, detail: 'is the owner now' })
    return owner
  })

  router.route(operator.projects.collect, async ({ params: { slug } }) => {
    const { operated, projects } = await rooms()
    const projectId = idOf(projects, slug)
    const freed = await operated.collect(projectId)
    return { project: projects.slugOf(projectId), ...freed }
  })

  router.route(operator.projects.repair, async ({ params: { slug } }) => {
    const { operated, projects } = await rooms()
    const projectId = idOf(projects, slug)
    return { project: projects.slugOf(projectId), ...(await operated.repair(projectId)) }
  })

  // A backup finds projects in the data directory, where they are called by their ids.
  router.route(operator.projects.hold, async ({ params: { id: projectId }, reply }) => {
    const { snapshot, release } = await hold(projectId)
    const timer = setTimeout(() => reply.raw.destroy(), longestHold)
    reply.hijack()
    const stream = new EventStream(reply.raw, () => {
      clearTimeout(timer)
      release()
    })
    stream.send('snapshot', snapshot)
    return reply
  })
}

/** The operator, too, calls projects by their slugs; what is not there is refused by whoever looks for it. */
function idOf(projects: Pick<Projects, 'resolve'>, slug: string): string {
  return projects.resolve(slug)?.id ?? slug
}

type ListingRooms = Pick<OperatorRooms, 'projects' | 'accounts' | 'liveDeploy'>

/** Addresses by account id. */
async function emails({ accounts }: Pick<OperatorRooms, 'accounts'>): Promise<ReadonlyMap<string, string>> {
  return new Map((await accounts.list()).map(({ id, email }) => [id, email]))
}

async function listed(rooms: ListingRooms): Promise<OperatorProject[]> {
  const items: OperatorProject[] = []
  const known = await emails(rooms)
  await eachInTurns(await rooms.projects.ids(), async (id) => {
    const item = await present(id, rooms, known).catch((error: unknown) => {
      // Removed since the list was made.
      if (error instanceof Failure && error.code === 'not_found') return null
      throw error
    })
    if (item !== null) items.push(item)
  })
  return items.sort((one, other) => (one.slug < other.slug ? -1 : 1))
}

/** Throws Failure `not_found`. */
async function present(
  id: string,
  { projects, liveDeploy }: ListingRooms,
  known: ReadonlyMap<string, string>,
): Promise<OperatorProject> {
  const owner = known.get(projects.ownerOf(id)) ?? null
  if (projects.isSetAside(id)) return { id, slug: projects.slugOf(id), owner, isDamaged: true }
  const { slug, plan, createdAt, suspended } = await projects.read(id)
  const live = await liveDeploy(id)
  return {
    id,
    slug,
    owner,
    plan,
    createdAt,
    ...(live === null ? {} : { live: { number: live.number, createdAt: live.createdAt } }),
    ...(suspended === undefined ? {} : { suspended }),
    isDamaged: false,
  }
}
