import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createClient, type Client } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { dist } from '#lib/paths.ts'
import { quire, type Finished } from '#test/support/command-line.ts'
import { createProject, freePort, startService, type ServiceProcess } from '#test/support/service-process.ts'
import { removeDirectory } from '#test/support/temporary.ts'

let home: string
let data: string
let service: ServiceProcess

const admin = (...words: string[]): Promise<Finished> => quire(['admin', '--data', data, ...words])

/** Runs `quire admin` with something on standard input. */
async function adminWith(input: string | Buffer, ...words: string[]): Promise<{ code: number | null; stdout: Buffer }> {
  const child = spawn(process.execPath, [join(dist, 'quire.js'), 'admin', '--data', data, ...words], {
    env: { PATH: process.env['PATH'] },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stdin.on('error', () => child.stdin.destroy())
  child.stdin.end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout: Buffer.concat(chunks) }
}

async function signIn(email: string, password: string): Promise<string> {
  const { token } = await createClient({ baseUrl: service.url }).call(contract.accounts.login, {
    body: { email, password },
  })
  return token
}

/** Settings that would leave the operator as the only one who makes accounts. */
const settings = { SIGNUP: 'closed', DEFAULT_PLAN: 'free' }

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'quire-operator-'))
  data = join(home, 'data')
  service = await startService(data, settings)
})
afterAll(async () => {
  await service.stop()
  await removeDirectory(home)
})

