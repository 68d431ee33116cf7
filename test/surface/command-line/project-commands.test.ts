import { inDepth, isDeep } from '#test/support/depth.ts'
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { createClient, type Client } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { quire, type Finished } from '#test/support/command-line.ts'
import { Pty } from '#test/support/pty.ts'
import type { TestService } from '#test/support/service.ts'
import { sharedService } from '#test/support/shared-service.ts'
import { removeDirectory, writeFiles } from '#test/support/temporary.ts'

const git = promisify(execFile)

let service: TestService
let home: string
let folder: string
const ada = (...words: string[]): Promise<Finished> =>
  quire(words, { XDG_CONFIG_HOME: home, QUIRE_URL: service.url }, folder)

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'quire-home-'))
  folder = await mkdtemp(join(tmpdir(), 'quire-kettle-'))
  service = await sharedService()
  const { token } = await createClient({ baseUrl: service.url }).call(contract.accounts.signup, {
    body: { email: 'projects@example.com', password: 'correct horse battery' },
  })
  const session = { [service.url]: { token, email: 'projects@example.com' } }
  await writeFiles(home, { 'quire/credentials.json': JSON.stringify(session) })
  await chmod(join(home, 'quire/credentials.json'), 0o600)
})
afterAll(async () => {
  await removeDirectory(home)
  await removeDirectory(folder)
})

it('a project is made, begun with pages that build without a warning, seen, renamed and deleted', async () => {
  if (isDeep) {
    expect((await ada('projects')).stdout).toContain('quire projects create')
    expect((await ada('status')).stdout).toMatch(/account {3}projects@example\.com\nproject {3}none yet/)
  }
  expect(await ada('projects', 'create', 'kettle', '--title', 'Kettle')).toMatchObject({ code: 0 })

  const begun = await ada('init', 'docs', '--title', 'Kettle & Co')
  expect([begun.code, begun.stderr]).toEqual([0, expect.stringContaining('created  docs/index.mdx')])
  expect(begun.stdout).toContain('next  quire deploy docs')
  const deployed = await ada('deploy', 'docs', '--json')
  expect(JSON.parse(deployed.stdout)).toMatchObject({ status: 'live', counts: { errors: 0, warnings: 0 } })
  if (isDeep) expect((await ada('projects')).stdout).toMatch(/^kettle {2}live /)
  expect((await ada('status')).stdout).toMatch(/live {6}deploy 1, 6 pages[\s\S]*\nplan {6}/)
  expect((await ada('open')).stdout).toMatch(/^http:\/\/kettle\./)
  expect((await ada('projects', 'rename', 'kettle', 'pot')).code).toBe(0)
  expect(await ada('projects', 'delete', 'pot', '--yes')).toMatchObject({ code: 0, stdout: 'deleted pot\n' })
}, 60_000)

inDepth(
  'a project is shown as JSON, opened at each of its addresses, and deleted only with --yes',
  async () => {
    expect((await ada('projects', 'create', 'kettle')).code).toBe(0)
    expect((await ada('branch', 'create', 'new-api')).code).toBe(0)
    // Its preview has no page to build.
    await expect
      .poll(async () => (await ada('status')).stdout)
      .toMatch(/\nbranches {2}new-api {2}no changes {2}does not build\nplan {6}/)
    expect((await ada('open', 'new-api')).stdout).toMatch(/^http:\/\/kettle--new-api\./)
    expect(JSON.parse((await ada('status', '--json')).stdout)).toMatchObject({
      account: { email: 'projects@example.com' },
      project: { slug: 'kettle' },
      branches: [{ name: 'new-api' }],
    })

    expect((await ada('open', 'new-api', '--dashboard')).stdout).toMatch(/\/dashboard\/kettle\/branches\/\S+\n$/)
    expect((await ada('open', '--site', '--dashboard')).code).toBe(2)

    const refused = await ada('projects', 'delete', 'kettle')
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('1 branch cannot be undone')])
    expect((await ada('projects', 'delete', 'kettle', '--yes')).code).toBe(0)
    expect((await ada('projects', 'delete', 'kettle', '--yes')).code).not.toBe(0)
  },
  60_000,
)

it('a key is made of which standard output is the key alone, works, and stops working', async () => {
  await ada('projects', 'create', 'keys')
  const made = await ada('keys', 'create', 'ci', '--scopes', 'read,deploy', '--expires', '30d')
  expect(made.stdout).toMatch(/^quire_\w+\n$/)
  const withKey = (...words: string[]): Promise<Finished> =>
    quire(words, { SERVICE_API_KEY: made.stdout.trim(), QUIRE_URL: service.url })
  expect((await withKey('status')).stdout).toMatch(/account {3}key quire_\w{6}… from SERVICE_API_KEY\nproject {3}keys/)
  if (isDeep) expect((await ada('keys')).stdout).toMatch(/ {2}read,deploy {2}used \S+, until \S+ {2}ci\n$/)
  if (isDeep) {
    const wrong = await ada('keys', 'create', 'ci', '--scopes', 'everything')
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Name some of read, write')])
    expect((await ada('keys', 'create', 'ci', '--expires', '2001-01-01')).code).toBe(2)
    expect((await ada('keys', 'revoke', 'ci')).code).toBe(2)
  }
  expect((await ada('keys', 'revoke', 'ci', '--yes')).stdout).toBe('revoked ci\n')
  expect((await withKey('status')).code).toBe(4)
}, 60_000)

