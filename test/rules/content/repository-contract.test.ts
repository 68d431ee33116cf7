import { repositoryContract } from '#test/support/content/contract/repository.ts'
import { MemoryRepositories, MemoryRepository } from '#test/support/memory-repository.ts'

repositoryContract(
  async () => new MemoryRepository('docs'),
  async () => new MemoryRepositories(),
)
