import { describe, expect, test } from 'vitest'
import type { DomainsDocument } from '#domains/stored-domain.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { name, openDomainsRoom, verified } from '#test/support/domains/support.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

describe('at the next start', () => {
  test('all is as it was', async () => {
    const directory = await temporaryDirectory()
    const { domains, dns, store } = await verified(directory)
    await domains.add('docs', 'example.org')
    await domains.add('other', name)
    await store.close()
    const again = await openDomainsRoom(dns, directory)
    expect(again.domains.projectAt(name)).toBe('docs')
    expect(again.domains.projectAt('example.org')).toBeUndefined()
    expect(await again.domains.list('docs')).toMatchObject([
      { domain: 'example.org' },
      { domain: name, verified: true },
    ])
  })

  test('a domain that two documents of a backup call verified is the later one’s', async () => {
    const directory = await temporaryDirectory()
    const { domains, dns, store, pass } = await verified(directory)
    // The document of the first as it was before the domain went to the other.
    pass(1000)
    const earlier = structuredClone((await store.read<DomainsDocument>('project/docs'))?.domains ?? [])
    await domains.remove('docs', name)
    dns.enter(await domains.add('other', name))
    await domains.verify('other', name)
    await store.mutate<DomainsDocument, void>('project/docs', (draft) => {
      if (draft !== undefined) draft.domains = earlier
      return { document: draft, result: undefined }
    })
    await store.close()
    const again = await openDomainsRoom(dns, directory)
    expect(again.domains.projectAt(name)).toBe('other')
    expect(await again.domains.list('docs')).toMatchObject([
      { verified: false, problem: expect.stringContaining('Another project') },
    ])
  })

  test('a domain that the service itself has come to use is nobody’s, and its project is told', async () => {
    const directory = await temporaryDirectory()
    const { dns, store } = await verified(directory)
    await store.close()
    const { domains } = await openDomainsRoom(dns, directory, 'dashboard.example.com')
    expect(domains.isServed(name)).toBe(false)
    expect(await domains.list('docs')).toMatchObject([
      { verified: false, problem: expect.stringContaining('The service itself uses docs.example.com now') },
    ])
    expect((await refusalOf(domains.verify('docs', name))).code).toBe('invalid_domain')
    await domains.remove('docs', name)
    expect(await domains.list('docs')).toEqual([])
  })
})
