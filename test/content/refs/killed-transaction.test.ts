import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { Refs } from '../../../src/content/refs/refs.ts'
import type { Oid, RefUpdate } from '../../../src/content/repository.ts'
import { dyingGit, type DyingGit } from '../../support/dying-git.ts'
import { commits } from '../contract/refs.ts'
import { newRepository } from '../support.ts'

const main = 'refs/heads/main'
const work = 'refs/heads/work'

let dying: DyingGit
let refs: Refs
let directory: string
let old: Oid
let next: Oid
let publish: RefUpdate[]

beforeEach(async () => {
  const repository = await newRepository()
  directory = repository.directory
  ;[old = '', next = ''] = await commits(repository, 2)
  await repository.updateRefs([
    { ref: main, old: null, new: old },
    { ref: work, old: null, new: next },
    { ref: 'refs/deploys/1', old: null, new: old },
  ])
  publish = [
    { ref: 'refs/deploys/2', old: null, new: next },
    { ref: main, old, new: next },
    { ref: work, old: next, new: null },
  ]
  dying = await dyingGit()
  refs = new Refs(dying.git, directory)
  onTestFinished(() => refs.close())
})

async function locks(): Promise<string[]> {
  return (await readdir(dirname(join(directory, 'HEAD')), { recursive: true })).filter((name) => name.endsWith('.lock'))
}

describe('a ref transaction whose process is killed', () => {
  it.each([-1, 0, 1, 2, 3])('after %i refs have moved is made whole at once, and leaves no lock', async (moves) => {
    await dying.killAfter(moves)
    await refs.update(publish)
    expect(await Promise.all(publish.map(({ ref }) => refs.resolve(ref)))).toEqual([next, next, null])
    expect(await locks()).toEqual([])
    expect(dying.died()).toBe(true)
    await refs.update([{ ref: main, old: next, new: old }])
  })

  it('does not tell whoever moved main that somebody else did', async () => {
    await dying.killAfter(1)
    await expect(refs.update([{ ref: main, old, new: next }])).resolves.toBeUndefined()
    await expect(refs.update([{ ref: main, old, new: next }])).rejects.toMatchObject({ code: 'stale_ref' })
  })

  it('with updates of others ends well for each that could be made', async () => {
    const other = { ref: 'refs/heads/other', old: null, new: old }
    await dying.killAfter(2)
    // They share one transaction: both come before it begins.
    await Promise.all([refs.update(publish), refs.update([other])])
    expect(dying.died()).toBe(true)
    expect(await Promise.all([main, work, other.ref].map((ref) => refs.resolve(ref)))).toEqual([next, null, old])
    expect(await locks()).toEqual([])
  })

  it('beside the packing of refs takes no lock away from it', async () => {
    await refs.update(Array.from({ length: 200 }, (_, index) => ({ ref: `refs/deploys/${index + 10}`, new: old })))
    const packing = refs.pack()
    await dying.killAfter(1)
    await Promise.all([packing, refs.update(publish)])
    expect(await Promise.all(publish.map(({ ref }) => refs.resolve(ref)))).toEqual([next, next, null])
    expect((await refs.list('refs/deploys/')).size).toBe(202)
    expect(await locks()).toEqual([])
  })
})
