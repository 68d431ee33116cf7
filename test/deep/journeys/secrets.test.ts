import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { constants, gzipSync, inflateRawSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '#client/client.ts'
import { deviceGrant } from '#contract/device-login.ts'
import { contract } from '#contract/index.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { startService, type ServiceProcess } from '#test/support/service-process.ts'
import { removeDirectory } from '#test/support/temporary.ts'

const run = promisify(execFile)

/** What must be found nowhere, by what it is. */
type Secrets = Map<string, string>

const slug = 'secret'
const params = { slug }
const email = 'anna@example.com'
const passwords = {
  first: 'first horse "battery" ünïcode',
  wrong: 'wrong horse \\ staple & more',
  second: 'second horse, another staple',
}

async function git(directory: string, ...args: string[]): Promise<string> {
  const environment = {
    PATH: process.env['PATH'],
    HOME: directory,
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Anna',
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: 'Anna',
    GIT_COMMITTER_EMAIL: email,
  }
  return (await run('git', args, { cwd: directory, env: environment, maxBuffer: 1 << 28, encoding: 'latin1' })).stdout
}

/** Sign-up, sign-ins, a new password, and a terminal: everything that makes a session. */
async function signInEverywhere(url: string, secrets: Secrets): Promise<string> {
  const stranger = createClient({ baseUrl: url })
  const signup = await stranger.call(contract.accounts.signup, { body: { email, password: passwords.first } })
  secrets.set('token of the sign-up', signup.token)
  await refusalOf(stranger.call(contract.accounts.login, { body: { email, password: passwords.wrong } }))
  const login = await stranger.call(contract.accounts.login, { body: { email, password: passwords.first } })
  secrets.set('token of the sign-in', login.token)
  const owner = createClient({ baseUrl: url, token: login.token })
  const change = { currentPassword: passwords.first, newPassword: passwords.second }
  await owner.call(contract.accounts.changePassword, { body: change })

  for (const decision of ['approve', 'deny'] as const) {
    const device = await stranger.call(contract.device.authorize, { body: { client_id: 'quire-cli' } })
    secrets.set(`device code to ${decision}`, device.device_code)
    secrets.set(`user code to ${decision}`, device.user_code)
    secrets.set(`user code to ${decision}, without its hyphen`, device.user_code.replace('-', ''))
    await owner.call(contract.device[decision], { body: { user_code: device.user_code } })
    const poll = stranger.call(contract.device.token, {
      body: { grant_type: deviceGrant, client_id: 'quire-cli', device_code: device.device_code },
    })
    if (decision === 'approve') secrets.set('token of the terminal', (await poll).access_token)
    else await refusalOf(poll)
  }
  return login.token
}

/** A key that is used through the API and through Git. */
async function useKey(url: string, key: string, directory: string): Promise<void> {
  const robot = createClient({ baseUrl: url, token: key })
  await robot.call(contract.deploys.create, { body: { files: [{ path: 'index.mdx', content: '# Hello' }] } })
  const remote = `${url.replace('://', `://anna:${key}@`)}/git/${slug}.git`
  await git(directory, 'clone', '--quiet', remote, 'clone')
  const clone = join(directory, 'clone')
  await appendFile(join(clone, 'index.mdx'), '\n\nMore.\n')
  await git(clone, 'commit', '--quiet', '--all', '--message', 'More')
  await git(clone, 'push', '--quiet', 'origin', 'HEAD:refs/heads/draft')
  await git(clone, 'push', '--quiet', 'origin', 'HEAD:refs/heads/main')
}

/** Requests that fail, with secrets where none belong. */
async function misplace(url: string, { key, password }: { readonly key: string; readonly password: string }) {
  const json = { 'content-type': 'application/json' }
  const authorization = `Bearer ${key}`
  const requests: [path: string, init: RequestInit][] = [
    [`/api/projects/${slug}?key=${key}&password=${encodeURIComponent(password)}`, {}],
    [`/nothing/${key}?token=${key}`, {}],
    [`/api/projects/${key}`, { headers: { authorization } }],
    [`/git/${key}.git/info/refs?service=git-upload-pack`, {}],
    [`/git/${slug}.git/info/refs?service=${key}`, { headers: { authorization: `Basic ${btoa(`${key}:${key}`)}` } }],
    ['/api/projects', { headers: { authorization: `Bearer: ${key}` } }],
    ['/api/projects', { headers: { authorization: `Bearre ${key}x` } }],
    ['/api/projects', { headers: { cookie: `quire_session=${key}x; other=${key}` } }],
    ['/api/auth/login', { method: 'POST', headers: json, body: JSON.stringify({ email, key, passwort: password }) }],
    ['/api/auth/login', { method: 'POST', headers: json, body: `{"email": "${email}", "password": "${password}` }],
    ['/api/auth/login', { method: 'POST', headers: json, body: JSON.stringify({ email: password, password: key }) }],
    ['/api/auth/login', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: password }],
    ['/api/deploy', { method: 'POST', headers: { ...json, authorization }, body: `{"files": ["${key}"` }],
    ['/api/deploy', { method: 'POST', headers: { ...json, authorization }, body: JSON.stringify({ key, password }) }],
    [
      '/api/auth/device/token',
      { method: 'POST', body: new URLSearchParams({ client_id: key, device_code: password }) },
    ],
    [`/api/auth/device?code=${key}`, { method: 'DELETE' }],
  ]
  for (const [path, init] of requests) {
    const response = await fetch(url + path, { ...init, redirect: 'manual' })
    await response.arrayBuffer()
    expect(response.status, path.replace(key, '…')).toBeGreaterThanOrEqual(400)
  }
  // A client that calls itself by its key, where names of clients are kept.
  const named = { authorization, 'user-agent': `curl ${key}`, ...json }
  const branch = { method: 'POST', headers: named, body: JSON.stringify({ name: 'kept-client' }) }
  expect((await fetch(`${url}/api/projects/${slug}/branches`, branch)).status).toBe(201)
}

