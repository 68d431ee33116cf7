import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callers, type CallerName, type Outcome } from '#test/support/http/access-table/rule.ts'
import { World } from '#test/support/http/access-table/world.ts'

let world: World

beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world.close())

/** As for an endpoint of the API: fetching is reading, pushing is writing to branches or deploying to main. */
const expected: Readonly<Record<CallerName, Outcome>> = {
  nobody: 'unauthenticated',
  'ended session': 'unauthenticated',
  'revoked key': 'unauthenticated',
  'expired key': 'unauthenticated',
  'key of another project': 'hidden',
  'key without the scope': 'forbidden',
  'key with only the scope': 'answered',
  'member of another project': 'hidden',
  'former writer': 'hidden',
  writer: 'answered',
  owner: 'answered',
}

interface GitRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly scope: 'read' | 'write' | 'deploy'
}

async function send(request: GitRequest, slug: string, credential: string | null): Promise<Response> {
  const headers: Record<string, string> = {}
  if (credential !== null) headers['authorization'] = `Basic ${Buffer.from(`me:${credential}`).toString('base64')}`
  if (request.method === 'POST') headers['content-type'] = `application/x-${request.path}-request`
  return fetch(`${world.service.url}/git/${slug}.git/${request.path}`, {
    method: request.method,
    headers,
    ...(request.method === 'POST' ? { body: '0000' } : {}),
  })
}

async function outcomeOf(request: GitRequest, credential: string | null): Promise<string> {
  const response = await send(request, world.slug, credential)
  const text = await response.text()
  if (response.status === 401) {
    expect(response.headers.get('www-authenticate')).toContain('Basic')
    return 'unauthenticated'
  }
  if (response.status === 403) return 'forbidden'
  if (response.status !== 404) return response.status === 200 ? 'answered' : `${response.status}: ${text}`
  return text === (await (await send(request, 'no-such-project', credential)).text()) ? 'hidden' : 'answered'
}

describe('who may use Git', () => {
  it.each<GitRequest>([
    { method: 'GET', path: 'info/refs?service=git-upload-pack', scope: 'read' },
    { method: 'POST', path: 'git-upload-pack', scope: 'read' },
    { method: 'GET', path: 'info/refs?service=git-receive-pack', scope: 'write' },
    { method: 'GET', path: 'info/refs?service=git-receive-pack', scope: 'deploy' },
    { method: 'POST', path: 'git-receive-pack', scope: 'write' },
    { method: 'POST', path: 'git-receive-pack', scope: 'deploy' },
  ])('$method $path with $scope', async (request) => {
    const row: Partial<Record<CallerName, string>> = {}
    // One of two scopes is enough for a push, so the key without has neither.
    const without = await world.key(
      world.slug,
      request.scope === 'read' ? ['write', 'deploy', 'admin'] : ['read', 'admin'],
    )
    for (const caller of callers) {
      const credential = await world.credentialOf(caller, request.scope)
      row[caller] = await outcomeOf(request, caller === 'key without the scope' ? without : credential)
    }
    expect(row).toEqual(expected)
  })
})
