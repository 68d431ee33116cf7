import { readFile } from 'node:fs/promises'
import type { GitHubAccess } from '../environment.ts'
import type { Output } from '../output.ts'

/** Comments of a pull request that are looked through for ours: 100 to a page. */
const maxPages = 30
const patienceMs = 15_000

/** Who may write into the repository, and its apps. What looks like ours and is a stranger's is left alone. */
const insiders = new Set(['OWNER', 'MEMBER', 'COLLABORATOR'])

interface Comment {
  readonly id: number
  readonly body?: string
  readonly author_association?: string
  readonly user?: { readonly type?: string } | null
}

/** What a comment of ours begins with, by which it is found again: one for each preview. */
export function markerOf(preview: { readonly url: string; readonly slug: string; readonly branch: string }): string {
  return `<!-- quire-preview ${JSON.stringify(preview).replaceAll('>', '\\u003e')} -->`
}

/**
 * Keeps one comment on the pull request of this job, made the first time and changed after. Does nothing outside of a pull
 * request; what goes wrong is a warning, since the preview is there all the same.
 * @param options `onlyUpdate`: none is made
 */
export async function keepComment(
  marker: string,
  text: string,
  output: Output,
  options: { readonly onlyUpdate?: boolean } = {},
): Promise<void> {
  const access = output.environment.github
  if (access === undefined) return
  try {
    const number = await pullRequestOf(access)
    if (number === undefined) return
    const api = new GitHubApi(access)
    const comments = `/repos/${access.repository}/issues/${number}/comments`
    const ours = await find(api, comments, marker)
    const body = { body: `${marker}\n${text}` }
    if (ours !== undefined) await api.ask('PATCH', `/repos/${access.repository}/issues/comments/${ours.id}`, body)
    else if (options.onlyUpdate !== true) await api.ask('POST', comments, body)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    output.note(`${output.paint('yellow', 'warning')}  The pull request got no comment: ${why}`)
  }
}

/** Number of the pull request that set the job off. */
async function pullRequestOf({ eventFile }: GitHubAccess): Promise<number | undefined> {
  const event = JSON.parse(await readFile(eventFile, 'utf8')) as { pull_request?: { number?: unknown } }
  const number = event.pull_request?.number
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined
}

async function find(api: GitHubApi, path: string, marker: string): Promise<Comment | undefined> {
  for (let page = 1; page <= maxPages; page++) {
    const comments = (await api.ask('GET', `${path}?per_page=100&page=${page}`)) as readonly Comment[]
    const ours = comments.find(
      ({ body, user, author_association: part = '' }) =>
        body?.startsWith(marker) === true && (user?.type === 'Bot' || insiders.has(part)),
    )
    if (ours !== undefined || comments.length < 100) return ours
  }
  return undefined
}

/** GitHub's API; the token goes there and nowhere else. */
class GitHubApi {
  readonly #access: GitHubAccess

  constructor(access: GitHubAccess) {
    this.#access = access
    const { protocol, hostname } = new URL(access.apiUrl)
    const isLoopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
    if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback))
      throw new Error(`GITHUB_API_URL is ${access.apiUrl}, to which no token is sent: it is not HTTPS.`)
    if (!/^[\w.-]+\/[\w.-]+$/.test(access.repository))
      throw new Error(`GITHUB_REPOSITORY is ${access.repository}, which is no repository.`)
  }

  async ask(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<unknown> {
    const { apiUrl, token } = this.#access
    const response = await fetch(apiUrl.replace(/\/+$/, '') + path, {
      method,
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'user-agent': 'quire',
        'x-github-api-version': '2022-11-28',
      },
      redirect: 'manual',
      signal: AbortSignal.timeout(patienceMs),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (response.ok) return response.json()
    const permission = [403, 404].includes(response.status)
      ? ' The job needs permissions: pull-requests: write; pull requests of forks do not get it.'
      : ''
    throw new Error(`GitHub answered ${response.status} to ${method} ${path.replace(/\?.*/, '')}.${permission}`)
  }
}
