import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createClient, type Client } from '#client/client.ts'
import { confirmEmailPage, resetPasswordPage } from '#contract/account-changes.ts'
import { contract } from '#contract/index.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { openAccess } from '#test/support/access.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { tokenIn } from '#test/support/letters.ts'
import { join } from '#test/support/members.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { startSmtp, type ArrivedLetter, type TestSmtp } from '#test/support/smtp.ts'

const password = 'correct horse battery'
const newPassword = 'another horse battery'

/** Sends no mail. */
let quiet: TestService
beforeAll(async () => {
  quiet = await startTestService({}, { builder: new FakeBuilder() })
})
afterAll(() => quiet.close())

/** Another one, with settings of its own. */
async function start(environment: Record<string, string>): Promise<TestService> {
  const own = await startTestService(environment, { builder: new FakeBuilder() })
  onTestFinished(() => own.close())
  return own
}

async function startWithMail() {
  const smtp = await startSmtp()
  return { smtp, service: await start({ SMTP_URL: smtp.url, MAIL_FROM: 'Quire <quire@example.com>' }) }
}

async function signUp({ url }: TestService, email: string): Promise<Client> {
  const { token } = await createClient({ baseUrl: url }).call(contract.accounts.signup, { body: { email, password } })
  return createClient({ baseUrl: url, token })
}

/** The next letter to an address, taken away. */
async function letterTo({ arrived }: TestSmtp, to: string): Promise<ArrivedLetter> {
  const index = await vi.waitUntil(
    () => {
      const found = arrived.findIndex((letter) => letter.to.includes(to))
      return found === -1 ? null : { found }
    },
    { timeout: 10_000 },
  )
  const [letter] = arrived.splice(index.found, 1)
  if (letter === undefined) throw new Error(`no letter to ${to}`)
  return letter
}

const emailOf = async (client: Client): Promise<string> => (await client.call(contract.accounts.me)).account.email
const audited = async (client: Client, slug: string) =>
  (await client.call(contract.audit.list, { params: { slug } })).items

describe('a service that sends mail', () => {
  it('says so, and mails a link to whoever forgot a password', async () => {
    const { smtp, service } = await startWithMail()
    const stranger = createClient({ baseUrl: service.url })
    expect(await stranger.call(contract.service.read)).toMatchObject({ mail: true })
    const ada = await signUp(service, 'ada@example.com')
    const answers = []
    for (const email of ['nobody@example.com', 'Ada@example.com'])
      answers.push(await stranger.call(contract.accounts.forgotPassword, { body: { email } }))
    expect(answers[0]).toEqual(answers[1])
    const letter = await letterTo(smtp, 'ada@example.com')
    const token = tokenIn(letter)
    expect(letter.text).toContain(`http://localhost:${service.port}${resetPasswordPage}#token=${token}\n`)
    expect(smtp.arrived).toEqual([])
    const files = await readdir(service.directory, { recursive: true, withFileTypes: true })
    const texts = files.filter((file) => file.isFile()).map((file) => readFile(path.join(file.parentPath, file.name)))
    for (const text of await Promise.all(texts)) expect(text.includes(token)).toBe(false)
    await stranger.call(contract.accounts.resetPassword, { body: { token, newPassword } })
    expect((await refusalOf(ada.call(contract.accounts.me))).code).toBe('unauthenticated')
    await stranger.call(contract.accounts.login, { body: { email: 'ada@example.com', password: newPassword } })
    const again = stranger.call(contract.accounts.resetPassword, { body: { token, newPassword } })
    expect(await refusalOf(again)).toMatchObject({
      code: 'expired_token',
      hint: expect.stringContaining('another one'),
    })
  })

  it('changes an address once it is confirmed; commits and audit logs have the new one from then on', async () => {
    const { smtp, service } = await startWithMail()
    const stranger = createClient({ baseUrl: service.url })
    const [ada, grace] = [await signUp(service, 'ada@example.com'), await signUp(service, 'grace@example.com')]
    await grace.call(contract.projects.create, { body: { slug: 'docs' } })
    await join(grace, 'docs', { client: ada, email: 'ada@example.com' })
    await letterTo(smtp, 'ada@example.com')
    const body = { email: 'lovelace@example.com', password }
    expect(await ada.call(contract.accounts.changeEmail, { body })).toMatchObject({
      pending: true,
      account: { email: 'ada@example.com' },
    })
    expect(await ada.call(contract.accounts.me)).toMatchObject({ pendingEmail: 'lovelace@example.com' })
    expect((await letterTo(smtp, 'ada@example.com')).text).toContain('lovelace@example.com')
    const letter = await letterTo(smtp, 'lovelace@example.com')
    const token = tokenIn(letter)
    expect(letter.text).toContain(`${confirmEmailPage}#token=`)
    expect(await stranger.call(contract.accounts.confirmEmail, { body: { token } })).toEqual({
      email: 'lovelace@example.com',
    })
    expect(await emailOf(ada)).toBe('lovelace@example.com')
    expect(await audited(grace, 'docs')).toContainEqual(
      expect.objectContaining({
        action: 'accounts.confirmEmail',
        actor: expect.objectContaining({ kind: 'account', name: 'lovelace@example.com' }),
        target: 'lovelace@example.com',
        detail: 'was ada@example.com',
      }),
    )
    const files = [{ path: 'index.md', content: '# Home' }]
    await ada.call(contract.deploys.create, { query: { project: 'docs' }, body: { files } })
    const { items } = await ada.call(contract.files.history, { params: { slug: 'docs' } })
    expect(items[0]).toMatchObject({ author: { name: 'lovelace' } })
  })

  it('mails invitations, whose link has the code', async () => {
    const { smtp, service } = await startWithMail()
    const grace = await signUp(service, 'grace@example.com')
    await grace.call(contract.projects.create, { body: { slug: 'docs', title: 'Win money at evil.example' } })
    const invite = (email: string) =>
      grace.call(contract.invitations.create, { params: { slug: 'docs' }, body: { email } })
    const { url, mailed } = await invite('ada@example.com')
    expect(mailed).toBe(true)
    const { text } = await letterTo(smtp, 'ada@example.com')
    expect(text).toContain(url)
    // Titles are anybody’s words, and nobody vouches for the address of who signed up.
    expect(text).not.toContain('evil.example')
    expect(text).not.toContain('grace@example.com')
    for (let count = 1; count < 5; count++) expect((await invite('ada@example.com')).mailed).toBe(true)
    expect(await invite('ada@example.com')).toMatchObject({
      mailed: false,
      url: expect.stringContaining('#invitation='),
    })
  })

  it('answers and ends as fast when its server of mail hangs', async () => {
    const sockets: Socket[] = []
    const server = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    })
    const { port } = server.address() as AddressInfo
    const settings = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'quire@example.com', DRAIN_SECONDS: '0' }
    const service = await startTestService(settings, { builder: new FakeBuilder() })
    await signUp(service, 'ada@example.com')
    const body = { email: 'ada@example.com' }
    await createClient({ baseUrl: service.url }).call(contract.accounts.forgotPassword, { body })
    await vi.waitFor(() => expect(sockets).toHaveLength(1))
    // The server has said nothing until here, and never will.
    await service.close()
    expect(sockets).toHaveLength(1)
  })
})

