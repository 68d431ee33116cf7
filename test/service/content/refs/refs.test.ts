import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { RefWriter } from '#content/refs/ref-writer.ts'
import { commits } from '#test/support/content/contract/refs.ts'
import { git, newRepository } from '#test/support/content/support.ts'

const main = 'refs/heads/main'

describe('updateRefs', () => {
  it('moves what native git reads', async () => {
    const repository = await newRepository()
    const [a = '', b = ''] = await commits(repository, 2)
    await repository.updateRefs([{ ref: main, old: null, new: a }])
    await repository.updateRefs([
      { ref: main, old: a, new: b },
      { ref: 'refs/deploys/2', old: null, new: b },
    ])
    expect(await git(repository.directory, 'rev-parse', 'HEAD', 'refs/deploys/2')).toBe(`${b}\n${b}`)
  })

  it('reads refs that were packed, and newer values over packed ones', async () => {
    const repository = await newRepository()
    const [a = '', b = ''] = await commits(repository, 2)
    await repository.updateRefs([{ ref: main, new: a }])
    await git(repository.directory, 'pack-refs', '--all', '--prune')
    expect(await repository.resolveRef(main)).toBe(a)
    await repository.updateRefs([{ ref: main, old: a, new: b }])
    expect(await repository.resolveRef(main)).toBe(b)
    await git(repository.directory, 'pack-refs', '--all', '--prune')
    expect(await repository.resolveRef(main)).toBe(b)
    await repository.updateRefs([{ ref: main, old: b, new: null }])
    expect(await repository.resolveRef(main)).toBeNull()
  })

  it('compares with packed values of now, where git remembers older ones', async () => {
    const repository = await newRepository()
    const [a = '', b = ''] = await commits(repository, 2)
    await repository.updateRefs([{ ref: main, old: null, new: a }])
    // Git tells times apart by the second: for it to be mistaken all of this has to happen within one.
    await delay(1000 - (Date.now() % 1000))
    await git(repository.directory, 'pack-refs', '--all')
    await repository.updateRefs([{ ref: 'refs/heads/other', old: null, new: a }])
    await repository.updateRefs([{ ref: main, old: a, new: a }])
    const packed = join(repository.directory, 'packed-refs')
    await rm(join(repository.directory, main), { force: true })
    await writeFile(packed, (await readFile(packed, 'utf8')).replace(a, b))
    await expect(repository.updateRefs([{ ref: main, old: a, new: a }])).rejects.toMatchObject({ code: 'stale_ref' })
    await repository.updateRefs([{ ref: main, old: b, new: a }])
    expect(await repository.resolveRef(main)).toBe(a)
  })

  it('moves what many want at once in few transactions', async () => {
    const repository = await newRepository()
    const [a = '', b = ''] = await commits(repository, 2)
    const ref = (index: number): string => `refs/heads/n${index}`
    await repository.updateRefs(Array.from({ length: 20 }, (_, index) => ({ ref: ref(index), old: null, new: a })))
    const transactions = vi.spyOn(RefWriter.prototype, 'commit')
    onTestFinished(() => transactions.mockRestore())
    const moved = Array.from({ length: 20 }, (_, index) => repository.updateRefs([{ ref: ref(index), old: a, new: b }]))
    await Promise.all(moved)
    expect(transactions.mock.calls.length).toBeLessThanOrEqual(3)
  })
})
