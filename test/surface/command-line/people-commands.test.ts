import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { quire, type Finished } from '#test/support/command-line.ts'
import { inDepth, isDeep } from '#test/support/depth.ts'
import { sharedService } from '#test/support/shared-service.ts'
import { removeDirectory, writeFiles } from '#test/support/temporary.ts'

const password = 'correct horse battery'

/** Somebody who is signed in on the command line. */
interface Person {
  readonly email: string
  readonly run: (...words: string[]) => Promise<Finished>
}

describe('people on the command line', () => {
  let url: string
  let home: string
  let ada: Person
  let grace: Person

  const signIn = async (name: string, token: string): Promise<Person> => {
    const email = `${name}@example.com`
    await writeFiles(join(home, name), { 'quire/credentials.json': JSON.stringify({ [url]: { token, email } }) })
    await chmod(join(home, name, 'quire/credentials.json'), 0o600)
    return { email, run: (...words) => quire(['--url', url, ...words], { XDG_CONFIG_HOME: join(home, name) }) }
  }
  const signUp = async (name: string): Promise<Person> => {
    const body = { email: `${name}@example.com`, password }
    return signIn(name, (await createClient({ baseUrl: url }).call(contract.accounts.signup, { body })).token)
  }

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'quire-people-'))
    url = `http://localhost:${(await sharedService()).port}`
    ada = await signUp('people-ada')
    const { token } = await createClient({ baseUrl: url }).call(contract.accounts.login, {
      body: { email: ada.email, password },
    })
    const owner = createClient({ baseUrl: url, token })
    await owner.call(contract.projects.create, { body: { slug: 'peopled' } })
    await owner.call(contract.keys.create, { params: { slug: 'peopled' }, body: { name: 'robot' } })
    grace = await signUp('people-grace')
  })
  afterAll(() => removeDirectory(home))

  it('are invited by a link, accept with its code, and see that they joined', async () => {
    const invited = await ada.run('members', 'invite', grace.email)
    expect([invited.code, invited.stderr]).toEqual([0, expect.stringContaining('no mail was sent')])
    const [, id = '', code = ''] = /#invitation=(inv_\w+)\.(\S+)\n$/.exec(invited.stdout) ?? []
    if (isDeep) expect((await ada.run('members')).stdout).toContain(`invited ${grace.email} as writer`)
    expect((await grace.run('invitations')).stdout).toContain(`${id}  peopled as writer`)
    if (isDeep) {
      const without = await grace.run('invitations', 'accept', id)
      expect([without.code, without.stderr]).toEqual([4, expect.stringContaining('takes the code')])
    }
    const accepted = await grace.run('invitations', 'accept', id, code)
    expect([accepted.code, accepted.stdout]).toEqual([0, 'You are a writer of peopled now.\n'])
    expect((await ada.run('members')).stdout).toBe('owner   people-ada@example.com\nwriter  people-grace@example.com\n')
    if (!isDeep) return
    // A writer sees names.
    expect((await grace.run('members')).stdout).toBe('owner   people-ada\nwriter  people-grace@example.com\n')
    expect((await grace.run('invitations')).stdout).toBe('Nobody has invited you.\n')
  })

  inDepth('decline, and owners take back', async () => {
    const made = async (): Promise<string> =>
      (JSON.parse((await ada.run('members', 'invite', grace.email, '--json')).stdout) as { id: string }).id
    const declined = await grace.run('invitations', 'decline', await made())
    expect(declined.code, declined.stderr).toBe(0)
    const revoked = await ada.run('members', 'revoke', await made())
    expect(revoked.code, revoked.stderr).toBe(0)
    expect((await grace.run('invitations')).stdout).toBe('Nobody has invited you.\n')
    expect((await grace.run('members', 'invite', 'x@example.com')).code).toBe(4)
  })

  it('rename keys', async () => {
    const line = (await ada.run('keys')).stdout
    expect(line).toMatch(/^key_\S+ {2}quire_\S{6}… {2}read,write,deploy,generate {2}never used {2}robot\n$/)
    const [id = ''] = line.split(' ', 1)
    const renamed = await ada.run('keys', 'rename', id, 'deployer')
    expect([renamed.code, renamed.stdout]).toEqual([0, `The key ${id} is called deployer now.\n`])
    if (isDeep) expect((await ada.run('keys')).stdout).toContain('deployer')
  })

  inDepth('take a project over', async () => {
    const invited = await ada.run('members', 'invite', grace.email, '--owner')
    const [, id = '', code = ''] = /#invitation=(inv_\w+)\.(\S+)\n$/.exec(invited.stdout) ?? []
    expect((await grace.run('invitations', 'accept', id, code)).stdout).toBe('You are the owner of peopled now.\n')
    expect((await grace.run('members')).stdout).toBe(
      'owner   people-grace@example.com\nwriter  people-ada@example.com\n',
    )
    expect((await ada.run('keys')).code).toBe(4)
  })
})
