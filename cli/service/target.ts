import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { Failure } from '../../src/contract/failure.ts'
import { isSlug } from '../../src/contract/patterns.ts'
import { KnownServices } from '../credentials/known-services.ts'
import { serviceOf } from '../credentials/session-store.ts'
import type { Environment, NamedBy } from '../environment.ts'
import { foldersFrom, nearestLink } from './link-file.ts'

/** Which service and which project a command means. */
export interface Target {
  /** Base URL of the service, in the form that sessions are kept under. */
  readonly url: string
  readonly urlBy: NamedBy
  /** Slug; absent: the key's, or the only one of the account. */
  readonly project?: string
  /** Absent: an option or a variable. */
  readonly projectBy?: NamedBy
}

const defaultUrl = 'http://localhost:4000'

/**
 * Service: `--url`, QUIRE_URL, the nearest link, `origin` of the clone, the last sign-in, loopback. Project: `--project`,
 * QUIRE_PROJECT, the nearest link, `origin`.
 *
 * @param environment with what options and variables name. @param folders whose links count, the first one first.
 * @throws Failure invalid_request for what is no address and for a link that is wrong
 */
export async function findTarget(
  { url, project, configDirectory }: Pick<Environment, 'url' | 'project' | 'configDirectory'>,
  folders: readonly string[],
): Promise<Target> {
  let service: NamedService | undefined =
    url === undefined ? undefined : { value: serviceOf(url), by: { kind: 'person' } }
  let slug: Named | undefined = project === undefined ? undefined : { value: project }
  if (service === undefined || slug === undefined) {
    const link = await firstOf(folders, nearestLink)
    const by: NamedBy = { kind: 'link', path: link?.path ?? '' }
    if (link?.service !== undefined) service ??= { value: serviceOf(link.service), by }
    if (link?.project !== undefined) slug ??= { value: link.project, by }
  }
  const known = new KnownServices(configDirectory)
  if (service === undefined || slug === undefined) {
    const origin = await firstOf(folders, originOf)
    const by: NamedBy = { kind: 'origin', url: origin?.url ?? '' }
    if (origin !== undefined && service === undefined && (await isQuire(origin, known)))
      service = { value: origin.service, by }
    // The slug of another service’s project says nothing here.
    if (origin?.service === service?.value && origin !== undefined) slug ??= { value: origin.project, by }
  }
  service ??= await withoutName(known)
  return {
    url: service.value,
    urlBy: service.by,
    ...(slug === undefined ? {} : { project: slug.value }),
    ...(slug?.by === undefined ? {} : { projectBy: slug.by }),
  }
}

interface Named {
  readonly value: string
  readonly by?: NamedBy
}

type NamedService = Required<Named>

async function withoutName(known: KnownServices): Promise<NamedService> {
  const { last } = await known.read()
  return last === undefined ? { value: defaultUrl, by: { kind: 'default' } } : { value: last, by: { kind: 'login' } }
}

async function firstOf<T>(
  folders: readonly string[],
  find: (folder: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  for (const folder of folders) {
    const found = await find(folder)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Whether an API key may go to the service: only where the person or CI named it. Whoever made a repository that is checked
 * out must not get the key by naming a service in it.
 */
export function mayGetKey(urlBy: NamedBy | undefined): boolean {
  return urlBy?.kind === 'person' || urlBy?.kind === 'login' || urlBy?.kind === 'default'
}

/** Says of a service that is not to be reached what named it, where that was not the person. */
export function withTarget(error: unknown, { urlBy }: Target): unknown {
  if (!(error instanceof Failure) || error.code !== 'unavailable' || urlBy.kind === 'person') return error
  if (error.extra['network'] === undefined && error.extra['foreign'] === undefined) return error
  const hint =
    urlBy.kind === 'default'
      ? 'Nothing names a service here, and this is the default: name yours with --url or QUIRE_URL, or sign in with quire login --url.'
      : `${error.hint ?? ''} ${whatNames(urlBy)} names it; --url or QUIRE_URL names another one.`.trim()
  const { message, extra, lasts } = error
  return new Failure('unavailable', message, { hint, extra, lasts, cause: error })
}

/** As part of a sentence: `, which docs/.quire.json names`; empty where the person named it. */
export function namedBy(by: NamedBy | undefined): string {
  return by?.kind === 'link' || by?.kind === 'origin' ? `, which ${whatNames(by)} names` : ''
}

function whatNames(by: NamedBy): string {
  if (by.kind === 'link') return relativePath(by.path)
  if (by.kind === 'origin') return `the remote origin of this clone (${by.url})`
  return by.kind === 'login' ? 'The last quire login' : 'nothing'
}

function relativePath(path: string): string {
  const below = relative('.', path)
  return below.startsWith('..') ? path : below
}

/** What the remote `origin` of a clone tells, where it looks like the clone URL of a project. */
interface Origin {
  readonly url: string
  readonly service: string
  readonly project: string
  /** `quire clone` made it. */
  readonly isOurs: boolean
}

const git = promisify(execFile)

async function originOf(folder: string): Promise<Origin | undefined> {
  if (![...foldersFrom(folder)].some((at) => existsSync(join(at, '.git')))) return undefined
  const asked = ['config', '--get-regexp', String.raw`^(remote\.origin\.url|credential\..*\.helper)$`]
  // Without git, outside of a clone and in one that git does not trust there is no origin.
  const { stdout } = await git('git', ['-C', folder, ...asked]).catch(() => ({ stdout: '' }))
  const url = /^remote\.origin\.url (.*)$/m.exec(stdout)?.[1] ?? ''
  const [, base = '', project = ''] = /^(https?:\/\/[^?#]+)\/git\/([^/?#]+?)(?:\.git)?\/?$/i.exec(url) ?? []
  if (!isSlug(project) || !URL.canParse(base)) return undefined
  const service = serviceOf(base)
  const { origin } = new URL(base)
  const isOurs = stdout
    .split('\n')
    .some((line) => line.startsWith(`credential.${origin}.helper `) && line.includes("'git-credential'"))
  return { url: `${service}/git/${project}.git`, service, project, isOurs }
}

/** Milliseconds that a host may take to say that it is a Quire. */
const patienceMs = 5000

/** Others serve repositories below `/git/`, too: who is not known is asked. */
async function isQuire({ service, isOurs }: Origin, known: KnownServices): Promise<boolean> {
  if (isOurs || (await known.read()).services.includes(service)) return true
  // Seldom asked, and much to load.
  const [{ createClient }, { contract }] = await Promise.all([
    import('../../src/client/client.ts'),
    import('../../src/contract/index.ts'),
  ])
  const client = createClient({ baseUrl: service })
  return client.call(contract.service.read, { signal: AbortSignal.timeout(patienceMs) }).then(
    (reply) => typeof reply === 'object' && typeof reply.siteUrl === 'string',
    () => false,
  )
}
