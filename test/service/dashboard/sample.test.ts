import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { sampleFiles } from '#dashboard/sample/sample.ts'
import { root } from '#lib/paths.ts'
import { createProject } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { getSite } from '#test/support/site.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const title = 'Kettles & “more”'

it('the sample is every file of its folder, with the project’s title in docs.json', async () => {
  const folder = join(root, 'src/authoring/starter')
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = names
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
  const files = sampleFiles(title)
  expect(files.map(({ path }) => path).sort()).toEqual(paths.sort())
  const contentOf = (path: string): string => files.find((file) => file.path === path)?.content ?? ''
  expect(contentOf('index.mdx')).toBe(await readFile(join(folder, 'index.mdx'), 'utf8'))
  const { name, ...config } = JSON.parse(contentOf('docs.json')) as Record<string, unknown>
  expect(name).toBe(title)
  expect(JSON.parse(await readFile(join(folder, 'docs.json'), 'utf8'))).toMatchObject(config)
})

it('whoever is signed in deploys it as it is, with neither an error nor a warning, and every page is in the sidebar', async () => {
  const { slug, session } = await createProject(service.url, `p${randomUUID().slice(0, 8)}`)
  const owner = createClient({ baseUrl: service.url, token: session })
  const files = sampleFiles(title)
  const deploy = await owner.call(contract.deploys.create, { query: { project: slug }, body: { files } })
  expect(deploy).toMatchObject({
    status: 'live',
    warnings: [],
    counts: { errors: 0, warnings: 0 },
    pages: { total: 6 },
  })
  const get = (path: string) => getSite(service.port, `${slug}.localhost`, path)
  const front = await get('/')
  expect(front.status).toBe(200)
  expect(front.text).toContain('Kettles &amp; “more”')
  const pages = files.map(({ path }) => path).filter((path) => path.endsWith('.mdx') && path !== 'index.mdx')
  const addresses = pages.map((path) => `/${path.slice(0, -'.mdx'.length)}`)
  for (const page of addresses) expect((await get(page)).status).toBe(200)
  const listed = (await get('/llms.txt')).text
  for (const page of addresses) expect(listed).toContain(page)
})
