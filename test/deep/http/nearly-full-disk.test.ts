import { expect, onTestFinished, test } from 'vitest'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { createProject } from '#test/support/service-process.ts'
import { startTestService } from '#test/support/service.ts'

test('on a disk that is nearly full nothing grows, and all else goes on', async () => {
  const builder = new FakeBuilder()
  const before = await startTestService({ MIN_FREE_MB: '0' }, { builder })
  onTestFinished(() => before.close())
  const { key, session } = await createProject(before.url, 'docs')
  const send = (url: string, token: string, method: string, path: string, body: unknown, more = {}) =>
    fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more },
      body: JSON.stringify(body),
    })
  const files = (content: string) => ({ files: [{ path: 'index.md', content }] })
  const first = (await (await send(before.url, key, 'POST', '/api/deploy', files('one'))).json()) as { id: string }
  await send(before.url, key, 'POST', '/api/deploy', files('two'))
  const made = await send(before.url, key, 'POST', '/api/projects/docs/branches', { name: 'b' })
  const { id } = (await made.json()) as { id: string }
  await before.service.close()

  const service = await startTestService({ MIN_FREE_MB: '1000000000', DATA_DIR: before.directory }, { builder })
  onTestFinished(async () => void (await service.service.close()))
  const ask = (method: string, path: string, body: unknown = {}, more = {}) =>
    send(service.url, key, method, path, body, more)
  const base = '/api/projects/docs'

  const refused = await ask('POST', '/api/deploy', files('three'))
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60'])
  expect(await refused.json()).toMatchObject({ code: 'unavailable', detail: expect.stringContaining('nearly full') })
  const growing = [
    await ask('PUT', `${base}/branches/${id}/files/new.md`, { content: 'x' }, { 'if-none-match': '*' }),
    await ask('POST', `${base}/branches/${id}/commits`, { message: 'x', changes: [] }),
    await ask('POST', `${base}/branches`, { name: 'c' }),
    await ask('POST', `${base}/publish`, { branch: 'b' }),
    await ask('POST', `${base}/changelog`, { title: 'x', content: 'y' }),
    await send(service.url, session, 'POST', '/api/projects', { slug: 'more' }),
    await fetch(`${service.url}/git/docs.git/git-receive-pack`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(`x:${key}`)}`,
        'content-type': 'application/x-git-receive-pack-request',
      },
      body: '0000',
    }),
  ]
  expect(growing.map(({ status }) => status)).toEqual(growing.map(() => 503))
  const message = { messages: [{ role: 'user', content: 'Write' }] }
  expect(await (await ask('POST', `${base}/branches/${id}/assistant`, message)).json()).toMatchObject({
    code: 'unavailable',
    detail: expect.stringContaining('nearly full'),
  })

  const credentials = { email: 'docs@example.com', password: 'correct horse battery' }
  const going = [
    await send(service.url, 'x', 'POST', '/api/auth/login', credentials),
    await send(service.url, session, 'POST', `${base}/keys`, { name: 'another' }),
    await ask('POST', `${base}/rollback`, { deployId: first.id }),
    await ask('DELETE', `${base}/branches?id=${id}`),
    await send(service.url, session, 'DELETE', base, {}),
  ]
  expect(going.map(({ status }) => status)).toEqual([200, 201, 201, 204, 204])
})
