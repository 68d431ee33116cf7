import { repositoryContract } from '#test/support/content/contract/repository.ts'
import { MemoryRepositories, MemoryRepository } from '#test/support/memory-repository.ts'

repositoryContract({
  repository: async () => new MemoryRepository('docs'),
  repositories: async () => new MemoryRepositories(),
})