describe('quire admin', () => {
  it('makes accounts where signing up is closed, and prints a random password once', async () => {
    const { code, stdout } = await admin('accounts', 'create', 'ada@example.com', '--json')
    const { account, password } = JSON.parse(stdout) as { account: { email: string }; password: string }
    expect({ code, email: account.email }).toEqual({ code: 0, email: 'ada@example.com' })
    expect(await signIn('ada@example.com', password)).toMatch(/^quire_s_/)
    expect(service.log()).not.toContain(password)
    // A temporary file may have its name no more.
    const names = (await readdir(data)).filter((name) => !name.endsWith('.tmp'))
    expect(names).toContain('_service.json')
    // At the full cost, also of a password that is random.
    expect(await readFile(join(data, '_service.json'), 'utf8')).toContain('scrypt$16$8$1$')
    for (const path of names.map((name) => join(data, name)))
      if ((await stat(path)).isFile()) expect(await readFile(path, 'utf8')).not.toContain(password)
    const again = await admin('accounts', 'create', 'ADA@example.com')
    expect(again).toMatchObject({ code: 5, stdout: '' })
    expect(again.stderr).toContain('error')
  })

  it('takes a password from standard input, and ends the sessions of the old one', async () => {
    await adminWith('first password\n', 'accounts', 'create', 'grace@example.com', '--password-stdin')
    const session = await signIn('grace@example.com', 'first password')
    const reset = ['accounts', 'reset-password', 'grace@example.com', '--password-stdin', '--json']
    const { code, stdout } = await adminWith('second password', ...reset)
    expect({ code, document: JSON.parse(stdout.toString()) as unknown }).toEqual({
      code: 0,
      document: { email: 'grace@example.com' },
    })
    await expect(signIn('grace@example.com', 'first password')).rejects.toMatchObject({ code: 'unauthenticated' })
    const old = createClient({ baseUrl: service.url, token: session })
    await expect(old.call(contract.projects.list, { query: {} })).rejects.toMatchObject({ code: 'unauthenticated' })
    await signIn('grace@example.com', 'second password')
    expect((await adminWith('', ...reset)).code).toBe(2)
    expect((await adminWith('two\nlines\n', ...reset)).code).toBe(2)
    expect((await admin('accounts', 'reset-password', 'nobody@example.com')).code).toBe(1)
  })

  it('changes plans, and does all of this without a service too', async () => {
    expect((await admin('plan', 'ada@example.com', 'pro')).stdout).toBe('ada@example.com has the plan pro.\n')
    expect((await admin('plan', 'ada@example.com', 'gold')).code).toBe(2)
    const list = async (): Promise<unknown> =>
      (JSON.parse((await admin('accounts', 'list', '--json')).stdout) as { items: unknown }).items
    const beside = await list()
    expect(beside).toMatchObject([
      { email: 'ada@example.com', plan: 'pro' },
      { email: 'grace@example.com', plan: 'free' },
    ])
    await service.stop()
    expect(await list()).toEqual(beside)
    await admin('plan', 'grace@example.com', 'pro')
    service = await startService(data, settings)
    expect(await list()).toMatchObject([{ plan: 'pro' }, { plan: 'pro' }])
  })

  it('gives projects away and removes accounts, beside the service and without', async () => {
    for (const email of ['mary@example.com', 'joan@example.com'])
      await adminWith('correct horse battery\n', 'accounts', 'create', email, '--password-stdin')
    const mary = createClient({
      baseUrl: service.url,
      token: await signIn('mary@example.com', 'correct horse battery'),
    })
    await mary.call(contract.projects.create, { body: { slug: 'moved' } })
    const owns = await admin('accounts', 'remove', 'mary@example.com', '--yes')
    expect([owns.code, owns.stdout]).toEqual([2, ''])
    expect(owns.stderr).toContain('mary@example.com owns the project moved.')
    // Nobody is there to be asked.
    expect((await admin('accounts', 'remove', 'joan@example.com')).code).toBe(2)

    const given = await admin('transfer', 'moved', 'joan@example.com')
    expect(given.stdout).toBe('joan@example.com owns moved now; who did is a writer.\n')
    expect((await admin('transfer', 'moved', 'nobody@example.com')).code).toBe(1)
    await service.stop()
    const removed = await admin('accounts', 'remove', 'mary@example.com', '--yes')
    expect(removed).toMatchObject({ code: 0, stdout: 'Removed mary@example.com. It was a writer of moved.\n' })
    service = await startService(data, settings)
    const again = JSON.parse(
      (await admin('accounts', 'remove', 'mary@example.com', '--yes', '--json')).stdout,
    ) as unknown
    expect(again).toEqual({ email: 'mary@example.com', removed: false })

    const joan = createClient({
      baseUrl: service.url,
      token: await signIn('joan@example.com', 'correct horse battery'),
    })
    await expect(signIn('mary@example.com', 'correct horse battery')).rejects.toMatchObject({ code: 'unauthenticated' })
    const { items } = await joan.call(contract.audit.list, { params: { slug: 'moved' }, query: {} })
    expect(items.map(({ action, actor }) => `${actor.kind} ${action}`)).toEqual([
      'operator admin.removeAccount',
      'operator admin.transfer',
      'account projects.create',
    ])
    await joan.call(contract.projects.remove, { params: { slug: 'moved' } })
    expect((await admin('accounts', 'remove', 'joan@example.com', '--yes')).stdout).toBe('Removed joan@example.com.\n')
  })

  it('lists, suspends, resumes and deletes projects, beside the service and without', async () => {
    await admin('accounts', 'create', 'olga@example.com')
    const password = 'correct horse battery'
    await adminWith(password, 'accounts', 'reset-password', 'olga@example.com', '--password-stdin')
    const client = createClient({ baseUrl: service.url, token: await signIn('olga@example.com', password) })
    for (const slug of ['manual', 'leaflet']) await client.call(contract.projects.create, { body: { slug } })
    const named = async (): Promise<Record<string, { owner: string; suspended?: { reason?: string } }>> => {
      const { items } = JSON.parse((await admin('projects', '--json')).stdout) as {
        items: { slug: string; owner: string; diskBytes: number }[]
      }
      expect(items.every(({ diskBytes }) => diskBytes > 0)).toBe(true)
      return Object.fromEntries(items.map((item) => [item.slug, item]))
    }
    expect((await named())['manual']).toMatchObject({ owner: 'olga@example.com' })
    expect((await admin('accounts')).stdout).toContain('owns leaflet, manual')
    expect((await admin('disk')).stdout).toMatch(/^manual +olga@example\.com( +[\d.]+ \w+){5} +\d+ %$/m)

    expect(await admin('projects', 'suspend', 'manual', '--reason', 'Spam.')).toMatchObject({ code: 0 })
    const params = { slug: 'manual' }
    const change = { params, body: { title: 'Else' } }
    await expect(client.call(contract.projects.update, change)).rejects.toMatchObject({ code: 'project_suspended' })
    expect(await admin('projects', 'delete', 'leaflet')).toMatchObject({ code: 2 })
    expect(await admin('projects', 'delete', 'leaflet', '--yes')).toMatchObject({ code: 0 })
    await service.stop()

    const without = await named()
    expect(without['leaflet']).toBeUndefined()
    expect(without['manual']).toMatchObject({ suspended: { reason: 'Spam.' } })
    expect(await admin('projects', 'resume', 'manual')).toMatchObject({ code: 0 })
    expect(await admin('projects', 'suspend', 'nowhere')).toMatchObject({ code: 1 })
    service = await startService(data, settings)
    const again = createClient({ baseUrl: service.url, token: await signIn('olga@example.com', password) })
    expect(await again.call(contract.projects.update, change)).toMatchObject({ title: 'Else' })
    const { items } = await again.call(contract.audit.list, { params })
    expect(items.map(({ action }) => action)).toEqual(expect.arrayContaining(['admin.resume', 'admin.suspend']))
    await service.stop()
    expect(await admin('projects', 'delete', 'manual', '--yes')).toMatchObject({ code: 0 })
    expect((await readdir(data)).filter((name) => name.startsWith('manual'))).toEqual([])
    service = await startService(data, settings)
  })

  it('backs up to standard output and restores from standard input', async () => {
    const { code, stdout: archive } = await adminWith('', 'backup', '-')
    expect(code).toBe(0)
    const into = join(home, 'from-stdin')
    expect((await adminWith(archive, 'restore', '-', '--into', into)).code).toBe(0)
    expect(await readFile(join(into, '_service.json'))).toEqual(await readFile(join(data, '_service.json')))
    const refused = await adminWith(archive, 'restore', '-', '--into', into, '--json')
    expect(refused.code).toBe(2)
    expect(JSON.parse(refused.stdout.toString())).toMatchObject({ error: { code: 'invalid_request' } })
  })

  it('leaves no half archive where it cannot write one', async () => {
    const missing = await admin('backup', join(home, 'nowhere', 'backup.tar.gz'))
    expect(missing).toMatchObject({ code: 2, stdout: '' })
    const full = spawn(
      'sh',
      ['-c', '"$0" "$1" admin --data "$2" --json backup - > /dev/full', process.execPath, join(dist, 'quire.js'), data],
      {
        env: { PATH: process.env['PATH'] },
        stdio: 'ignore',
      },
    )
    expect(await once(full, 'close')).toEqual([75, null])
    const file = join(home, 'whole.tar.gz')
    await admin('backup', file)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await readdir(home)).filter((name) => name.includes('tmp'))).toEqual([])
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('leaves nothing half after %s', async (signal) => {
    const into = join(home, 'cut')
    await admin('backup', join(home, 'long.tar.gz'))
    // The end of the archive does not come.
    const archive = await readFile(join(home, 'long.tar.gz'))
    const child = spawn(process.execPath, [join(dist, 'quire.js'), 'admin', 'restore', '-', '--into', into], {
      env: { PATH: process.env['PATH'] },
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    const ended = once(child, 'close')
    child.stdin.write(archive.subarray(0, -20))
    await expect.poll(async () => (await readdir(home)).some((name) => name.startsWith('.restoring-'))).toBe(true)
    child.kill(signal)
    expect(await ended).toEqual([130, null])
    expect((await readdir(home)).filter((name) => name.startsWith('.restoring-') || name === 'cut')).toEqual([])
  })

  it('gives up a backup when the service is killed meanwhile', async () => {
    const directory = join(home, 'killed')
    const killed = await startService(directory, {})
    const { client } = await createProject(killed.url, 'docs')
    const content = randomBytes(3 << 20).toString('base64')
    const files = [
      { path: 'index.mdx', content: '# Home' },
      { path: 'a.txt', content },
    ]
    await client.call(contract.deploys.create, { body: { files } })
    const child = spawn(process.execPath, [join(dist, 'quire.js'), 'admin', '--data', directory, 'backup', '-'], {
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = once(child, 'close')
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    // Behind the theme’s files so much is of the project’s objects; while nobody reads on, the rest of them waits.
    let read = 0
    const readOn = (chunk: Buffer): void => {
      read += chunk.length
      if (read > 2 << 20) child.stdout.pause()
    }
    child.stdout.on('data', readOn)
    await expect.poll(() => child.stdout.isPaused()).toBe(true)
    await killed.kill()
    child.stdout.off('data', readOn).resume()
    expect(await ended).toEqual([75, null])
    expect(stderr).toContain('The service ended')
    expect(JSON.parse((await quire(['admin', '--data', directory, 'check', '--json'])).stdout)).toMatchObject({
      ok: true,
      problems: [],
    })
  })

  it('ends a check with 1 when something is off, and says what to do', async () => {
    const sound = await admin('check')
    expect(sound).toMatchObject({ code: 0, stderr: '' })
    expect(sound.stdout).toMatch(/^Everything is as it should be: /)
    const into = join(home, 'damaged')
    await admin('backup', join(home, 'sound.tar.gz'))
    await admin('restore', join(home, 'sound.tar.gz'), '--into', into)
    await rm(join(into, '.starts'))
    const off = await quire(['admin', '--data', into, 'check'])
    expect(off.code).toBe(1)
    expect(off.stdout).toMatch(/problem {2}\.starts: is missing\n +The next start makes it anew\./)
    const mistyped = await quire(['admin', '--data', join(home, 'absent'), 'check'])
    expect(mistyped.code).toBe(1)
    expect(await readdir(home)).not.toContain('absent')
  })

  it('collects garbage, beside the service and without', async () => {
    const open = await startService(join(home, 'open'), {})
    try {
      const { slug } = await createProject(open.url, 'docs')
      const one = await quire(['admin', '--data', join(home, 'open'), 'gc', slug, '--json'])
      expect(JSON.parse(one.stdout)).toMatchObject({ items: [{ project: slug, releases: 0 }] })
      const unknown = await quire(['admin', '--data', join(home, 'open'), 'gc', 'unknown'])
      expect(unknown.code).toBe(1)
    } finally {
      await open.stop()
    }
    const all = await quire(['admin', '--data', join(home, 'open'), 'gc'])
    expect(all).toMatchObject({ code: 0, stdout: expect.stringMatching(/^(?:docs: .*\n)?Freed /) as string })
  })
})

describe('a repository that git cannot collect', () => {
  it('keeps no other from being collected, and the operator and the metrics are told', async () => {
    const directory = join(home, 'damaged')
    const clients: Client[] = []
    let open = await startService(directory, {})
    const gc = async (): Promise<Finished> => quire(['admin', '--data', directory, 'gc'])
    try {
      for (const slug of ['aaa', 'bbb', 'ccc']) {
        const { client } = await createProject(open.url, slug)
        clients.push(client)
        await client.call(contract.deploys.create, { body: { files: [{ path: 'index.mdx', content: '# Hello' }] } })
      }
      const inRepository = (...args: string[]) =>
        execFileSync('git', ['--git-dir', join(directory, 'bbb.git'), ...args])
      const tree = inRepository('rev-parse', 'main^{tree}').toString().trim()
      await rm(join(directory, 'bbb.git', 'objects', tree.slice(0, 2), tree.slice(2)))

      const beside = await gc()
      expect(beside.code).toBe(1)
      expect(beside.stdout).toMatch(/^failed {2}bbb: The repository could not be collected: git gc: .*\n/)
      for (const slug of ['aaa', 'ccc']) {
        const loose = await readdir(join(directory, `${slug}.git`, 'objects'))
        expect(loose.filter((name) => name.length === 2)).toEqual([])
      }
      // So it does when the service collects of itself, here after each write.
      await open.stop()
      open = await startService(directory, { GC_EVERY: '1' }, open.port)
      const metrics = async (): Promise<string> => (await fetch(`${open.url}/metrics`)).text()
      expect(await metrics()).toContain('quire_collections_total{status="failed"} 0')
      await clients[1]?.call(contract.branches.create, { params: { slug: 'bbb' }, body: { name: 'work' } })
      await expect.poll(metrics).toContain('quire_collections_total{status="failed"} 1')
      expect(open.log()).toContain('collecting garbage failed')
    } finally {
      await open.stop()
    }
    const without = await quire(['admin', '--data', directory, 'gc', '--json'])
    expect(without.code).toBe(1)
    expect(JSON.parse(without.stdout)).toMatchObject({ failed: [{ project: 'bbb' }], items: [{ project: 'aaa' }, {}] })
  })
})

describe('quire serve', () => {
  it('runs the service, tells people where it is beside the log, which has lines of JSON alone, and ends as it does', async () => {
    const port = await freePort()
    const child = spawn(process.execPath, [join(dist, 'quire.js'), 'serve'], {
      env: { PATH: process.env['PATH'], PORT: String(port), DATA_DIR: join(home, 'served') },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const ended = once(child, 'close')
    const log = text(child.stdout)
    const [line] = (await once(child.stderr, 'data')) as [Buffer]
    expect(line.toString()).toContain(`listening on http://127.0.0.1:${port}`)
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
    child.kill('SIGINT')
    expect(await ended).toEqual([0, null])
    const lines = (await log).trimEnd().split('\n')
    const messages = lines.map((one) => (JSON.parse(one) as { readonly msg: string }).msg)
    expect(messages).toEqual(expect.arrayContaining(['started', 'stopped']))
  })

  it('tells which settings are wrong', async () => {
    const { code, stderr } = await quire(['serve'], { PORT: 'many' })
    expect(code).toBe(2)
    expect(stderr).toContain('PORT must be a whole number')
  })

  it('ends when its port is taken, and says so', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    onTestFinished(() => void taken.close())
    const { port } = taken.address() as AddressInfo
    const { code, stderr } = await quire(['serve'], { PORT: String(port), DATA_DIR: join(home, 'portless') })
    expect(code).toBe(75)
    expect(stderr).toContain(`cannot listen at 127.0.0.1, port ${port} (EADDRINUSE)`)
  })
})
