import { inDepth } from '#test/support/depth.ts'
import { beforeAll, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { cloneProject, commitFiles } from '#test/support/developer.ts'
import { git, gitSays } from '#test/support/git-service.ts'
import type { TestService } from '#test/support/service.ts'
import { sharedService } from '#test/support/shared-service.ts'
import { getSite } from '#test/support/site.ts'

let service: TestService

beforeAll(async () => {
  service = await sharedService()
})

/** A pointer of Git LFS. */
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345\n`

const page = (label: string, path = '/') => getSite(service.port, `${label}.localhost`, path)

it('a push to a branch is a preview, which the terminal names', async () => {
  const { project, clone } = await cloneProject(service.url)
  await commitFiles(clone, { 'index.mdx': '# Hello from the branch', 'a.png': pointer })
  const { ok, text } = await gitSays(clone, 'push', 'origin', 'HEAD:refs/heads/feature')
  expect([ok, text]).toEqual([true, expect.stringContaining(`//${project.slug}--feature.localhost`)])
  expect(text).toContain('warning: 1 file is a Git LFS pointer, which readers get: a.png.')
  expect((await page(`${project.slug}--feature`)).text).toContain('Hello from the branch')
  expect((await page(project.slug)).text).not.toContain('Hello from the branch')

  await commitFiles(clone, { 'broken.mdx': '# Broken\n\n<Card' })
  const broken = await gitSays(clone, 'push', 'origin', 'HEAD:refs/heads/feature')
  expect([broken.ok, broken.text]).toEqual([true, expect.stringMatching(/remote: .*broken\.mdx:\d+:\d+/)])
  expect((await page(`${project.slug}--feature`)).text).toContain('Hello from the branch')

  expect((await gitSays(clone, 'push', 'origin', ':feature')).ok).toBe(true)
  expect((await page(`${project.slug}--feature`)).status).toBe(404)
})

it('a push to main is a deploy, and none when a page does not compile', async () => {
  const { project, clone } = await cloneProject(service.url)
  await commitFiles(clone, { 'index.mdx': '# Hello again', '.github/ci.yml': 'on: push', '.gitignore': 'dist' })
  const { ok, text } = await gitSays(clone, 'push', 'origin', 'HEAD:main')
  expect([ok, text]).toEqual([true, expect.stringContaining('Live at')])
  expect((await page(project.slug)).text).toContain('Hello again')
  for (const path of ['/.github/ci.yml', '/.gitignore']) expect((await page(project.slug, path)).status).toBe(404)

  await commitFiles(clone, { 'index.mdx': '# Hello a third time', 'broken.mdx': '# Broken\n\n<Card' })
  const broken = await gitSays(clone, 'push', 'origin', 'HEAD:main')
  expect(broken.ok).toBe(false)
  expect(broken.text).toMatch(/^remote: error: broken\.mdx:\d+:\d+/m)
  expect(broken.text).toMatch(/\[remote rejected\] HEAD -> main \(build failed: broken\.mdx:\d+:\d+/)
  expect((await page(project.slug)).text).toContain('Hello again')

  const params = { slug: project.slug }
  const { items } = await project.client.call(contract.deploys.list, { params, query: {} })
  const pushed = items.find(({ status }) => status === 'live')
  await project.client.call(contract.deploys.create, {
    body: { files: [{ path: 'index.mdx', content: '# Replaced' }] },
  })
  await project.client.call(contract.deploys.rollback, { params, body: { deployId: pushed?.id ?? '' } })
  expect((await page(project.slug)).text).toContain('Hello again')
})

inDepth('an atomic push moves main, branches and tags together, or nothing', async () => {
  const { project, clone } = await cloneProject(service.url)
  await commitFiles(clone, { 'index.mdx': '# Hello, all' })
  await git(clone, 'tag', '-a', '-m', 'One', 'v1')
  const refs = () => git(clone, 'ls-remote', 'origin')
  const before = await refs()
  await commitFiles(clone, { 'broken.mdx': '# Broken\n\n<Card' })
  const all = ['v1', 'v1^{}:refs/heads/feature']
  const broken = await gitSays(clone, 'push', '--atomic', 'origin', ...all, 'HEAD:main')
  expect(broken.text).toMatch(/\[remote rejected\] HEAD -> main \(build failed: broken\.mdx:\d+:\d+/)
  expect(broken.text.match(/\[remote rejected\].*\(atomic push failed/g)).toHaveLength(2)
  expect([broken.ok, await refs()]).toEqual([false, before])

  const { ok, text } = await gitSays(clone, 'push', '--atomic', 'origin', ...all, 'v1^{}:refs/heads/main')
  expect([ok, text]).toEqual([true, expect.stringContaining('Live at')])
  expect((await page(project.slug)).text).toContain('Hello, all')
  await expect.poll(async () => (await page(`${project.slug}--feature`)).text).toContain('Hello, all')
  expect((await gitSays(clone, 'push', '--atomic', 'origin', ':v1', ':feature')).ok).toBe(true)
  expect((await refs()).match(/refs\/(?:heads|tags)\/.*/g)).toEqual(['refs/heads/main'])
  expect((await page(`${project.slug}--feature`)).status).toBe(404)
})
