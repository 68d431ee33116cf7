import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { Repositories } from '#content/repositories.ts'
import type { Repository } from '#content/repository.ts'
import { repositoryContract } from '#test/support/content/contract/repository.ts'
import { newGit, newRepositories, newRepository } from '#test/support/content/support.ts'
import { removeDirectory } from '#test/support/temporary.ts'

let directory: string
let repositories: Repositories
let shared: Repository
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-contract-'))
  repositories = new Repositories({ directory, git: newGit() })
  shared = await repositories.create('docs')
})
afterAll(async () => {
  await repositories.close()
  await removeDirectory(directory)
})

repositoryContract({
  repository: newRepository,
  shared: async () => shared,
  repositories: async () => (await newRepositories()).repositories,
})
