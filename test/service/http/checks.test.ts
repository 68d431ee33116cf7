import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { readdirSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Check } from '#contract/checks.ts'
import type { ErrorDetail } from '#contract/common.ts'
import type { Deploy } from '#contract/deploys.ts'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import { inDepth, isDeep } from '#test/support/depth.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { hostile } from '#test/support/shared.ts'

type Files = Readonly<Record<string, string>>

let service: TestService
let project: ProjectAccess

beforeAll(async () => {
  service = await startTestService()
})
beforeEach(async () => {
  project = await createProject(service.url, `p${randomUUID().slice(0, 8)}`)
})
afterAll(() => service.close())

const bodyOf = (files: Files) => ({ files: Object.entries(files).map(([path, content]) => ({ path, content })) })
const check = (files: Files): Promise<Check> => project.client.call(contract.checks.create, { body: bodyOf(files) })
const deploy = (files: Files): Promise<Deploy> => project.client.call(contract.deploys.create, { body: bodyOf(files) })

interface Said {
  readonly errors: readonly ErrorDetail[]
  readonly warnings: readonly ErrorDetail[]
}

/** What a deploy of files says, live or failed. */
async function saidByDeploy(files: Files): Promise<Said> {
  try {
    return await deploy(files)
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'build_failed') throw error
    const params = { slug: project.slug, id: String(error.extra?.['deploy']) }
    return project.client.call(contract.deploys.read, { params })
  }
}

const samples = (folder: string): [name: string, text: string][] =>
  readdirSync(join(hostile, folder))
    .filter((name) => /\.(?:mdx?|json)$/.test(name))
    .map((name) => [name, readFileSync(join(hostile, folder, name), 'utf8')])

const sites: readonly (readonly [string, Files])[] = [
  ['dead links', { 'index.mdx': '# Home\n\n[a](/none) [b](/guide#none) ![c](/none.png)', 'guide.mdx': '# Guide' }],
  ['a page that is no MDX', { 'index.mdx': '# Home\n\n<Note>open', 'guide.mdx': '{1 +}' }],
  ['a wrong docs.json', { 'index.mdx': '# Home', 'docs.json': '{ "name": 1, "navigation": { "pages": ["none"] } }' }],
]
const hostileSites: typeof sites = [
  ['hostile pages', Object.fromEntries(samples('mdx'))],
  ...samples('config').map(
    ([name, text]) => [`the configuration ${name}`, { 'index.mdx': '# Home', 'docs.json': text }] as const,
  ),
]

describe('a check', () => {
  async function expectAsDeploy(_what: string, files: Files): Promise<void> {
    const { errors, warnings, counts } = await check(files)
    expect(errors.length + warnings.length).toBeGreaterThan(0)
    const said = await saidByDeploy(files)
    expect({ errors, warnings }).toEqual({ errors: said.errors, warnings: said.warnings })
    expect(counts).toEqual({ errors: errors.length, warnings: warnings.length })
    expect({ ...(await check(files)), pages: null }).toEqual({ errors, warnings, counts, pages: null })
  }
  it.each(sites)('says of %s what a deploy says', expectAsDeploy)
  inDepth.each(hostileSites)('says of %s what a deploy says', expectAsDeploy)

  it('leaves no trace: not a byte in the data directory, no deploy, nothing of the quota, no other site', async () => {
    await deploy({ 'index.mdx': '# Home' })
    const state = async () => ({
      // In the deep run only: the directory is still for nobody sooner.
      files: isDeep ? await filesOf(service.directory) : {},
      deploys: await project.client.call(contract.deploys.list, { params: { slug: project.slug }, query: {} }),
      usage: await project.client.call(contract.usage.read, { params: { slug: project.slug } }),
    })
    // What using a key leaves is not the check’s, nor what the directory notes of the deploy within two seconds.
    await check({ 'index.mdx': '# Home' })
    let before = await state()
    if (isDeep)
      for (let last; !isDeepStrictEqual(last, before);) {
        last = before
        await sleep(2500)
        before = await state()
      }
    expect(await check({ 'index.mdx': '# Other', 'new.mdx': 'New', 'a.png': 'x' })).toMatchObject({ errors: [] })
    expect(await state()).toEqual(before)
  })

  it('renders of many pages the one that changed, and lets the next deploy render it alone, too', async () => {
    const pages = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`p${at}.mdx`, `# Page ${at}`]))
    expect((await check(pages)).pages).toEqual({ total: 40, built: 40, reused: 0 })
    // The check before has them: nothing of this site is live yet.
    expect((await check({ ...pages, 'p7.mdx': 'Other' })).pages).toEqual({ total: 40, built: 1, reused: 39 })
    await deploy(pages)
    expect((await check({ ...pages, 'p8.mdx': 'Other' })).pages).toEqual({ total: 40, built: 1, reused: 39 })
    const changed = { ...pages, 'p8.mdx': '<Card>' }
    expect(await check(changed)).toMatchObject({ counts: { errors: 1 }, pages: { built: 1 } })
    expect((await deploy({ ...pages, 'p8.mdx': 'Other' })).pages).toEqual({ total: 40, built: 1, reused: 39 })
  })

  it('finds a link that a page which did not change has to one that went', async () => {
    await deploy({ 'index.mdx': '[Guide](/guide)', 'guide.mdx': 'Guide' })
    expect(await check({ 'index.mdx': '[Guide](/guide)' })).toMatchObject({
      warnings: [{ path: 'index.mdx', line: 1 }],
      pages: { total: 1, built: 0, reused: 1 },
    })
  })
})

/** Every file below a folder, by path. */
async function filesOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {}
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    found[path] = (await readFile(path)).toString('base64')
  }
  return found
}
