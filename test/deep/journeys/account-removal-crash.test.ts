import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { createClient, type Client } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { lifecycleSteps } from '#projects/lifecycle.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { startService, unlimited } from '#test/support/service-process.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const body = { email: 'ada@example.com', password: 'correct horse battery' }
const ofRemovals = lifecycleSteps.filter((step) => step.startsWith('removal-'))

it.each(ofRemovals)(
  'an account whose removal is killed at %s of a project has what is left of its projects, and goes when it is asked for again',
  async (step) => {
    const directory = await temporaryDirectory()
    let service = await startService(directory, { ...unlimited, QUIRE_FAILPOINT: step })
    const { url } = service
    const remove = (ada: Client) =>
      ada.call(contract.accounts.remove, { body: { password: body.password, projects: 'delete' } })
    const signIn = async (): Promise<Client> => {
      const { token } = await createClient({ baseUrl: url }).call(contract.accounts.login, { body })
      return createClient({ baseUrl: url, token })
    }
    const { token } = await createClient({ baseUrl: url }).call(contract.accounts.signup, { body })
    const ada = createClient({ baseUrl: url, token })
    for (const slug of ['first', 'second']) await ada.call(contract.projects.create, { body: { slug } })
    const ended = once(service.child, 'exit')
    expect((await refusalOf(remove(ada))).code).toBe('unavailable')
    expect(await ended).toEqual([null, 'SIGKILL'])

    service = await startService(directory, unlimited, service.port)
    try {
      const again = await signIn()
      const { items } = await again.call(contract.projects.list, { query: {} })
      expect(items).toHaveLength(1)
      const repositories = async () => (await readdir(directory)).filter((name) => name.endsWith('.git'))
      await expect.poll(repositories).toHaveLength(1)
      await remove(again)
      expect((await refusalOf(signIn())).code).toBe('unauthenticated')
      expect((await refusalOf(ada.call(contract.accounts.me))).code).toBe('unauthenticated')
      await expect.poll(repositories).toEqual([])
      await createClient({ baseUrl: url }).call(contract.accounts.signup, { body })
    } finally {
      await service.stop()
    }
  },
)
