import { describe, expect, it, onTestFinished } from 'vitest'
import { Repositories } from '#content/repositories.ts'
import { OperatedProjects } from '#operator/projects.ts'
import { DataDirectory } from '#storage/directory/data-directory.ts'
import { openHosting } from '#test/support/hosting/support.ts'
import { openFileRecords } from '#test/support/file-records.ts'
import { author } from '#test/support/git-service.ts'
import { git, slug } from '#test/support/operator/support.ts'

async function openProjects() {
  const { hosting, directory } = await openHosting()
  const repositories = new Repositories({ directory, git })
  onTestFinished(() => repositories.close())
  const repository = await repositories.create(slug)
  const { commit } = await repository.replaceTree({ files: [], parent: null, author, message: 'first' })
  await repository.updateRefs([{ ref: 'refs/heads/main', old: null, new: commit }])
  const releases = await hosting.open(slug)
  const projects = new OperatedProjects({
    directory: new DataDirectory(directory),
    repositories,
    hosting,
    records: openFileRecords(directory),
    repairReleases: () => Promise.reject(new Error('nothing is to be repaired')),
    collectReleases: () => releases.collect(new Set(), new Date()),
  })
  return { projects, repository, commit, releases }
}

describe('what the owner of the projects does for an operator', () => {
  it('keeps from being collected what it holds, while people go on', async () => {
    const { projects, repository, commit, releases } = await openProjects()
    const held = await projects.hold(slug)
    expect(held.snapshot).toEqual({
      projectId: slug,
      document: null,
      refs: [['refs/heads/main', commit]],
      use: {},
      grown: {},
    })
    const ended: string[] = []
    const collections = [
      repository.maintain().then(() => ended.push('repository')),
      releases.collect(new Set(), new Date()).then(() => ended.push('releases')),
    ]
    await repository.updateRefs([{ ref: 'refs/heads/next', old: null, new: commit }])
    await repository.withoutMaintenance(() => Promise.resolve())
    expect(ended).toEqual([])
    held.release()
    await Promise.all(collections)
    expect(ended.sort()).toEqual(['releases', 'repository'])
  })

  it('waits with a hold for a collection that runs', async () => {
    const { projects, repository } = await openProjects()
    const order: string[] = []
    const collecting = repository.maintain().then(() => order.push('collected'))
    const held = await projects.hold(slug)
    order.push('held')
    await collecting
    expect(order).toEqual(['collected', 'held'])
    held.release()
  })

  it('collects, and lets go when it cannot hold', async () => {
    const { projects } = await openProjects()
    expect(await projects.collect(slug)).toMatchObject({ releases: 0, releaseBytes: 0 })
    await expect(projects.collect('unknown')).rejects.toMatchObject({ code: 'not_found' })
    const absent = await projects.hold('unknown')
    expect(absent.snapshot).toEqual({ projectId: 'unknown', document: null, refs: null, use: {}, grown: {} })
    absent.release()
  })
})
