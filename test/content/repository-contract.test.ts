import { describe, expect, it } from 'vitest'
import { MemoryRepositories, MemoryRepository } from '../support/memory-repository.ts'
import { commitsContract } from './contract/commits.ts'
import { historyContract } from './contract/history.ts'
import { mergesContract } from './contract/merges.ts'
import { refsContract } from './contract/refs.ts'
import { commit } from './contract/support.ts'
import { newRepositories, newRepository } from './support.ts'

describe.each([
  ['on disk', newRepository],
  ['in memory', async () => new MemoryRepository('docs')],
])('a repository %s', (_, open) => {
  commitsContract(open)
  refsContract(open)
  mergesContract(open)
  historyContract(open)
})

describe.each([
  ['on disk', async () => (await newRepositories()).repositories],
  ['in memory', async () => new MemoryRepositories()],
])('the repositories %s', (_, open) => {
  it('are made once, and found again', async () => {
    const repositories = await open()
    const repository = await repositories.create('docs')
    expect(repository.projectId).toBe('docs')
    expect(await repositories.open('docs')).toBe(repository)
    expect(await repositories.list()).toEqual(['docs'])
    await expect(repositories.create('docs')).rejects.toMatchObject({ code: 'project_exists' })
  })

  it('forget one that is removed, also when one of its name comes after it', async () => {
    const repositories = await open()
    const oid = await commit(await repositories.create('docs'), { 'index.mdx': '# Home' })
    await repositories.remove('docs')
    await repositories.remove('docs')
    await expect(repositories.open('docs')).rejects.toMatchObject({ code: 'not_found' })
    const next = await repositories.create('docs')
    await expect(next.readTree(oid)).rejects.toMatchObject({ name: 'ObjectNotFound' })
  })
})
