import { repositoryContract } from '#test/support/content/contract/repository.ts'
import { newRepositories, newRepository } from '#test/support/content/support.ts'

repositoryContract(newRepository, async () => (await newRepositories()).repositories)
