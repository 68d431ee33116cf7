import { chmod, mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Credentials } from '#cli/credentials/credentials.ts'
import { KeychainUnavailable } from '#cli/credentials/keychain.ts'
import { KnownServices } from '#cli/credentials/known-services.ts'
import { SessionFile, serviceOf, type SessionStore, type StoredSession } from '#cli/credentials/session-store.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const url = 'https://docs.example.com'
const session = { token: 'quire_s_secret', email: 'ada@example.com' }
const ignore = (): void => undefined

/** A keychain in memory, which may be locked. */
class MemoryKeychain implements SessionStore {
  readonly entries = new Map<string, StoredSession>()
  locked = false

  async read(service: string): Promise<StoredSession | undefined> {
    this.#open()
    return this.entries.get(service)
  }

  async write(service: string, stored: StoredSession): Promise<void> {
    this.#open()
    this.entries.set(service, stored)
  }

  async remove(service: string): Promise<void> {
    this.#open()
    this.entries.delete(service)
  }

  #open(): void {
    if (this.locked) throw new KeychainUnavailable('it is locked')
  }
}

async function open() {
  const directory = join(await temporaryDirectory(), 'quire')
  const keychain = new MemoryKeychain()
  const file = new SessionFile(directory)
  return {
    directory,
    keychain,
    file,
    credentials: new Credentials({ keychain, file, known: new KnownServices(directory) }),
  }
}

describe('a session', () => {
  it('is kept in the keychain where there is one, and leaves no file', async () => {
    const { credentials, directory, keychain } = await open()
    keychain.locked = true
    await credentials.keep(url, session, { requireKeychain: false })
    keychain.locked = false
    expect(await credentials.keep(url, session, { requireKeychain: false })).toEqual({ location: { kind: 'keychain' } })
    expect(await readdir(directory)).toEqual(['services.json'])
    expect(await credentials.read(url, ignore)).toEqual({ ...session, location: { kind: 'keychain' } })
    await credentials.remove(url)
    expect(await credentials.read(url, ignore)).toBeUndefined()
  })

  it('goes to a file that only its owner reads where the keychain is not to be had, with the reason', async () => {
    const { credentials, directory, file, keychain } = await open()
    keychain.locked = true
    await mkdir(directory, { mode: 0o755 })
    await chmod(directory, 0o755)
    const kept = await credentials.keep(url, session, { requireKeychain: false })
    expect(kept).toEqual({ location: { kind: 'file', path: file.path }, reason: 'it is locked' })
    expect((await stat(file.path)).mode & 0o777).toBe(0o600)
    expect((await stat(directory)).mode & 0o777).toBe(0o700)
    expect(await credentials.read(url, ignore)).toMatchObject(session)
    expect(await readdir(directory)).toEqual(['credentials.json', 'services.json'])
  })

  it('is kept nowhere when the keychain is required and not to be had', async () => {
    const { credentials, directory, keychain } = await open()
    await credentials.assertKeychain(url)
    keychain.locked = true
    const failure = await refusalOf(credentials.keep(url, session, { requireKeychain: true }))
    expect(failure).toMatchObject({ code: 'unauthenticated', hint: expect.stringContaining('--require-keychain') })
    expect((await refusalOf(credentials.assertKeychain(url))).message).toContain('it is locked')
    await expect(readdir(directory)).rejects.toThrow('ENOENT')
  })

  it('that can be kept nowhere says so', async () => {
    const { credentials, directory, keychain } = await open()
    keychain.locked = true
    await writeFile(directory, 'a file in the place of the folder')
    const failure = await refusalOf(credentials.keep(url, session, { requireKeychain: false }))
    expect(failure.message).toMatch(/keychain: it is locked; file: .*EEXIST/)
  })

  it('belongs to one service: another one’s stays, and is not sent there', async () => {
    const { credentials, file, keychain } = await open()
    keychain.locked = true
    const other = { ...session, token: 'quire_s_other' }
    await credentials.keep(url, session, { requireKeychain: false })
    await credentials.keep('http://localhost:4000', other, { requireKeychain: false })
    expect((await credentials.read(`${url}/`, ignore))?.token).toBe(session.token)
    expect(await credentials.read('http://docs.example.com', ignore)).toBeUndefined()
    expect(await credentials.read('https://docs.example.com:8443', ignore)).toBeUndefined()
    await credentials.remove(url)
    expect(JSON.parse(await readFile(file.path, 'utf8'))).toEqual({ 'http://localhost:4000': other })
    await credentials.remove('http://localhost:4000')
    await expect(stat(file.path)).rejects.toThrow('ENOENT')
  })

  it('is not there when the keychain cannot be asked, and the reason is told', async () => {
    const { credentials, keychain } = await open()
    await credentials.keep(url, session, { requireKeychain: false })
    keychain.locked = true
    const reasons: string[] = []
    expect(await credentials.read(url, (reason) => reasons.push(reason))).toBeUndefined()
    expect(reasons).toEqual(['it is locked'])
  })
})

describe('the file of sessions', () => {
  it.each(['{', '"text"', 'null'])('that is damaged (%s) is a failure with a way out', async (text) => {
    const { credentials, directory, file } = await open()
    await mkdir(directory)
    await writeFile(file.path, text)
    expect((await refusalOf(credentials.read(url, ignore))).hint).toContain('Delete it')
  })

  it.each(['{"https://docs.example.com": 1}', '{"https://docs.example.com": {"token": 1}}'])(
    'with something else in it (%s) holds no session',
    async (text) => {
      const { credentials, directory, file } = await open()
      await mkdir(directory)
      await writeFile(file.path, text)
      expect(await credentials.read(url, ignore)).toBeUndefined()
    },
  )
})

it.each([
  ['https://Docs.Example.com/', 'https://docs.example.com'],
  ['https://docs.example.com:443/a//', 'https://docs.example.com/a'],
  ['http://me:secret@localhost:4000', 'http://localhost:4000'],
])('keeps the session for %s under %s', (given, service) => expect(serviceOf(given)).toBe(service))

it.each(['docs.example.com', 'localhost:4000', 'file:///etc', 'https://'])('takes %s for no service', (given) =>
  expect(() => serviceOf(given)).toThrow('not the address'),
)
