import { expect, it, onTestFinished } from 'vitest'
import type { Domain } from '#contract/domains.ts'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { quire } from '#test/support/command-line.ts'
import { startDns } from '#test/support/dns-stub.ts'
import { createProject, startService, type ServiceProcess } from '#test/support/service-process.ts'
import { getSite } from '#test/support/site.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const domain = 'docs.example.com'

/** A service that asks a name server of the test’s own, and the commands of an owner who has a key for all of it. */
async function open() {
  const texts = new Map<string, readonly string[]>()
  const { server } = await startDns((name) => texts.get(name) ?? null)
  const directory = await temporaryDirectory()
  let service: ServiceProcess = await startService(directory, { DNS_SERVERS: server })
  onTestFinished(() => service.stop())
  const { session, client } = await createProject(service.url, 'told')
  await client.call(contract.deploys.create, { body: { files: [{ path: 'index.md', content: '# Hello' }] } })
  const { key } = await createClient({ baseUrl: service.url, token: session }).call(contract.keys.create, {
    params: { slug: 'told' },
    body: { name: 'all', scopes: ['read', 'admin'] },
  })
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await quire(['domains', ...words], {
      SERVICE_API_KEY: key,
      QUIRE_URL: service.url,
    })
    return { code, stdout: stdout.trim(), stderr }
  }
  const restart = async (): Promise<void> => {
    await service.kill()
    service = await startService(directory, { DNS_SERVERS: server }, service.port)
  }
  const home = () => getSite(service.port, domain, '/')
  return { texts, run, restart, home, port: service.port }
}

it('a domain is added, verified, served over a kill -9, and removed', async () => {
  const { texts, run, restart, home, port } = await open()
  expect((await run()).stdout).toBe('told has no domains of its own.')
  const added = await run('add', 'Docs.Example.com')
  expect(added.code).toBe(0)
  const [, value = ''] = /^TXT {4}_quire\.docs\.example\.com {2}(\S+)$/m.exec(added.stdout) ?? []
  expect(value).toMatch(/^quire-verification=/)
  expect(added.stdout).toMatch(/^CNAME {2}docs\.example\.com {2}told\.localhost$/m)
  expect(added.stderr).toContain(`quire domains verify ${domain}`)

  const early = await run('verify', domain)
  expect(early).toMatchObject({ code: 1, stdout: expect.stringMatching(/^pending.*\n.*There is no TXT record/) })
  expect((await home()).status).toBe(421)

  texts.set(`_quire.${domain}`, [value])
  expect(await run('verify', domain)).toMatchObject({ code: 0, stdout: `verified  ${domain}` })
  expect(await home()).toMatchObject({ status: 200, text: expect.stringContaining('Hello') })
  await restart()
  expect((await home()).status).toBe(200)

  expect((await run('primary', domain)).stdout).toMatch(/^Readers of other addresses are led to http:.*docs\.example/)
  expect((await run('list')).stdout).toBe(`verified  ${domain}  primary`)
  expect((await getSite(port, 'told.localhost', '/')).status).toBe(308)
  expect((await run('primary')).code).toBe(2)
  expect((await run('primary', '--none')).stdout).toBe('Each address shows the site.')
  expect((await getSite(port, 'told.localhost', '/')).status).toBe(200)

  texts.clear()
  const failing = JSON.parse((await run('verify', domain, '--json')).stdout) as Domain
  expect(failing).toMatchObject({ domain, verified: true, problem: expect.stringContaining('is served at') })
  expect((await run('list')).stdout).toMatch(/^failing {3}docs\.example\.com\n/)

  expect(await run('remove', domain)).toMatchObject({
    code: expect.any(Number),
    stderr: expect.stringContaining('--yes'),
  })
  expect((await run('remove', domain, '--yes')).stdout).toBe(`removed ${domain}`)
  expect((await home()).status).toBe(421)
  expect(await run('add', 'https://docs.example.com')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is an address'),
  })
})
