import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { referenceFiles } from '#scripts/release/reference/reference.ts'
import { readConfig } from '#config.ts'
import { contract } from '#contract/index.ts'
import { root } from '#lib/paths.ts'
import { createProject } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const folder = join(root, 'docs')

async function filesOfDocs(): Promise<{ path: string; content: string }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name }) => ({
        path: relative(folder, join(parentPath, name)),
        content: await readFile(join(parentPath, name), 'utf8'),
      })),
  )
}

/** Settings for tests and for the demo, which nobody else makes, and what systemd says beside LISTEN_FDS. */
const unspoken = new Set(['MODEL_DEMO', 'QUIRE_FAILPOINT', 'PATH', 'LISTEN_PID'])

function settingsRead(): string[] {
  const names = new Set<string>()
  const recorder = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get: (_settings, name) => {
        names.add(String(name))
        return undefined
      },
    },
  )
  readConfig(recorder)
  return [...names].filter((name) => !unspoken.has(name))
}

describe('the documentation', () => {
  it('says of endpoints, commands, refusals, limits and components what the code says: npm run reference', async () => {
    const files = await referenceFiles()
    for (const [path, text] of files) expect(await readFile(join(folder, path), 'utf8'), path).toBe(text)
    for (const generated of ['reference/api', 'reference/commands']) {
      const there = (await readdir(join(folder, generated))).map((name) => `${generated}/${name}`)
      expect(there.filter((path) => !files.has(path) && path !== 'reference/api/index.mdx')).toEqual([])
    }
  })

  it('names every setting that the service reads', async () => {
    const settings = await readFile(join(folder, 'self-hosting', 'settings.mdx'), 'utf8')
    expect(settingsRead().filter((name) => !settings.includes(`\`${name}\``))).toEqual([])
  })

  it.each(['README.md', 'SECURITY.md', 'src/README.md'])('is found where %s leads to it', async (file) => {
    const text = await readFile(join(root, file), 'utf8')
    const links = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, path = '']) => path)
    expect(links.filter((path) => !existsSync(join(root, dirname(file), path)))).toEqual([])
  })
})

describe('deployed to a service', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service.close())

  it('the documentation has neither errors nor warnings, and every page is in the navigation', async () => {
    const { client } = await createProject(service.url, `p${randomUUID().slice(0, 8)}`)
    const files = await filesOfDocs()
    const said = await client.call(contract.checks.create, { body: { files } })
    expect(said).toMatchObject({ errors: [], warnings: [] })
    const config = files.filter(({ path }) => path.endsWith('.json')).map(({ content }) => content).join()
    const pages = files.filter(({ path }) => path.endsWith('.mdx')).map(({ path }) => path.slice(0, -'.mdx'.length))
    expect(pages.filter((page) => !config.includes(`"${page}"`))).toEqual([])
  })
})
