import type { Endpoint } from '#contract/endpoint.ts'
import type { Outcome } from '#test/support/http/access-table/rule.ts'
import { anyParams, type Sample } from '#test/support/http/access-table/samples.ts'

export interface Question {
  readonly url: string
  readonly endpoint: Endpoint
  readonly sample: Sample
  readonly slug: string
  readonly credential: string | null
}

/** A slug that no project has. */
const nowhere = 'no-such-project'

/** What became of a request; a text of its own for what should not be. */
export async function outcomeOf(question: Question): Promise<Outcome | `${number}: ${string}`> {
  const { endpoint, sample } = question
  const { status, text } = await send(question)
  const { code, detail } = problemOf(text)
  if (status === 401 && code === 'unauthenticated') return 'unauthenticated'
  if (status === 403 && code === 'forbidden') return 'forbidden'
  const unknown = text.includes('"There is nothing at ')
  if (status === 404 && !unknown && (endpoint.path.includes('/:slug') || namesProject(endpoint))) {
    // Whoever has no part in a project must not be able to tell it from one that does not exist.
    const elsewhere = await send({ ...question, slug: nowhere })
    return text === elsewhere.text.replaceAll(nowhere, question.slug) ? 'hidden' : 'answered'
  }
  const odd = unknown || status === 400 || status === 401 || status === 405 || status === 429 || status >= 500
  return odd && sample.answers?.includes(status) !== true ? `${status}: ${detail ?? text}` : 'answered'
}

async function send(question: Question): Promise<{ readonly status: number; readonly text: string }> {
  const { endpoint, sample, credential } = question
  const headers: Record<string, string> = credential === null ? {} : { authorization: `Bearer ${credential}` }
  if (endpoint.method !== 'GET') headers['content-type'] = 'application/json'
  const response = await fetch(urlOf(question), {
    method: endpoint.method,
    headers,
    ...(endpoint.method === 'GET' ? {} : { body: JSON.stringify(sample.body ?? {}) }),
  })
  const stream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (!stream) return { status: response.status, text: await response.text() }
  await response.body?.cancel()
  return { status: response.status, text: '' }
}

function urlOf({ url, endpoint, sample, slug }: Question): string {
  const path = endpoint.path.replace(/:([A-Za-z]+)\*?/g, (_, name: string) => {
    const value = name === 'slug' ? slug : (sample.params?.[name] ?? anyParams[name])
    if (value === undefined) throw new Error(`${endpoint.path}: nothing is known for the parameter ${name}`)
    return value
  })
  const query = new URLSearchParams(sample.query)
  if (namesProject(endpoint)) query.set('project', slug)
  return `${url}${path}${query.size === 0 ? '' : `?${query.toString()}`}`
}

/** The project is named in the query. */
export function namesProject({ path, access }: Endpoint): boolean {
  return !path.includes('/:slug') && access !== 'public' && access !== 'account'
}

/** The members of a problem document that matter here; none of them where the text is something else. */
function problemOf(text: string): { readonly code?: string; readonly detail?: string } {
  try {
    return JSON.parse(text) as { code?: string; detail?: string }
  } catch {
    return {}
  }
}