/** Each secret, in the spellings in which a careless line would have it. */
function spellings(secret: string): string[] {
  const raw = Buffer.from(secret, 'utf8')
  // Base64 depends on where in its text the secret begins; the ends, which its neighbours share, are left out.
  const encoded = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), raw])
      .toString('base64')
      .slice(4, -4),
  )
  const all = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), raw.toString('hex'), ...encoded]
  return all.filter((text) => text.length >= 5).map((text) => Buffer.from(text, 'utf8').toString('latin1'))
}

/** Node names neither file nor comment in it. */
const gzipHeaderBytes = 10

/** Everything that can be read out of some bytes: themselves, and each gzip stream that begins in them. */
function* unpacked(bytes: Buffer): Generator<string> {
  yield bytes.toString('latin1')
  const magic = Buffer.from([0x1f, 0x8b, 0x08])
  for (let at = bytes.indexOf(magic); at !== -1; at = bytes.indexOf(magic, at + 1)) {
    try {
      // The stream alone, without the header: what follows it in the file would be an error otherwise.
      const stream = bytes.subarray(at + gzipHeaderBytes)
      yield inflateRawSync(stream, { finishFlush: constants.Z_SYNC_FLUSH }).toString('latin1')
    } catch (error) {
      // The three bytes were something else.
      expect(error).toMatchObject({ code: expect.stringMatching(/^Z_/) as string })
    }
  }
}

async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

/** Where which secret is found. */
async function leaks(directory: string, log: string, secrets: Secrets): Promise<string[]> {
  const found: string[] = []
  const look = (place: string, text: string): void => {
    for (const [name, secret] of secrets)
      if (spellings(secret).some((spelling) => text.includes(spelling))) found.push(`${name} in ${place}`)
  }
  look('the log', Buffer.from(log, 'utf8').toString('latin1'))
  for (const file of await filesBelow(directory)) {
    const place = relative(directory, file)
    look(`the name ${place}`, place)
    for (const text of unpacked(await readFile(file))) look(place, text)
  }
  const repository = join(directory, `${slug}.git`)
  look('the objects of Git', await git(repository, 'cat-file', '--batch-all-objects', '--batch', '--unordered'))
  return found
}

test('no key, password, session or code is kept in a file or a log, wherever it was sent', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'quire-secrets-'))
  const elsewhere = await mkdtemp(join(tmpdir(), 'quire-secrets-client-'))
  const settings = { LOG_LEVEL: 'trace' }
  let service: ServiceProcess = await startService(directory, settings)
  onTestFinished(async () => {
    await service.stop()
    await removeDirectory(directory)
    await removeDirectory(elsewhere)
  })
  const { port, url } = service
  const secrets: Secrets = new Map(Object.entries(passwords).map(([name, secret]) => [`the ${name} password`, secret]))

  const token = await signInEverywhere(url, secrets)
  const owner = createClient({ baseUrl: url, token })
  await owner.call(contract.projects.create, { body: { slug } })
  const { key, id } = await owner.call(contract.keys.create, { params, body: { name: 'CI' } })
  const doomed = await owner.call(contract.keys.create, { params, body: { name: 'Doomed' } })
  secrets.set('the key', key).set('the revoked key', doomed.key)
  await useKey(url, key, elsewhere)
  await misplace(url, { key, password: passwords.second })
  await owner.call(contract.keys.revoke, { params, query: { id: doomed.id } })
  await refusalOf(createClient({ baseUrl: url, token: doomed.key }).call(contract.projects.read, { params }))

  // A mistake of the service itself, which logs what it knows.
  await owner.call(contract.projects.create, { body: { slug: 'broken' } })
  const segment = join(directory, 'broken', 'audit', '00000001.jsonl')
  await rm(segment)
  await mkdir(segment)
  const mistake = await fetch(`${url}/api/projects/broken/audit?actor=${key}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(mistake.status).toBe(500)

  let log = service.log()
  await service.stop()
  log += service.log()
  service = await startService(directory, { ...settings, QUIRE_FAILPOINT: 'after-refs' }, port)
  const ended = once(service.child, 'exit')
  const robot = createClient({ baseUrl: url, token: key })
  await expect(
    robot.call(contract.deploys.create, { body: { files: [{ path: 'index.mdx', content: '# Crash' }] } }),
  ).rejects.toMatchObject({ code: 'unavailable' })
  await ended
  log += service.log()
  expect(await leaks(directory, log, secrets)).toEqual([])
  service = await startService(directory, settings, port)
  // What was made is there: the scan did not look at an empty house, and the audit log says who pushed.
  const { items } = await owner.call(contract.audit.list, { params })
  expect(items.filter(({ action }) => action === 'git.push').map(({ target, actor }) => [target, actor.id])).toEqual([
    ['main', id],
    ['draft', id],
  ])
  expect(items.map(({ client }) => client)).toContain('curl quire_…')
  await service.stop()
  log += service.log()
  expect(await leaks(directory, log, secrets)).toEqual([])
  // The scan finds what there is to find: in files, in objects of Git, under compression.
  await writeFile(
    join(directory, 'planted'),
    Buffer.concat([Buffer.from('before'), gzipSync(key), Buffer.from('after')]),
  )
  const shown = new Map([
    ['the page', 'More.'],
    ['the address', email],
    ['the key', key],
  ])
  const found = await leaks(directory, '', shown)
  expect(found).toContain('the page in the objects of Git')
  expect(found).toContain('the key in planted')
  expect(found.some((line) => line.startsWith('the address in _'))).toBe(true)
})
