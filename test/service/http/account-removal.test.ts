import { expect, it, onTestFinished } from 'vitest'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { operator } from '#contract/operator.ts'
import { connectToOperator } from '#http/operator/socket.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { startTestService } from '#test/support/service.ts'

const password = 'correct horse battery'

it('an account that makes projects while it is removed leaves none without an owner', async () => {
  const service = await startTestService({}, { builder: new FakeBuilder() })
  onTestFinished(() => service.close())
  const { fetch, close } = await connectToOperator(service.directory)
  onTestFinished(close)
  const client = createClient({ baseUrl: 'http://operator', fetch })
  const anybody = createClient({ baseUrl: service.url })

  for (const round of ['a', 'b', 'c']) {
    const email = `${round}@example.com`
    const { token } = await anybody.call(contract.accounts.signup, { body: { email, password } })
    const person = createClient({ baseUrl: service.url, token })
    const slugs = Array.from({ length: 6 }, (_, index) => `${round}-${index}`)
    const making = slugs.map((slug) => person.call(contract.projects.create, { body: { slug } }))
    const [removal, ...made] = await Promise.allSettled([
      client.call(operator.accounts.remove, { query: { email } }),
      ...making,
    ])

    const { token: next } = await anybody.call(contract.accounts.signup, {
      body: { email: `next-${round}@example.com`, password },
    })
    const other = createClient({ baseUrl: service.url, token: next })
    for (const [index, slug] of slugs.entries()) {
      const isThere = made[index]?.status === 'fulfilled'
      // Whoever has got a project keeps the account; no name is left to nobody.
      if (isThere) expect(removal.status).toBe('rejected')
      const taken = await other.call(contract.projects.create, { body: { slug } }).then(
        () => false,
        () => true,
      )
      expect([slug, taken]).toEqual([slug, isThere])
    }
  }
})
