import { roleOf, type Principal } from '../../../access/principal.ts'
import type { List } from '../../../contract/common.ts'
import { contract } from '../../../contract/index.ts'
import type { Project } from '../../../contract/projects.ts'
import type { ProjectInfo } from '../../../projects/projects.ts'
import type { Router } from '../route.ts'
import type { Services } from '../../services.ts'
import { accountOf } from './accounts.ts'

export function projectRoutes(router: Router, services: Services): void {
  const { projects, lifecycle, repositories, deploys, siteUrl, cloneUrl } = services
  const present = async (project: ProjectInfo, caller: Principal): Promise<Project> => {
    const { id, slug, title, plan, createdAt } = project
    const live = await deploys.live(id)
    const role = caller?.kind === 'account' ? roleOf(caller.account.id, project) : null
    const part = role === null ? {} : { role }
    const shown = { slug, title, url: siteUrl(id), plan, cloneUrl: cloneUrl(id), createdAt, ...part }
    return live === null ? shown : { ...shown, live }
  }

  router.route(contract.projects.create, async (call) => {
    const { slug, title } = call.body
    const project = await lifecycle.create(accountOf(call).id, { slug, ...(title === undefined ? {} : { title }) })
    call.request.audit = { project: project.id, target: slug }
    return present(project, call.request.caller)
  })
  router.route(contract.projects.list, async ({ request, query }): Promise<List<Project>> => {
    if (request.caller?.kind === 'key')
      return { items: [await present(await projects.read(request.caller.project), request.caller)] }
    const page = await projects.list(accountOf({ request }).id, query)
    return { ...page, items: await Promise.all(page.items.map((project) => present(project, request.caller))) }
  })
  router.route(contract.projects.read, async ({ project, request }) =>
    present(await projects.read(project), request.caller),
  )
  router.route(contract.projects.update, async ({ project: id, body, request }) => {
    const { slug, title } = body
    let project = await projects.read(id)
    const details: string[] = []
    if (slug !== undefined && slug !== project.slug) {
      details.push(`${project.slug} is ${slug} now`)
      project = await lifecycle.rename(id, slug)
    }
    if (title !== undefined) {
      details.push(title)
      project = await projects.setTitle(id, title)
    }
    request.audit = { detail: details.join('; ') }
    return present(project, request.caller)
  })
  router.route(contract.projects.fsck, async ({ project }) => {
    const repository = await repositories.open(project)
    return { problems: [...(await repository.fsck())] }
  })
  router.route(contract.projects.remove, async ({ project }) => {
    await lifecycle.remove(project)
    return undefined
  })
}
