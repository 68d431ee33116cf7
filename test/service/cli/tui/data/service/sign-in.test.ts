import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Credentials } from '#cli/credentials/credentials.ts'
import { KeychainUnavailable } from '#cli/credentials/keychain.ts'
import { KnownServices } from '#cli/credentials/known-services.ts'
import { SessionFile } from '#cli/credentials/session-store.ts'
import { openWorkspace } from '#cli/tui/data/service/open-workspace.ts'
import { beginSignIn, findSignIn, signOut, type SignInOptions } from '#cli/tui/data/service/sign-in.ts'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { startDocs, type StartedDocs } from '#test/support/cli/tui/data/workspaces.ts'

let docs: StartedDocs
beforeAll(async () => {
  docs = await startDocs()
})
afterAll(() => docs.close())

/** A machine without a keychain. */
async function machine(key?: string): Promise<SignInOptions> {
  const configDirectory = await temporaryDirectory()
  const none = (): Promise<never> => Promise.reject(new KeychainUnavailable('there is none'))
  return {
    environment: { configDirectory, key, urlBy: { kind: 'person' } },
    url: docs.service.url,
    credentials: new Credentials({
      keychain: { read: none, write: none, remove: none },
      file: new SessionFile(configDirectory),
      known: new KnownServices(configDirectory),
    }),
  }
}

describe('a sign-in from the UI', () => {
  it('waits for the approval, keeps the session, and is found by the next start until somebody signs out', async () => {
    const options = await machine()
    expect(await findSignIn(options)).toBe(undefined)
    const pending = await beginSignIn(options)
    expect(pending.code).toMatch(/^[A-Z]{4}-[A-Z]{4}$/)
    expect(pending.address).toContain(pending.code)
    expect(pending.expiresAt.getTime()).toBeGreaterThan(Date.now())
    const owner = createClient({ baseUrl: docs.service.url, token: docs.project.session })
    await owner.call(contract.device.approve, { body: { user_code: pending.code } })
    const { account, credential, keptIn, keychainReason } = await pending.wait()
    expect([account.email, keychainReason]).toEqual(['docs@example.com', 'there is none'])
    expect(keptIn).toContain('credentials.json')

    const found = await findSignIn(options)
    expect(found).toEqual(credential)
    const environment = { stateDirectory: await temporaryDirectory() }
    const workspace = await openWorkspace({ environment, url: docs.service.url, credential })
    expect((await workspace.projects()).value.map(({ slug }) => slug)).toEqual(['docs'])
    await signOut(options)
    expect(await findSignIn(options)).toBe(undefined)
    const refusal = await refusalOf(workspace.projects())
    expect([refusal.code, refusal.hint]).toEqual([
      'unauthenticated',
      'Sign in again. What you typed is kept on this machine.',
    ])
    await workspace.close()
  })

  it('can be broken off', async () => {
    const pending = await beginSignIn(await machine())
    const controller = new AbortController()
    const waiting = pending.wait(controller.signal)
    controller.abort()
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('is not needed with a key, which opens its project', async () => {
    const credential = await findSignIn(await machine(docs.project.key))
    if (credential === undefined) throw new Error('no credential')
    const environment = { stateDirectory: await temporaryDirectory() }
    const workspace = await openWorkspace({ environment, url: docs.service.url, credential })
    expect([workspace.identity, (await workspace.projects()).value.length]).toEqual([{ kind: 'key' }, 1])
    await workspace.close()
  })
})
