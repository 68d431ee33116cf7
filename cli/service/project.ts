import type { Client } from '../../src/client/client.ts'
import type { Branch } from '../../src/contract/branches.ts'
import type { List } from '../../src/contract/common.ts'
import { Failure } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import type { Project } from '../../src/contract/projects.ts'
import type { NamedBy } from '../environment.ts'
import { linkName } from './link-file.ts'
import type { Output } from '../output.ts'
import { withRetry, type RetryPolicy } from './retry.ts'
import { explainRefusal, openService, type Credential, type OpenService } from './service.ts'
import { namedBy } from './target.ts'
import { ask } from '../terminal.ts'

/** Items of a page that the service gives at most. */
const maxPageItems = 200

/** A project, and how to talk to the service about it. */
export interface OpenProject {
  /** Base URL of the service. */
  readonly url: string
  readonly client: Client
  readonly credential: Credential
  readonly project: Project
  readonly slug: string
  readonly policy: RetryPolicy
}

export function retryPolicy(output: Output): RetryPolicy {
  return {
    tries: 5,
    contentionMs: 10 * 60_000,
    onWait: (failure, seconds) => {
      const wait = `${failure.message} Trying again in ${Math.ceil(seconds)} s.`
      if (output.redraws) output.redraw(wait)
      else output.note(wait)
    },
  }
}

/**
 * The project of the key; with a session the one that the command means, or the only one of the account.
 *
 * The person chooses at a terminal where there are several. @throws Failure unauthenticated where there is no credential;
 * invalid_request that names the projects to choose from.
 * @param opened the service, where it has been opened
 */
export async function openProject(url: string, output: Output, opened?: OpenService): Promise<OpenProject> {
  const { client, credential } = opened ?? (await openService(url, output))
  const policy = retryPolicy(output)
  const { project: wanted, projectBy } = output.environment
  try {
    const read = (slug: string): Promise<Project> =>
      withRetry(() => client.call(contract.projects.read, { params: { slug } }), policy)
    const list = (): Promise<Project[]> => withRetry(() => listProjects(client), policy)
    const project =
      wanted === undefined
        ? await only(await list(), credential.kind, output)
        : credential.kind === 'key'
          ? await ofKey(await only(await list(), 'key', output), { wanted, by: projectBy, read })
          : await read(wanted).catch(explainAbsence(url, { wanted, by: projectBy }))
    if (projectBy?.kind === 'link' && project.slug !== wanted)
      output.note(`${wanted} is ${project.slug} now; quire link ${project.slug} writes that into ${linkName}.`)
    return { url, client, credential, project, slug: project.slug, policy }
  } catch (error) {
    throw explainRefusal(error, credential)
  }
}

/** What somebody asks for by a slug, and what named that. */
interface Wanted {
  readonly wanted: string
  readonly by: NamedBy | undefined
}

/** Where a slug was chosen a while ago, and not by who runs the command, it is to be said where it stands. */
function explainAbsence(url: string, { wanted, by }: Wanted): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Failure) || error.code !== 'not_found') throw error
    const others = namedBy(by) === '' ? '' : '; quire link chooses another one for this folder'
    throw new Failure('not_found', `${url} has no project ${wanted}${namedBy(by)}, or it is not yours.`, {
      hint: `quire whoami lists your projects${others}.`,
      cause: error,
    })
  }
}

/** All projects of the credential, newest first. */
export async function listProjects(client: Client): Promise<Project[]> {
  return firstItems((query) => client.call(contract.projects.list, { query }))
}

/** The project that nobody named. @throws Failure not_found; invalid_request that names those to choose from */
async function only(projects: readonly Project[], kind: Credential['kind'], output: Output): Promise<Project> {
  const [project, second] = projects
  if (project === undefined) {
    throw kind === 'key'
      ? new Failure('not_found', 'The key belongs to no project.', { hint: 'Create a key in the project’s settings.' })
      : new Failure('not_found', 'Your account has no project yet.', {
          hint: 'quire projects create <slug> makes one.',
        })
  }
  if (second === undefined) return project
  const sorted = projects.toSorted((a, b) => (a.slug < b.slug ? -1 : 1))
  if (output.environment.interactive && !output.json) return choose(sorted, output)
  const slugs = sorted.map(({ slug }) => slug)
  const first = slugs[0] ?? ''
  throw new Failure('invalid_request', `Which project? Your account has ${slugs.length}: ${slugs.join(', ')}.`, {
    hint: `Name one: --project ${first}, QUIRE_PROJECT in the environment, or for good with quire link ${first}.`,
    extra: { projects: slugs },
  })
}

async function choose(projects: readonly Project[], output: Output): Promise<Project> {
  const width = String(projects.length).length
  for (const [index, { slug, title }] of projects.entries())
    output.note(
      `  ${String(index + 1).padStart(width)}  ${output.paint('bold', slug)}${title === slug ? '' : `  ${title}`}`,
    )
  for (;;) {
    const answer = await ask(`Which project? Its number or name: `)
    const project = projects.find(({ slug }) => slug === answer) ?? projects[Number(answer) - 1]
    if (project !== undefined) return project
    output.note('None of them: type a number or a name of the list; Ctrl-C gives up.')
  }
}

/** Somebody who names another project than the key's must not change this one; a former slug is one of its names. */
async function ofKey(
  project: Project,
  { wanted, by, read }: Wanted & { readonly read: (slug: string) => Promise<Project> },
): Promise<Project> {
  if (project.slug === wanted) return project
  const named = await read(wanted).catch((error: unknown) => {
    if (error instanceof Failure && error.status < 500) return undefined
    throw error
  })
  if (named?.slug === project.slug) return project
  const { slug } = project
  const mean = namedBy(by) === '' ? '' : `name ${slug} with --project or QUIRE_PROJECT if you mean that, `
  throw new Failure(
    'forbidden',
    `The key in SERVICE_API_KEY is for the project ${slug}, not for ${wanted}${namedBy(by)}.`,
    { hint: `Use a key of ${wanted}, ${mean}or unset SERVICE_API_KEY to use the session of quire login.` },
  )
}

/** @throws Failure not_found that names the branch. */
export async function findBranch({ client, slug, policy }: OpenProject, name: string): Promise<Branch> {
  const { items } = await withRetry(
    () => client.call(contract.branches.list, { params: { slug }, query: { name } }),
    policy,
  )
  const branch = items.find((item) => item.name === name)
  if (branch !== undefined) return branch
  throw new Failure('not_found', `${slug} has no branch ${name}.`, { hint: 'quire branches lists them.' })
}

interface PageQuery {
  readonly limit: number
  readonly cursor?: string
}

/**
 * The first items of a list, page by page.
 * @param limit the option `--limit`; all of them without it. @throws Failure invalid_request for what counts nothing.
 */
export async function firstItems<T>(
  read: (query: PageQuery) => Promise<List<T>>,
  limit: number = Number.POSITIVE_INFINITY,
): Promise<T[]> {
  if (limit !== Number.POSITIVE_INFINITY && (!Number.isInteger(limit) || limit < 1))
    throw new Failure('invalid_request', '--limit takes a whole number from 1 on.')
  const items: T[] = []
  let cursor: string | undefined
  do {
    const page = await read({
      limit: Math.min(maxPageItems, limit - items.length),
      ...(cursor === undefined ? {} : { cursor }),
    })
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined && items.length < limit)
  return items
}
