import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inDepth } from '#test/support/depth.ts'
import { commitFiles, develop, expectSound, type Developer } from '#test/support/developer.ts'
import { git, gitSays } from '#test/support/git-service.ts'

async function tagged(service: Developer): Promise<readonly string[]> {
  return [...(await service.repository.listRefs('refs/tags/')).keys()].map((ref) => ref.slice('refs/tags/'.length))
}

describe('tags', () => {
  it('annotated and light ones are pushed, cloned and deleted, and are no branches', async () => {
    const service = await develop()
    const { clone, url, target, repository } = service
    await git(clone, 'tag', 'v1.0.0')
    await git(clone, 'tag', '@acme/kit@2.0.0')
    await git(clone, 'tag', '-a', '-m', 'The second', 'docs/v2.0.0-rc.1')
    await git(clone, 'push', '--quiet', 'origin', '--tags')
    expect(await tagged(service)).toEqual(['@acme/kit@2.0.0', 'docs/v2.0.0-rc.1', 'v1.0.0'])
    expect(target.calls).toEqual([])
    expect([...(await repository.listRefs('refs/heads/')).keys()]).toEqual(['refs/heads/main'])
    await git(clone, 'clone', '--quiet', url, 'copy')
    const copy = join(clone, 'copy')
    expect((await git(copy, 'tag', '-n', '-l')).split('\n').map((row) => row.split(/ +/)[0])).toEqual([
      '@acme/kit@2.0.0',
      'docs/v2.0.0-rc.1',
      'v1.0.0',
      '',
    ])
    expect(await git(copy, 'cat-file', '-p', 'docs/v2.0.0-rc.1')).toContain('The second')
    await git(clone, 'push', '--quiet', '--delete', 'origin', 'docs/v2.0.0-rc.1')
    expect(await tagged(service)).toEqual(['@acme/kit@2.0.0', 'v1.0.0'])
    await expectSound(service)
  })

  it('of commits that no branch has are kept by maintenance, and checked as a branch is', async () => {
    const service = await develop()
    const { clone, repository } = service
    const side = await commitFiles(clone, { 'side.mdx': 'side' })
    await git(clone, 'tag', 'side')
    await git(clone, 'push', '--quiet', 'origin', 'side')
    await repository.maintain()
    expect((await repository.readTree(side)).has('side.mdx')).toBe(true)
    await commitFiles(clone, { 'nul.mdx': 'x' })
    await git(clone, 'tag', '-a', '-m', 'x', 'broken')
    const { ok, text } = await gitSays(clone, 'push', 'origin', 'broken')
    expect([ok, text]).toEqual([false, expect.stringContaining('nul.mdx')])
    expect(await tagged(service)).toEqual(['side'])
    await expectSound(service)
  })

  it('do not move, and need the scope deploy', async () => {
    const service = await develop()
    const { clone, main, may } = service
    await git(clone, 'tag', 'v1')
    await git(clone, 'push', '--quiet', 'origin', 'v1')
    await commitFiles(clone, { 'a.mdx': 'a' })
    await git(clone, 'tag', '--force', 'v1')
    expect((await gitSays(clone, 'push', '--force', 'origin', 'v1')).text).toContain('a tag does not move')
    expect(await service.repository.resolveRef('refs/tags/v1')).toBe(main)
    may.delete('deploy')
    await git(clone, 'tag', 'v2')
    for (const args of [
      ['origin', 'v2'],
      ['--delete', 'origin', 'v1'],
    ])
      expect((await gitSays(clone, 'push', ...args)).text).toContain('lacks the scope deploy')
    expect(await tagged(service)).toEqual(['v1'])
  })

  inDepth('name commits only', async () => {
    const service = await develop()
    const { clone } = service
    await git(clone, 'tag', 'tree', 'HEAD^{tree}')
    await git(clone, 'tag', '-a', '-m', 'x', 'blob', 'HEAD:index.mdx')
    await git(clone, 'tag', '-a', '-m', 'x', 'inner')
    await git(clone, 'tag', '-a', '-m', 'x', 'outer', 'inner')
    const { ok, text } = await gitSays(clone, 'push', 'origin', 'tree', 'blob', 'outer')
    expect(ok).toBe(false)
    for (const what of ['a tree', 'a blob', 'a tag']) expect(text).toContain(`a tag names a commit, not ${what}`)
    expect(await tagged(service)).toEqual([])
    await git(clone, 'tag', '-a', '-m', 'x'.repeat(70_000), 'long')
    expect((await gitSays(clone, 'push', 'origin', 'long')).text).toContain('its message is larger than 64 KB')
  })

  inDepth('are bounded in number', async () => {
    const service = await develop()
    const { clone, repository, main } = service
    await repository.updateRefs(
      Array.from({ length: 999 }, (_, i) => ({ ref: `refs/tags/t${i}`, old: null, new: main })),
    )
    for (const tag of ['a', 'b']) await git(clone, 'tag', tag)
    const { ok, text } = await gitSays(clone, 'push', 'origin', 'a', 'b')
    expect([ok, text]).toEqual([false, expect.stringContaining('1000 tags at most')])
    expect((await tagged(service)).length).toBe(1000)
  })
})