describe('a service that sends no mail', () => {
  it('says so, changes an address at once, and tells the projects of the account', async () => {
    expect(await createClient({ baseUrl: quiet.url }).call(contract.service.read)).toMatchObject({ mail: false })
    const ada = await signUp(quiet, 'byron@example.com')
    await ada.call(contract.projects.create, { body: { slug: 'poems' } })
    const body = { email: 'lovelace@example.com', password }
    expect(await ada.call(contract.accounts.changeEmail, { body })).toMatchObject({
      pending: false,
      account: { email: 'lovelace@example.com' },
    })
    expect(await emailOf(ada)).toBe('lovelace@example.com')
    expect((await audited(ada, 'poems'))[0]).toMatchObject({
      action: 'accounts.changeEmail',
      target: 'lovelace@example.com',
      detail: 'was byron@example.com',
    })
    const invited = { params: { slug: 'poems' }, body: { email: 'grace@example.com' } }
    expect(await ada.call(contract.invitations.create, invited)).toMatchObject({ mailed: false })
  })
})

describe('deleting an account', () => {
  it('takes its projects along where that is said, and tells the projects that it leaves', async () => {
    const [ada, grace] = [await signUp(quiet, 'ada@example.com'), await signUp(quiet, 'grace@example.com')]
    await grace.call(contract.projects.create, { body: { slug: 'docs' } })
    await join(grace, 'docs', { client: ada, email: 'ada@example.com' })
    await ada.call(contract.projects.create, { body: { slug: 'atlas' } })
    expect(await ada.call(contract.accounts.readRemoval)).toEqual({
      proof: 'password',
      owned: ['atlas'],
      ownedCount: 1,
      writtenCount: 1,
    })
    const refused = await refusalOf(ada.call(contract.accounts.remove, { body: { password } }))
    expect(refused).toMatchObject({ code: 'invalid_request', message: 'You own the project atlas.' })
    await ada.call(contract.accounts.remove, { body: { password, projects: 'delete' } })
    expect((await refusalOf(ada.call(contract.accounts.me))).code).toBe('unauthenticated')
    expect((await audited(grace, 'docs'))[0]).toMatchObject({
      action: 'accounts.remove',
      actor: { kind: 'account', name: 'ada@example.com' },
      target: 'ada@example.com',
    })
    expect((await grace.call(contract.members.list, { params: { slug: 'docs' } })).items).toHaveLength(1)
    const other = await signUp(quiet, 'ada@example.com')
    expect((await other.call(contract.projects.list)).items).toEqual([])
  })

  it('that a crash cut off ends at the next start: its address is free again', async () => {
    const directory = await temporaryDirectory()
    const room = await openAccess({ directory })
    const { id } = await room.records.create({ email: 'ada@example.com', password: null })
    await room.records.beginRemoval(id)
    await room.lastUse.close()
    await room.store.close()
    const started = await start({ DATA_DIR: directory })
    expect(await emailOf(await signUp(started, 'ada@example.com'))).toBe('ada@example.com')
  })

  it('by the dashboard takes the cookie along, and no request of another site', async () => {
    const origin = `http://localhost:${quiet.port}`
    const headers = { 'content-type': 'application/json', origin }
    const signup = await fetch(`${quiet.url}/api/auth/signup`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ email: 'cookie@example.com', password }),
    })
    const cookie = signup.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const remove = (from: string) =>
      fetch(`${quiet.url}/api/auth/me`, {
        method: 'DELETE',
        headers: { ...headers, cookie, origin: from },
        body: JSON.stringify({ password }),
      })
    expect((await remove('https://evil.example')).status).toBe(403)
    const gone = await remove(origin)
    expect(gone.status).toBe(204)
    expect(gone.headers.getSetCookie()[0]).toMatch(/^quire_session=;/)
  })
})
