import { expect, it } from 'vitest'
import { mintToken } from '#access/tokens.ts'
import { contract } from '#contract/index.ts'
import { endpoints } from '#test/support/endpoints.ts'
import { ask, logged } from '#test/support/log.ts'
import { createProject } from '#test/support/service-process.ts'

const files = [{ path: 'index.md', content: '# Hello' }]

it('the log has no credential that got into an address, a name of a client or an id, however it is written', async () => {
  const service = await logged({ TRUST_PROXY: 'loopback' })
  const { client, key } = await createProject(service.url, 'docs')
  await client.call(contract.deploys.create, { body: { files } })
  const secret = 'whsec_Zm9v/YmFy+YmF6Zm9vYmFyYmF6Zm9vYmFyYmF6Zm8='
  const share = mintToken('share')
  for (const credential of [key, secret, share]) {
    const escaped = credential.replaceAll('_', '%5F').replaceAll('/', '%2F')
    for (const written of [credential, escaped, escaped.replaceAll('%', '%25')]) {
      await ask(service, `/gone/${written}`, { 'user-agent': `cli ${written}` }, 'docs.localhost')
      await ask(service, `/${written}`, { 'x-request-id': written })
    }
  }
  const strangers = () => service.lines('request').filter(({ status }) => Number(status) >= 400)
  await expect.poll(strangers).toHaveLength(18)
  for (const part of [key.slice(6, 20), key.slice(-12), 'Zm9v', 'YmFy', share.slice(8, 20)])
    expect(service.text()).not.toContain(part)
  expect(strangers()[0]).toMatchObject({ path: '/gone/quire_…', agent: 'cli quire_…' })
})

it('the log says of a path that nothing here has where it leads to, and not what is in it', async () => {
  const service = await logged()
  const code = 'pWx3bN0uQk9fJ2hTzV8sLmR4'
  const asked: Readonly<Record<string, string>> = {
    '/wp-login.php': '/wp-login.php',
    [`/join/${code}`]: '/join/…',
    [`/${code}`]: '/…',
    [`/api/unknown/${code}`]: '/api/unknown/…',
    [`/api/${code}`]: '/api/…',
    '/.git/config': '/.git/…',
  }
  for (const path of Object.keys(asked)) await ask(service, path)
  await ask(service, `/join/${code}`, {}, 'nobody.localhost')
  const paths = () => service.lines('request').map(({ path }) => path)
  await expect.poll(paths).toEqual([...Object.values(asked), '/join/…'])
})

/** Of every kind that a caller has, where a caller sends it. */
function marked(token: string) {
  const mark = 'MARKED-7c1f'
  return {
    mark,
    headers: {
      authorization: `Bearer ${token}`,
      cookie: `quire_session=${mark}-cookie; other=${mark}`,
      'content-type': 'application/json',
      'idempotency-key': `${mark}-idempotency`,
      referer: `https://elsewhere.example/?token=${mark}`,
      'x-request-id': `${mark}-id`,
      traceparent: `${mark}-trace`,
    },
    query: `?code=${mark}&state=${mark}&token=${mark}&user_code=${mark}`,
    body: JSON.stringify({
      email: `${mark}@example.com`,
      password: `${mark}-password`,
      token: mark,
      name: mark,
      url: `https://user:${mark}@example.com/${mark}`,
      question: mark,
      message: mark,
      messages: [{ role: 'user', content: mark }],
      files: [{ path: 'a.md', content: mark }],
      device_code: mark,
      user_code: mark,
    }),
  }
}

it('the log has no secret, whatever is asked with it and however it ends', async () => {
  const service = await logged({ LOG_LEVEL: 'trace', LOG_PAGE_VIEWS: 'on', MODEL_ROUTER_URL: 'http://127.0.0.1:1/v1' })
  const { client, key, session, slug } = await createProject(service.url, 'docs')
  await client.call(contract.deploys.create, { body: { files } })
  const params: Record<string, string> = { slug }
  const tried: string[] = []
  for (const token of [key, session, `quire_${'A'.repeat(49)}`, 'MARKED-7c1f-token']) {
    const { headers, query, body } = marked(token)
    for (const [operation, endpoint] of endpoints) {
      // These end what the others need.
      if (['accounts.logout', 'accounts.remove', 'projects.remove', 'keys.remove'].includes(operation)) continue
      const path = endpoint.path.replace(/:(\w+)\*?/g, (_, name: string) => params[name] ?? 'MARKED-7c1f')
      const init = endpoint.method === 'GET' ? {} : { body }
      const signal = AbortSignal.timeout(2000)
      const asked = fetch(`${service.url}${path}${query}`, { method: endpoint.method, headers, signal, ...init })
      await asked.then((answer) => answer.body?.cancel()).catch(() => undefined)
      tried.push(operation)
    }
    for (const path of [
      '/join/MARKED-7c1f',
      '/api/auth/oidc/callback',
      '/dashboard/device',
      '/git/docs.git/info/refs',
      '/nothing',
    ])
      await (await fetch(`${service.url}${path}${query}`, { headers, redirect: 'manual' })).body?.cancel()
    await ask(service, `/index.md${query}`, {}, 'docs.localhost')
  }
  const basic = Buffer.from(`anna:${key}`).toString('base64')
  await ask(service, '/git/docs.git/info/refs?service=git-upload-pack', { authorization: `Basic ${basic}` })
  await service.service.close()
  expect(new Set(tried).size).toBeGreaterThan(80)
  expect(service.lines('request').length).toBeGreaterThan(200)
  const text = service.text()
  for (const secret of [key, session, basic, 'AAAAAAAAAA', 'docs@example.com', '@example.com'])
    expect(text).not.toContain(secret)
  expect(text.split('\n').filter((line) => line.includes('MARKED'))).toEqual([])
})
