import { describe, expect, it } from 'vitest'
import type { Repository } from '#content/repository.ts'
import { commitsContract } from './commits.ts'
import { historyContract } from './history.ts'
import { mergesContract } from './merges.ts'
import { refsContract } from './refs.ts'
import { commit } from './support.ts'

interface Repositories {
  create(projectId: string): Promise<Repository>
  open(projectId: string): Promise<Repository>
  list(): Promise<string[]>
  remove(projectId: string): Promise<void>
}

/**
 * What any adapter of the port must do.
 *
 * @param open gives a new one; `shared` may give one that has the commits of other tests, since an id names what it names
 */
export function repositoryContract(open: {
  repository: () => Promise<Repository>
  shared?: () => Promise<Repository>
  repositories: () => Promise<Repositories>
}): void {
  const { repository: openRepository, shared = openRepository, repositories: openRepositories } = open
  describe('a repository', () => {
    commitsContract(shared)
    refsContract(openRepository)
    mergesContract(shared)
    historyContract(shared)
  })

  describe('the repositories', () => {
    it('are made once, and found again', async () => {
      const repositories = await openRepositories()
      const repository = await repositories.create('docs')
      expect(repository.projectId).toBe('docs')
      expect(await repositories.open('docs')).toBe(repository)
      expect(await repositories.list()).toEqual(['docs'])
      await expect(repositories.create('docs')).rejects.toMatchObject({ code: 'project_exists' })
    })

    it('forget one that is removed, also when one of its name comes after it', async () => {
      const repositories = await openRepositories()
      const oid = await commit(await repositories.create('docs'), { 'index.mdx': '# Home' })
      await repositories.remove('docs')
      await repositories.remove('docs')
      await expect(repositories.open('docs')).rejects.toMatchObject({ code: 'not_found' })
      const next = await repositories.create('docs')
      await expect(next.readTree(oid)).rejects.toMatchObject({ name: 'ObjectNotFound' })
    })
  })
}
