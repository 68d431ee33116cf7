import { expect, it, onTestFinished } from 'vitest'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { quire } from '#test/support/command-line.ts'
import { createProject, startService } from '#test/support/service-process.ts'
import { getSite } from '#test/support/site.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

/** A service, and the commands of an owner who has a key for all of it. */
async function open() {
  const service = await startService(await temporaryDirectory())
  onTestFinished(() => service.stop())
  const { session, client } = await createProject(service.url, 'told')
  await client.call(contract.deploys.create, { body: { files: [{ path: 'index.md', content: '# Hello' }] } })
  const { key } = await createClient({ baseUrl: service.url, token: session }).call(contract.keys.create, {
    params: { slug: 'told' },
    body: { name: 'all', scopes: ['read', 'admin'] },
  })
  const run = async (words: string, input?: string) => {
    const environment = { SERVICE_API_KEY: key, QUIRE_URL: service.url }
    const { code, stdout, stderr } = await quire(words.split(' '), environment, undefined, input)
    return { code, stdout: stdout.trim(), stderr }
  }
  const home = (headers = {}) => getSite(service.port, 'told.localhost', '/', headers)
  const enter = (url: string) => getSite(service.port, 'told.localhost', new URL(url).pathname + new URL(url).search)
  return { run, home, enter, key }
}

it('a site is made private, shared by a link and a password, and made public again', async () => {
  const { run, home, enter, key } = await open()
  expect(await run('visibility')).toMatchObject({ code: 0, stdout: 'Everybody sees told.' })
  expect(await run('share create Reviewers')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('private first'),
  })
  expect((await run('visibility private')).stdout).toBe('told is private: members see it.')
  expect((await home()).status).toBe(401)
  expect((await home({ authorization: `Bearer ${key}` })).status).toBe(200)

  const created = await run('share create Reviewers --expires 30d')
  expect(created).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^http:\S+\/_quire\/enter\?share=quire_v_\w+$/),
  })
  expect(created.stderr).toContain('it is shown this once')
  const entered = await enter(created.stdout)
  const [cookie = ''] = entered.headers['set-cookie'] ?? []
  expect((await home({ cookie: cookie.split(';', 1)[0] ?? '' })).status).toBe(200)
  expect((await run('share')).stdout).toMatch(/^shr_\w+ {2}of \d{4}-\d\d-\d\d, until \d{4}-\d\d-\d\d {2}Reviewers$/)

  expect((await run('visibility password')).stdout).toMatch(/^[\w-]{20}$/)
  expect(await run('visibility password --password-stdin', 'open sesame please\n')).toMatchObject({
    code: 0,
    stdout: 'told has another password.',
  })
  expect((await run('visibility')).stdout).toBe(
    'told is private: members see it, who knows its password, who has one of 1 share link.',
  )
  expect((await run('visibility password --remove')).code).toBe(0)

  expect((await run('share revoke Nobody --yes')).code).toBe(1)
  expect(await run('share revoke Reviewers --yes')).toMatchObject({ code: 0, stdout: 'revoked Reviewers' })
  expect((await home({ cookie: cookie.split(';', 1)[0] ?? '' })).status).toBe(401)
  expect((await run('visibility public')).code).toBe(2)
  expect(await run('visibility public --yes')).toMatchObject({ code: 0, stdout: 'Everybody sees told.' })
  expect((await home()).status).toBe(200)
})
