import { copyFile, cp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { operator, type RepairedProject } from '#contract/operator.ts'
import { connectToOperator } from '#http/operator/socket.ts'
import { getSite } from '#test/support/site.ts'
import type { ProjectAccess } from '#test/support/service-process.ts'
import { removeDirectory, temporaryDirectory } from '#test/support/temporary.ts'
import { neighbour, populate, serviceOn, victim, type Populated } from './populated.ts'
import { checkOf, deploy } from '#test/support/operator/support.ts'

/** What a disk, or somebody, does to a file. */
const kinds = {
  delete: (path: string) => rm(path),
  cut: (path: string) => change(path, (bytes) => bytes.subarray(0, bytes.length >> 1)),
  flip: (path: string) =>
    change(path, (bytes) => {
      const flipped = Buffer.from(bytes)
      // In the middle: of JSON most likely within a text, which stays JSON. Of packed refs the first one: others may
      // have newer values in files of their own.
      const at = path.endsWith('packed-refs') ? bytes.indexOf('\n') + 8 : bytes.length >> 1
      flipped[at] = (flipped[at] ?? 0) ^ 1
      return flipped
    }),
  empty: (path: string) => change(path, () => Buffer.alloc(0)),
  older: async (path: string, older: string) => {
    await rm(path)
    await copyFile(older, path)
  },
} as const
type Kind = keyof typeof kinds

/** The copies share their bytes: nothing is changed in place. */
async function change(path: string, to: (bytes: Buffer) => Buffer): Promise<void> {
  const bytes = await readFile(path)
  await rm(path)
  await writeFile(path, to(bytes))
}

const all: readonly Kind[] = ['delete', 'cut', 'flip', 'empty']
const allAndOlder: readonly Kind[] = [...all, 'older']

interface Damaged {
  readonly what: string
  /** The file, below the data directory. */
  readonly path: (directory: string) => Promise<string> | string
  readonly kinds: readonly Kind[]
}

/** The first name in a folder that fits. */
async function first(directory: string, folder: string, fits: RegExp): Promise<string> {
  const names = (await readdir(join(directory, folder), { recursive: true })).filter((name) => fits.test(name)).sort()
  if (names[0] === undefined) throw new Error(`nothing in ${folder} fits ${fits}`)
  return join(folder, names[0])
}

const stream = (name: string): Damaged => ({
  what: `the records of ${name}`,
  path: () => `${victim}/${name}/00000001.jsonl`,
  kinds: allAndOlder,
})

const damages: readonly Damaged[] = [
  { what: 'the accounts', path: () => '_service.json', kinds: allAndOlder },
  { what: 'the key of secrets', path: () => '_secret-key.json', kinds: all },
  { what: 'a document of sessions', path: (at) => first(at, '', /^_sessions\.\w+\.json$/), kinds: all },
  { what: 'the devices that log in', path: () => '_devices.json', kinds: all },
  { what: 'a slug that is kept', path: (at) => first(at, '', /^_former-slug\..*\.json$/), kinds: all },
  { what: 'a document of use', path: (at) => first(at, '', /^_usage\..*\.docs\.json$/), kinds: allAndOlder },
  { what: 'a document of a project', path: () => `${victim}.json`, kinds: allAndOlder },
  { what: 'the count of starts', path: () => '.starts', kinds: ['delete', 'flip', 'empty', 'older'] },
  { what: 'the inventory', path: () => '.inventory', kinds: allAndOlder },
  stream('audit'),
  stream('changelog'),
  stream('deliveries'),
  stream('deploys'),
  stream('webhooks'),
  { what: 'the manifest of a release', path: (at) => liveManifest(at), kinds: all },
  { what: 'a pack of published files', path: (at) => first(at, `${victim}/packs`, /\.pack$/), kinds: all },
  { what: 'a loose ref', path: () => `${victim}.git/refs/heads/work`, kinds: all },
  { what: 'the packed refs', path: () => `${victim}.git/packed-refs`, kinds: all },
  { what: 'a pack of objects', path: (at) => first(at, `${victim}.git/objects/pack`, /\.pack$/), kinds: all },
  { what: 'the index of a pack', path: (at) => first(at, `${victim}.git/objects/pack`, /\.idx$/), kinds: all },
  { what: 'a loose object', path: (at) => first(at, `${victim}.git/objects`, /^\w\w\/\w+$/), kinds: all },
  { what: 'the settings of a repository', path: () => `${victim}.git/config`, kinds: all },
  { what: 'HEAD of a repository', path: () => `${victim}.git/HEAD`, kinds: all },
]

async function liveManifest(directory: string): Promise<string> {
  const text = await readFile(join(directory, `${victim}.json`), 'utf8')
  const { document } = JSON.parse(text) as { document: { deploying: { live: { release: string } } } }
  return `${victim}/releases/${document.deploying.live.release}.json`
}

let populated: Populated
beforeAll(async () => {
  populated = await populate()
})
afterAll(async () => {
  await removeDirectory(populated.directory)
  await removeDirectory(populated.older)
})

async function damagedCopy({ path }: Damaged, kind: Kind): Promise<{ directory: string; file: string }> {
  const directory = join(await temporaryDirectory(), 'data')
  await cp(populated.directory, directory, { recursive: true })
  const file = await path(directory)
  await kinds[kind](join(directory, file), join(populated.older, file))
  return { directory, file }
}

const cases = damages.flatMap((damaged) => damaged.kinds.map((kind) => [kind, damaged.what, damaged] as const))

describe(`${cases.length} kinds of damage`, () => {
  it('begin with a directory that is sound', async () => {
    expect(await checkOf(populated.directory)).toMatchObject({ problems: [], notes: [] })
  })

  it.each(cases)('%s %s is named, and the others are served', async (kind, _what, damaged) => {
    const { directory, file } = await damagedCopy(damaged, kind)
    const { problems, notes } = await checkOf(directory)
    expect([...problems, ...notes].length, file).toBeGreaterThan(0)
    const { service, port, url } = await serviceOn(directory)
    try {
      const { slug } = populated.projects[neighbour]
      const site = (label: string) => getSite(port, `${label}.localhost`, '/index.mdx')
      expect(await site(slug)).toMatchObject({ status: 200, text: '# Neighbour' })
      // Accounts are everybody's: without them nobody can work, and sites are all that is left.
      const hasAccounts = file !== '_service.json' || kind === 'older'
      const ask = ({ slug: name, key }: ProjectAccess): Promise<Response> =>
        fetch(`${url}/api/projects/${name}`, { headers: { authorization: `Bearer ${key}` } })
      expect((await ask(populated.projects[neighbour])).status).toBe(hasAccounts ? 200 : 503)
      const isSetAside = file === `${victim}.json` && kind !== 'older'
      const own = await ask(populated.projects[victim])
      expect(own.status).toBe(hasAccounts && !isSetAside ? 200 : 503)
      if (isSetAside) expect(await own.json()).toMatchObject({ code: 'unavailable', detail: expect.any(String) })
      // By its previous version, where the release can be read.
      const isServed = !file.startsWith(`${victim}/releases/`) && !file.startsWith(`${victim}/packs/`)
      if (!isServed) await mend(directory, url, damaged)
      expect(await site(victim)).toMatchObject({ status: 200 })
    } finally {
      await service.close()
    }
  })
})

/** Releases of before and of previews among them. */
async function releaseFiles(directory: string): Promise<string[]> {
  const names = (await readdir(join(directory, victim), { recursive: true })).sort()
  return names.filter((name) => /^(?:releases|packs)\/.*\.(?:json|pack)$/.test(name))
}

describe('a repair', () => {
  it('leaves nothing for a check to find, and every deploy to go back to, whatever file of releases was cut', async () => {
    const files = await releaseFiles(populated.directory)
    expect(files.length).toBeGreaterThan(5)
    for (const path of files) {
      const { directory } = await damagedCopy({ what: path, path: () => `${victim}/${path}`, kinds: all }, 'cut')
      expect((await checkOf(directory)).problems.length, path).toBeGreaterThan(0)
      const { service, url } = await serviceOn(directory)
      try {
        expect(await repair(directory), path).toMatchObject({ project: victim, failed: [] })
        const client = createClient({ baseUrl: url, token: populated.projects[victim].key })
        const params = { slug: victim }
        const { items } = await client.call(contract.deploys.list, { params, query: {} })
        const { id = '' } = items.find(({ number }) => number === 1) ?? {}
        const back = await client.call(contract.deploys.rollback, { params, body: { deployId: id } })
        expect(back, path).toMatchObject({ status: 'live' })
      } finally {
        await service.close()
      }
      // What a cut pack had is in another one by now.
      const left = (await checkOf(directory)).problems
      expect(
        left.map(({ where }) => where),
        path,
      ).toEqual(path.endsWith('.pack') ? [path] : [])
      if (path.endsWith('.pack')) await rm(join(directory, victim, path), { force: true })
      expect((await checkOf(directory)).problems, path).toEqual([])
    }
  }, 120_000)
})

async function repair(directory: string): Promise<RepairedProject> {
  const { fetch, close } = await connectToOperator(directory)
  const client = createClient({ baseUrl: 'http://operator', fetch })
  try {
    return await client.call(operator.projects.repair, { params: { slug: victim } })
  } finally {
    await close()
  }
}

/** A release that cannot be read is mended by a deploy; what a deploy does not look at, by the operator. */
async function mend(directory: string, url: string, { what }: Damaged): Promise<void> {
  if (what === 'the manifest of a release') {
    const client = createClient({ baseUrl: url, token: populated.projects[victim].key })
    await deploy(client, { 'index.mdx': '# Mended' })
    return
  }
  const repaired = await repair(directory)
  expect(repaired).toMatchObject({ project: victim, failed: [] })
  expect(repaired.rebuilt.length + repaired.previews + repaired.dropped).toBeGreaterThan(0)
}
