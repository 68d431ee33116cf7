import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { startLogin } from '#test/support/login-process.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { createProject } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { removeDirectory } from '#test/support/temporary.ts'

let home: string
let service: TestService
let time = Date.now()

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'quire-expiry-'))
  service = await startTestService({}, { builder: new FakeBuilder(), now: () => new Date(time) })
})
afterAll(async () => {
  await service.close()
  await removeDirectory(home)
})

it('a terminal whose code nobody approved in time ends with what to do, and the code is good for nothing', async () => {
  const { session } = await createProject(service.url, 'docs')
  const login = await startLogin(['--json'], { HOME: home, QUIRE_URL: service.url })
  time += 10 * 60_000
  const { code, stdout } = await login.finished
  expect(code).toBe(4)
  expect(JSON.parse(stdout)).toEqual({
    error: { code: 'expired_token', message: 'Nobody approved the code in time.', next: ['Run quire login again.'] },
  })
  const owner = createClient({ baseUrl: service.url, token: session })
  const late = await refusalOf(owner.call(contract.device.approve, { body: { user_code: login.code } }))
  expect(late.code).toBe('not_found')
})
