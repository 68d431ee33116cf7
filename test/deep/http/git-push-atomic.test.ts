import { describe, expect, it } from 'vitest'
import { Failure } from '#contract/failure.ts'
import { commitFiles, develop, expectSound, type Developer } from '#test/support/developer.ts'
import { git, gitSays } from '#test/support/git-service.ts'

/** A branch `old` to be deleted, `moving` to be moved, both of the first commit, and a newer one checked out. */
async function prepared(): Promise<Developer & { readonly tip: string }> {
  const service = await develop()
  await git(service.clone, 'push', '--quiet', 'origin', 'HEAD:refs/heads/old', 'HEAD:refs/heads/moving')
  const tip = await commitFiles(service.clone, { 'a.mdx': 'a' })
  await git(service.clone, 'tag', '-a', '-m', 'One', 'v1')
  service.target.calls.length = 0
  return { ...service, tip }
}

const all = ['HEAD:refs/heads/new', 'HEAD:refs/heads/moving', ':old', 'v1', 'HEAD:main']
const refs = async ({ repository }: Developer) => Object.fromEntries(await repository.listRefs('refs/'))
const push = ({ clone }: Developer, ...what: string[]) => gitSays(clone, 'push', '--atomic', 'origin', ...what)

describe('git push --atomic', () => {
  it('moves branches, tags and main in one transaction', async () => {
    const service = await prepared()
    const { tip, main } = service
    const { ok, text } = await push(service, ...all)
    expect([ok, text]).toEqual([true, expect.stringContaining('[new tag]')])
    const tag = (await git(service.clone, 'rev-parse', 'v1')).trim()
    expect(await refs(service)).toEqual({
      'refs/deploys/1': main,
      'refs/heads/main': tip,
      'refs/heads/moving': tip,
      'refs/heads/new': tip,
      'refs/tags/v1': tag,
    })
    expect(service.target.calls).toHaveLength(5)
    await expectSound(service)
  })

  it.each<[string, string, string, (service: Developer) => unknown]>([
    ['by its name', 'HEAD:refs/heads/nul', 'device name on Windows', () => undefined],
    ['by the scope', 'HEAD:refs/heads/x', 'lacks the scope write', ({ may }) => may.delete('write')],
    ['by its content', 'broken:refs/heads/x', 'nul.mdx', () => undefined],
    [
      'as stale',
      'HEAD:refs/heads/x',
      'somebody else moved it',
      ({ target, repository, main }) => {
        target.before = async (name) => {
          if (name === 'x') await repository.updateRefs([{ ref: 'refs/heads/x', old: null, new: main }])
        }
      },
    ],
    ['for its folder', 'HEAD:refs/heads/moving/x', 'the name of a folder', () => undefined],
    [
      'by whom it is for',
      'HEAD:refs/heads/x',
      'No more',
      ({ target }) => {
        target.before = async (name) => {
          if (name === 'x') throw new Failure('quota_exceeded', 'No more.', { extra: { ref: 'refs/heads/x' } })
        }
      },
    ],
  ])('of which one ref is refused %s moves none, and says so of each', async (_, ref, why, prepare) => {
    const service = await prepared()
    await git(service.clone, 'checkout', '--quiet', '-b', 'broken')
    await commitFiles(service.clone, { 'nul.mdx': 'x' })
    await git(service.clone, 'checkout', '--quiet', '-')
    prepare(service)
    const before = await refs(service)
    const { ok, text } = await push(service, ...all.filter((other) => !other.endsWith('moving')), ref)
    expect(ok).toBe(false)
    const [, to = ''] = ref.split(':refs/heads/')
    const rows = new Map(
      [...text.matchAll(/^ ! \[remote rejected\] (?:\S+ +-> )?(\S+) \((.*)\)$/gm)].map((row) => [row[1], row[2]]),
    )
    expect(new Set(rows.keys())).toEqual(new Set(['main', 'new', 'old', 'v1', to]))
    expect(rows.get(to)).toContain(why)
    if (why.includes('scope')) expect(rows.get('main')).toContain('atomic push failed')
    else for (const name of ['main', 'new', 'old', 'v1']) expect(rows.get(name)).toContain('atomic push failed')
    expect(text).toContain('hint: Nothing has moved')
    delete before['refs/heads/x']
    const after = await refs(service)
    delete after['refs/heads/x']
    expect(after).toEqual(before)
    await expectSound(service)
  })

  it('of which the site does not build moves none', async () => {
    const service = await prepared()
    const before = await refs(service)
    service.target.before = async (name) => {
      if (name !== 'main') return
      const errors = [{ path: 'a.mdx', line: 2, column: 1, message: 'Not closed.' }]
      throw new Failure('build_failed', 'The site has an error.', { errors })
    }
    const { ok, text } = await push(service, ...all)
    expect(ok).toBe(false)
    expect(text).toMatch(/HEAD -> main \(build failed: a\.mdx:2:1: Not closed\)/)
    expect(text.match(/atomic push failed/g)?.length).toBeGreaterThanOrEqual(4)
    expect(await refs(service)).toEqual(before)
    await expectSound(service)
  })

  it('takes nothing in for what it refuses', async () => {
    const service = await prepared()
    service.may.delete('deploy')
    expect((await push(service, 'HEAD:refs/heads/new', 'HEAD:main')).ok).toBe(false)
    expect(service.target.calls).toEqual([])
    await expect(service.repository.readCommit(service.tip)).rejects.toThrow(service.tip)
    await expectSound(service)
  })
})
