import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { quire } from '#test/support/command-line.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { createProject } from '#test/support/service-process.ts'
import { startTestService } from '#test/support/service.ts'
import { join as joinProject } from '#test/support/members.ts'
import { temporaryDirectory, writeFiles } from '#test/support/temporary.ts'

it('somebody who joined a project sees that, and leaves it', async () => {
  const service = await startTestService({}, { builder: new FakeBuilder() })
  onTestFinished(() => service.close())
  const url = `http://localhost:${service.port}`
  const { key } = await createProject(url, 'leaves')
  const guides = await createProject(url, 'guides')
  const writer = { email: 'leaves@example.com', password: 'correct horse battery' }
  const owner = createClient({ baseUrl: url, token: guides.session })
  const home = await temporaryDirectory()
  const { token } = await createClient({ baseUrl: url }).call(contract.accounts.login, { body: writer })
  await joinProject(owner, 'guides', { client: createClient({ baseUrl: url, token }), email: writer.email })
  await writeFiles(home, { 'quire/credentials.json': JSON.stringify({ [url]: { token, email: writer.email } }) })
  await chmod(join(home, 'quire/credentials.json'), 0o600)
  const run = (...words: string[]) => quire(['--url', url, ...words], { XDG_CONFIG_HOME: home })

  expect((await run('whoami')).stdout).toMatch(/^projects +guides \(writer\), leaves$/m)
  expect(JSON.parse((await run('whoami', '--json')).stdout)).toMatchObject({
    projects: ['guides', 'leaves'],
    roles: { guides: 'writer', leaves: 'owner' },
  })

  // Nobody can be asked here, an owner cannot go, and a key is nobody who could.
  expect(await run('leave', '--project', 'guides')).toMatchObject({ code: 2, stdout: '' })
  const mine = await run('leave', '--project', 'leaves', '--yes')
  expect([mine.code, mine.stderr]).toEqual([2, expect.stringContaining('You own leaves')])
  const withKey = await quire(['--url', url, 'leave', '--yes'], { SERVICE_API_KEY: key })
  expect([withKey.code, withKey.stderr]).toEqual([4, expect.stringContaining('An API key has no part')])

  expect(await run('leave', '--project', 'guides', '--yes')).toMatchObject({ code: 0, stdout: 'You left guides.\n' })
  expect(JSON.parse((await run('whoami', '--json')).stdout)).toMatchObject({ projects: ['leaves'] })
  const { items } = await owner.call(contract.members.list, { params: { slug: 'guides' } })
  expect(items.map(({ email }) => email)).toEqual(['guides@example.com'])
})
