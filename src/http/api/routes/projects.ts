import { roleOf, type Principal } from '../../../access/principal.ts'
import type { ProjectInfo } from '../../../projects/projects.ts'
import type { List } from '../../../contract/common.ts'
import { contract } from '../../../contract/index.ts'
import { Failure } from '../../../contract/failure.ts'
import type { Project } from '../../../contract/projects.ts'
import type { Router } from '../route.ts'
import type { Services } from '../../services.ts'
import { accountOf } from './accounts.ts'

export function projectRoutes(router: Router, services: Services): void {
  const { accounts, projects, repositories, deploys, siteUrl, cloneUrl } = services
  const present = async (project: ProjectInfo, caller: Principal): Promise<Project> => {
    const { slug, title, plan, createdAt } = project
    const live = await deploys.live(slug)
    const role = caller?.kind === 'account' ? roleOf(caller.account.id, project) : null
    const part = role === null ? {} : { role }
    const shown = { slug, title, url: siteUrl(slug), plan, cloneUrl: cloneUrl(slug), createdAt, ...part }
    return live === null ? shown : { ...shown, live }
  }

  router.route(contract.projects.create, async (call) => {
    const { slug, title } = call.body
    const owner = accountOf(call).id
    const project = await projects.create(owner, { slug, ...(title === undefined ? {} : { title }) })
    try {
      // The operator may have removed it at that moment: nobody else could ever manage the project.
      if ((await accounts.read(owner)) === null) throw new Failure('unauthenticated', 'The account has been removed.')
      // A project of that name may have been removed by a process that did not get to the end of it.
      await deploys.clear(slug)
      await repositories.create(slug)
    } catch (error) {
      await projects.remove(slug)
      throw error
    }
    call.request.audit = { project: slug, target: slug }
    return present(project, call.request.caller)
  })
  router.route(contract.projects.list, async ({ request, query }): Promise<List<Project>> => {
    if (request.caller?.kind === 'key')
      return { items: [await present(await projects.read(request.caller.project), request.caller)] }
    const page = await projects.list(accountOf({ request }).id, query)
    return { ...page, items: await Promise.all(page.items.map((project) => present(project, request.caller))) }
  })
  router.route(contract.projects.read, async ({ params, request }) =>
    present(await projects.read(params.slug), request.caller),
  )
  router.route(contract.projects.update, async ({ params, body, request }) => {
    request.audit = { detail: body.title }
    return present(await projects.update(params.slug, { title: body.title }), request.caller)
  })
  router.route(contract.projects.fsck, async ({ params }) => {
    const repository = await repositories.open(params.slug)
    return { problems: [...(await repository.fsck())] }
  })
  router.route(contract.projects.remove, async ({ params }) => {
    await deploys.removeProject(params.slug)
    return undefined
  })
}
