import { describe, expect, it } from 'vitest'
import { Usage } from '#usage/usage.ts'
import { browser, openAccess } from '#test/support/access.ts'

describe('the plan that an operator gives an account', () => {
  it('holds for all its projects from the next request on', async () => {
    const { store, accounts, projects, lifecycle, now, errors } = await openAccess({ defaultPlan: 'free' })
    const { account } = await accounts.signup(
      { email: 'ada@example.com', password: 'correct horse battery' },
      browser(),
    )
    for (const slug of ['leaves', 'roots']) await lifecycle.create(account.id, { slug })
    const usage = new Usage({
      store,
      projectOf: (slug) => projects.read(slug),
      now,
      onError: (error) => errors.push(error),
    })
    const branch = async (slug: string): Promise<void> => (await usage.reserve(slug, 'branches')).settle(1)

    await branch('leaves')
    for (const slug of ['leaves', 'roots']) await expect(branch(slug)).rejects.toMatchObject({ code: 'quota_exceeded' })
    await accounts.setPlan('ada@example.com', 'pro')
    for (const slug of ['leaves', 'roots']) await branch(slug)
    expect(await usage.read('leaves')).toMatchObject({
      plan: 'pro',
      generations: { used: 3, ofProject: 2, limit: null, remaining: null },
    })
    await accounts.setPlan('ada@example.com', 'free')
    await expect(branch('leaves')).rejects.toMatchObject({ code: 'quota_exceeded' })
    expect((await usage.read('leaves')).generations).toMatchObject({ used: 3, limit: 1, remaining: 0 })
    expect(errors).toEqual([])
  })
})
