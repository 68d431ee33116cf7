import { mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { quire as run, type Finished } from '#test/support/command-line.ts'
import { startLogin } from '#test/support/login-process.ts'
import { openSecretService, type SecretService } from '#test/support/secret-service.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { removeDirectory } from '#test/support/temporary.ts'

describe.skipIf(process.platform !== 'linux')('with a keychain', () => {
  let directory: string
  let keychain: SecretService
  let service: TestService
  let project: ProjectAccess

  const environment = (): Record<string, string> => ({
    HOME: directory,
    XDG_CONFIG_HOME: join(directory, 'config'),
    QUIRE_URL: service.url,
    DBUS_SESSION_BUS_ADDRESS: keychain.address,
  })
  const quire = (...words: string[]): Promise<Finished> => run(words, environment(), directory)

  /** Runs the built `quire login` and approves it as the project's owner. */
  async function login(...words: string[]): Promise<Finished> {
    const started = await startLogin(words, environment())
    const owner = createClient({ baseUrl: service.url, token: project.session })
    await owner.call(contract.device.approve, { body: { user_code: started.code } })
    return started.finished
  }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'quire-keychain-'))
    keychain = await openSecretService(join(directory, 'bus'))
    service = await startTestService({}, { builder: new FakeBuilder() })
    project = await createProject(service.url, 'docs')
  })
  afterAll(async () => {
    await service.close()
    await keychain.close()
    await removeDirectory(directory)
  })

  it('a session is kept there and nowhere else, is used, and goes with the sign-out', async () => {
    const signedIn = await login('--require-keychain', '--json')
    expect(signedIn.code, signedIn.stderr).toBe(0)
    expect(JSON.parse(signedIn.stdout)).toMatchObject({
      stored: { kind: 'keychain' },
      account: { email: 'docs@example.com' },
    })
    expect(JSON.parse(keychain.secrets.get(service.url) ?? '')).toEqual({
      token: expect.stringMatching(/^quire_s_/),
      email: 'docs@example.com',
    })
    // It remembers whom it signed in to, and nothing else.
    expect(await readdir(join(directory, 'config', 'quire'))).toEqual(['services.json'])
    expect((await quire('whoami')).stdout).toMatch(/session +in the system keychain/)
    expect((await quire('deploys')).stdout).toContain('docs has no deploys yet')
    expect((await quire('logout')).stdout).toBe(`Signed out of ${service.url}, as docs@example.com\n`)
    expect(keychain.secrets.size).toBe(0)
    expect((await quire('whoami')).code).toBe(4)
  })

  it('that does not answer, the session goes to the file', async () => {
    keychain.silent = true
    const signedIn = await login()
    keychain.silent = false
    expect(signedIn.code, signedIn.stderr).toBe(0)
    expect(signedIn.stderr).toMatch(/kept in .*credentials\.json, because the system keychain cannot be used/)
    expect(keychain.secrets.size).toBe(0)
    expect((await quire('logout')).code).toBe(0)
  })
})
