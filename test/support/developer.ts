import { randomUUID } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { BareRepository } from '#content/repository.ts'
import { contract } from '#contract/index.ts'
import { author, git, serveGit, type GitService } from './git-service.ts'
import { createProject, type ProjectAccess } from './service-process.ts'
import { temporaryDirectory, writeFiles } from './temporary.ts'

export interface Developer extends GitService {
  /** A clone. */
  readonly clone: string
  /** What main is when the developer clones. */
  readonly main: string
}

/** A project with a deploy, and a developer who has cloned it. */
export async function develop(options: Parameters<typeof serveGit>[0] = {}): Promise<Developer> {
  const service = await serveGit(options)
  const files = [
    { path: 'index.mdx', content: Buffer.from('# Hello\n') },
    { path: 'guides/start.mdx', content: Buffer.from(`# Start\n${'A long line of text.\n'.repeat(200)}`) },
  ]
  const { commit } = await service.repository.replaceTree({ files, parent: null, author, message: 'first' })
  await service.repository.updateRefs([
    { ref: 'refs/heads/main', old: null, new: commit },
    { ref: 'refs/deploys/1', old: null, new: commit },
  ])
  const home = await temporaryDirectory()
  await git(home, 'clone', '--quiet', service.url, 'clone')
  return { ...service, clone: join(home, 'clone'), main: commit }
}

/** A project of a service with one page, and a clone of it. */
export async function cloneProject(serviceUrl: string): Promise<{ project: ProjectAccess; clone: string }> {
  const project = await createProject(serviceUrl, `p${randomUUID().slice(0, 8)}`)
  await project.client.call(contract.deploys.create, { body: { files: [{ path: 'index.mdx', content: '# Hello' }] } })
  const home = await temporaryDirectory()
  const url = `${serviceUrl.replace('http://', `http://me:${project.key}@`)}/git/${project.slug}.git`
  await git(home, 'clone', '--quiet', url, 'clone')
  return { project, clone: join(home, 'clone') }
}

/** Commits files in the clone; null deletes. Returns the commit. */
export async function commitFiles(
  clone: string,
  files: Readonly<Record<string, string | Uint8Array | null>>,
): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    if (content === null) await rm(join(clone, path))
    else await writeFiles(clone, { [path]: content })
  }
  await git(clone, 'add', '--all', '--force')
  await git(clone, 'commit', '--quiet', '-m', 'change')
  return (await git(clone, 'rev-parse', 'HEAD')).trim()
}

/** The repository holds nothing half: no quarantine, no damage; and nothing went wrong inside. */
export async function expectSound({ repository, errors }: GitService): Promise<void> {
  expect((await readdir(join(repository.directory, 'objects'))).filter((name) => name.startsWith('tmp_'))).toEqual([])
  expect(await repository.fsck()).toEqual([])
  expect(errors).toEqual([])
}

/** Names of all object files. */
export async function stored({ directory }: BareRepository): Promise<string[]> {
  return (await readdir(join(directory, 'objects'), { recursive: true })).sort()
}