it('init knows the host of the remote, writes its workflow, and overwrites nothing', async () => {
  const repository = join(folder, 'tea-pot')
  await writeFiles(repository, { 'docs/guide.md': '# Mine\n', '.gitlab-ci.yml': 'stages: []\n' })
  await git('git', ['init', '-q', '-b', 'trunk', repository])
  await git('git', ['-C', repository, 'remote', 'add', 'origin', 'git@github.com:ada/tea-pot.git'])
  const inside = (...words: string[]): Promise<Finished> =>
    quire(words, { XDG_CONFIG_HOME: home, QUIRE_URL: 'https://docs.example.com' }, repository)

  const begun = JSON.parse((await inside('init', '--json')).stdout) as { created: string[]; title: string }
  expect(begun).toMatchObject({
    title: 'Tea pot',
    created: ['docs/docs.json', 'docs/.quireignore', '.github/workflows/docs.yml'],
  })
  const workflow = await readFile(join(repository, '.github/workflows/docs.yml'), 'utf8')
  const { jobs } = parse(workflow) as { jobs: { docs: { env: object; steps: { run?: string }[] } } }
  expect(jobs.docs.env).toEqual({ QUIRE_URL: 'https://docs.example.com' })
  expect(jobs.docs.steps.map(({ run }) => run)).toContain('quire deploy docs')
  expect(workflow).toContain('quire deploy docs --branch "$PREVIEW"')

  await writeFile(join(repository, 'docs/docs.json'), '{"name":"Mine"}')
  if (!isDeep) return
  const again = await inside('init', '--ci', 'gitlab')
  expect(again.stderr).toContain('kept     docs/docs.json')
  expect(again.stdout).toContain('.gitlab-ci.yml was there')
  expect(await readFile(join(repository, 'docs/docs.json'), 'utf8')).toBe('{"name":"Mine"}')
  expect(await readFile(join(repository, '.gitlab-ci.yml'), 'utf8')).toBe('stages: []\n')
})

describe('whether a project is to be deleted', () => {
  let owner: Client
  let slug: string
  let count = 0

  beforeEach(async () => {
    const { token } = await createClient({ baseUrl: service.url }).call(contract.accounts.login, {
      body: { email: 'projects@example.com', password: 'correct horse battery' },
    })
    owner = createClient({ baseUrl: service.url, token })
    slug = `pan-${(count += 1)}`
    await owner.call(contract.projects.create, { body: { slug } })
  })

  const isThere = async (): Promise<boolean> =>
    (await owner.call(contract.projects.list, { query: {} })).items.some((one) => one.slug === slug)
  const atTerminal = (...words: readonly string[]): Pty => {
    const environment = { XDG_CONFIG_HOME: home, QUIRE_URL: service.url }
    const terminal = new Pty(['projects', 'delete', slug, ...words], { environment, directory: folder })
    onTestFinished(() => terminal.dispose())
    return terminal
  }
  /** At the question, which says what goes. */
  const asked = async (...words: readonly string[]): Promise<Pty> => {
    const terminal = atTerminal(...words)
    await terminal.shows(`Type ${slug} to do it:`)
    expect(terminal.screen().replaceAll('\n', '')).toContain(
      `Deleting ${slug} with its site ${new URL(service.url).protocol}//${slug}.`,
    )
    expect(await isThere()).toBe(true)
    return terminal
  }

  inDepth.each([
    ['another slug', 'pan\r'],
    ['yes', 'yes\r'],
    ['nothing', '\r'],
    ['the slug in other letters', 'PAN\r'],
  ])('is not said by %s', async (_what, typed) => {
    const terminal = await asked()
    terminal.type(typed)
    expect(await terminal.ended()).toBe(1)
    expect(terminal.screen()).toContain(`${slug} stays.`)
    expect(await isThere()).toBe(true)
  })

  it('is said by its slug, with spaces around it or not', async () => {
    const terminal = await asked()
    terminal.type(` ${slug} \r`)
    expect(await terminal.ended()).toBe(0)
    expect(terminal.screen()).toContain(`deleted ${slug}`)
    expect(await isThere()).toBe(false)
  })

  inDepth.each([
    ['Ctrl-C', 'ctrl+c'],
    ['Ctrl-C after the slug', 'ctrl+c'],
    ['Ctrl-D', 'ctrl+d'],
  ])('is not said by %s', async (what, chord) => {
    const terminal = await asked()
    if (what.includes('slug')) terminal.type(slug)
    await terminal.settled()
    terminal.key(chord)
    expect(await terminal.ended()).toBe(130)
    expect(terminal.screen()).not.toMatch(/Error|Warning|deleted/)
    expect(await isThere()).toBe(true)
  })

  it('is said by the flag that is named where nobody can be asked, and by nothing else', async () => {
    const people = await ada('projects', 'delete', slug)
    expect([people.code, people.stdout]).toEqual([2, ''])
    expect(people.stderr).toMatch(/^error {2}Deleting [^]* cannot be undone\.\nnext {3}Add (--yes) to do it\.\n$/)
    expect(await isThere()).toBe(true)
    if (!isDeep) return
    const program = await ada('projects', 'delete', slug, '--json')
    expect(JSON.parse(program.stdout)).toMatchObject({ error: { next: ['Add --yes to do it.'] } })
    // At a terminal, too, where nobody wants to be asked.
    const quiet = atTerminal('--no-input')
    expect(await quiet.ended()).toBe(2)
    expect(quiet.screen()).toContain('Add --yes to do it.')
    expect(await isThere()).toBe(true)
    expect((await ada('projects', 'delete', slug, '--yes')).code).toBe(0)
    expect(await isThere()).toBe(false)
  })
})
