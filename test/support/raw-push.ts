import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { basic, type GitService } from './git-service.ts'

/** Nothing has come into the empty repository. */
export async function expectUntouched({ repository, errors }: GitService): Promise<void> {
  const objects = await readdir(join(repository.directory, 'objects'), { recursive: true })
  expect(objects.filter((name) => !['info', 'pack'].includes(name))).toEqual([])
  expect(await repository.listRefs('refs/')).toEqual(new Map())
  expect(await repository.fsck()).toEqual([])
  expect(errors).toEqual([])
}

/** Sends a push as it is given. */
export const post = (service: GitService, payload: string | Buffer, headers: Record<string, string> = {}) =>
  service.app.inject({
    method: 'POST',
    url: '/git/docs.git/git-receive-pack',
    headers: { authorization: basic, 'content-type': 'application/x-git-receive-pack-request', ...headers },
    payload,
  })
