import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { inDepth } from '#test/support/depth.ts'
import { contract } from '#contract/index.ts'
import { root } from '#lib/paths.ts'
import { HeldBuilder } from '#test/support/held-builder.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { getSite } from '#test/support/site.ts'

const run = promisify(execFile)

let service: TestService
let builder: HeldBuilder
let project: ProjectAccess
let ended: Promise<unknown> | undefined

beforeEach(async () => {
  builder = new HeldBuilder()
  service = await startTestService({ DRAIN_SECONDS: '30' }, { builder })
  project = await createProject(service.url, 'docs')
  await deploy('first')
  ended = undefined
})
afterEach(async () => {
  builder.release()
  await ended
  await service.close()
})

const deploy = (content: string) =>
  project.client.call(contract.deploys.create, { body: { files: [{ path: 'index.md', content }] } })
const status = async (path: string): Promise<number> => (await fetch(service.url + path)).status

it('a service that ends answers what it has accepted, serves sites, and refuses what comes after', async () => {
  builder.holding = true
  const deploying = deploy('second')
  await expect.poll(() => builder.held.length).toBe(1)
  expect(await status('/readyz')).toBe(200)

  ended = service.service.close()
  await expect.poll(() => status('/readyz')).toBe(503)
  expect(await status('/healthz')).toBe(200)
  expect((await getSite(service.port, 'docs.localhost', '/index.md')).text).toBe('first')
  const refused = project.client.call(contract.branches.create, {
    params: { slug: 'docs' },
    body: { name: 'too-late' },
  })
  await expect(refused).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/Nothing was changed/),
  })

  builder.release()
  expect((await deploying).status).toBe('live')
  await ended
  await expect(status('/readyz')).rejects.toThrow('fetch failed')
})

inDepth(
  'serves sites while somebody is still reading an answer, and whoever comes meanwhile is read to the end, too',
  async () => {
    const content = 'x'.repeat(4_900_000)
    await project.client.call(contract.deploys.create, { body: { files: [{ path: 'large.txt', content }] } })
    const read = async (): Promise<IncomingMessage> => {
      const asked = request({
        port: service.port,
        host: '127.0.0.1',
        path: '/large.txt',
        headers: { host: 'docs.localhost' },
      })
      const [response] = (await once(asked.end(), 'response')) as [IncomingMessage]
      return response
    }
    const slow = await read()
    ended = service.service.close()
    await expect.poll(() => status('/readyz')).toBe(503)
    const late = await read()
    expect((await text(slow)).length).toBe(content.length)
    expect((await text(late)).length).toBe(content.length)
    await ended
  },
)

inDepth('takes a deploy whose files are still on their way when the end begins', async () => {
  const body = JSON.stringify({ files: [{ path: 'index.md', content: 'third' }] })
  const sent = request(`${service.url}/api/deploy`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${project.key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      expect: '100-continue',
    },
  })
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>
  sent.flushHeaders()
  await once(sent, 'continue')
  sent.write(body.slice(0, 20))
  ended = service.service.close()
  await expect.poll(() => status('/readyz')).toBe(503)
  sent.end(body.slice(20))
  const [response] = await answered
  expect(response.statusCode).toBe(201)
  expect(JSON.parse(await text(response))).toMatchObject({ status: 'live' })
  expect(await ended).toBe(0)
})

inDepth('tells a push at its first question that nothing is taken any more', async () => {
  builder.holding = true
  const deploying = deploy('fourth')
  await expect.poll(() => builder.held.length).toBe(1)
  ended = service.service.close()
  await expect.poll(() => status('/readyz')).toBe(503)
  const url = `${service.url.replace('://', `://quire:${project.key}@`)}/git/docs.git`
  const asked = await run('git', ['ls-remote', url]).then(() => 'answered')
  const pushed = await run('git', ['push', url, 'HEAD:refs/heads/draft'], { cwd: root }).then(
    () => 'pushed',
    (error: Error) => error.message,
  )
  expect([asked, pushed]).toEqual(['answered', expect.stringContaining('remote: Send the request again')])
  builder.release()
  await deploying
})

inDepth('cuts off what does not come to its end in time, and says how much', async () => {
  await service.close()
  service = await startTestService({ DRAIN_SECONDS: '1' }, { builder })
  project = await createProject(service.url, 'docs')
  builder.holding = true
  const deploying = deploy('fourth')
  await expect.poll(() => builder.held.length).toBe(1)
  const answer = deploying.catch((error: unknown) => error)
  ended = service.service.close()
  expect(await answer).toMatchObject({ code: 'unavailable' })
  expect(await ended).toBe(1)
})
