import { describe, expect, it, onTestFinished } from 'vitest'
import { Repositories } from '../../src/content/repositories.ts'
import { LocalOperator } from '../../src/operator/local.ts'
import { openFileRecords } from '../support/file-records.ts'
import { openHosting } from '../hosting/support.ts'
import { author } from '../support/git-service.ts'
import { accounts, git, slug } from './support.ts'

async function openLocal() {
  const { hosting, directory } = await openHosting()
  const repositories = new Repositories({ directory, git })
  onTestFinished(() => repositories.close())
  const repository = await repositories.create(slug)
  const { commit } = await repository.replaceTree({ files: [], parent: null, author, message: 'first' })
  await repository.updateRefs([{ ref: 'refs/heads/main', old: null, new: commit }])
  const releases = await hosting.open(slug)
  const operator = new LocalOperator({
    directory,
    git,
    accounts,
    repositories,
    hosting,
    changelog: { hold: () => Promise.resolve({ whileStill: (work) => work(), release: () => undefined }) },
    records: openFileRecords(directory),
    collectReleases: () => releases.collect(new Set(), new Date()),
    close: () => Promise.resolve(),
  })
  return { operator, repository, commit, releases }
}

describe('an operator inside the service', () => {
  it('keeps from being collected what it holds, while people go on', async () => {
    const { operator, repository, commit, releases } = await openLocal()
    const held = await operator.hold(slug)
    expect(held.snapshot).toEqual({ slug, document: null, refs: [['refs/heads/main', commit]], grown: {} })
    const ended: string[] = []
    const collections = [
      repository.maintain().then(() => ended.push('repository')),
      releases.collect(new Set(), new Date()).then(() => ended.push('releases')),
    ]
    await repository.updateRefs([{ ref: 'refs/heads/next', old: null, new: commit }])
    await repository.withoutMaintenance(() => Promise.resolve())
    expect(ended).toEqual([])
    await held.release()
    await Promise.all(collections)
    expect(ended.sort()).toEqual(['releases', 'repository'])
  })

  it('waits with a hold for a collection that runs', async () => {
    const { operator, repository } = await openLocal()
    const order: string[] = []
    const collecting = repository.maintain().then(() => order.push('collected'))
    const held = await operator.hold(slug)
    order.push('held')
    await collecting
    expect(order).toEqual(['collected', 'held'])
    await held.release()
  })

  it('collects, and lets go when it cannot hold', async () => {
    const { operator } = await openLocal()
    expect(await operator.collect(slug)).toMatchObject({ project: slug, releases: 0, releaseBytes: 0 })
    await expect(operator.collect('unknown')).rejects.toMatchObject({ code: 'not_found' })
    const absent = await operator.hold('unknown')
    expect(absent.snapshot).toEqual({ slug: 'unknown', document: null, refs: null, grown: {} })
    await absent.release()
  })
})
