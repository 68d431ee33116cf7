import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { Webhook } from 'standardwebhooks'
import { expect, it, onTestFinished } from 'vitest'
import { administer } from '#administer.ts'
import { createClient, type Client } from '#client/client.ts'
import { readConfig } from '#config.ts'
import { contract } from '#contract/index.ts'
import { operator } from '#contract/operator.ts'
import { projectDocument } from '#projects/document.ts'
import { openStore } from '#storage/documents/document-files.ts'
import type { WebhookDocument } from '#webhooks/stored-webhook.ts'
import { createService } from '#wire.ts'
import { backupOf, checkOf } from '#test/support/operator/support.ts'
import { quickPasswords } from '#test/support/access.ts'
import { inDepth } from '#test/support/depth.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { startReceiver } from '#test/support/receiver.ts'
import { createProject, freePort } from '#test/support/service-process.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const slug = 'docs'
const params = { slug }
const newKey = (): string => randomBytes(32).toString('base64')

/** A data directory with services on it, one after the other, and a receiver of its webhooks. */
async function openDirectory() {
  const directory = join(await temporaryDirectory(), 'data')
  const receiver = await startReceiver()
  const lines: string[] = []
  let session: string | undefined
  let close = async (): Promise<void> => undefined
  onTestFinished(() => close())
  return {
    directory,
    receiver,
    /** What the services told their operator. */
    lines,
    end: () => close(),
    start: async (settings: Record<string, string> = {}): Promise<Client> => {
      await close()
      const port = await freePort()
      const environment = { PATH: process.env['PATH'], PORT: String(port), DATA_DIR: directory }
      const config = readConfig({ ...environment, WEBHOOK_ALLOW_HOSTS: receiver.host, ...settings })
      const service = await createService(config, {
        logger: pino({ level: 'warn' }, { write: (line) => void lines.push(line) }),
        builder: new FakeBuilder(),
        passwords: quickPasswords(),
      })
      let closing: Promise<unknown> | null = null
      close = async () => void (await (closing ??= service.close()))
      await service.listen()
      const url = `http://127.0.0.1:${port}`
      session ??= (await createProject(url, slug)).session
      return createClient({ baseUrl: url, token: session })
    },
    add: (client: Client) => client.call(contract.webhooks.create, { params, body: { url: receiver.url } }),
    /** Sends a test event; throws unless all secrets have signed it. */
    expectSigned: async (client: Client, id: string, ...secrets: string[]): Promise<void> => {
      const sent = await client.call(contract.webhooks.test, { params: { slug, id } })
      expect(sent.status).toBe('succeeded')
      const { headers = {}, body = '' } = receiver.arrived.at(-1) ?? {}
      const signed = headers as Record<string, string>
      expect(signed['webhook-signature']?.split(' ')).toHaveLength(secrets.length)
      for (const secret of secrets) new Webhook(secret).verify(body, signed)
    },
    webhooks: () => stored(directory),
  }
}

async function stored(directory: string): Promise<unknown> {
  const text = await readFile(join(directory, `${slug}.json`), 'utf8')
  return (JSON.parse(text) as { document: WebhookDocument }).document.webhooks
}

/** Files below a directory that have one of the texts. */
async function filesWith(directory: string, texts: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const content = await readFile(join(entry.parentPath, entry.name), 'latin1')
    if (texts.some((text) => content.includes(text))) found.push(entry.name)
  }
  return found
}

const withoutPrefix = (secret: string): string => secret.slice('whsec_'.length)

it('no file has a secret in plain text, and deliveries are signed with it', async () => {
  const { directory, start, add, expectSigned, end } = await openDirectory()
  const client = await start()
  const { id, secret } = await add(client)
  await expectSigned(client, id, secret)
  const rotated = await client.call(contract.webhooks.rotate, { params: { slug, id } })
  await expectSigned(client, id, rotated.secret, secret)
  const secrets = [secret, rotated.secret].map(withoutPrefix)
  expect(await filesWith(directory, secrets)).toEqual([])
  await expectSigned(await start(), id, rotated.secret, secret)
  await end()
  expect(await filesWith(directory, ['whsec_', ...secrets])).toEqual([])
  expect((await stat(join(directory, '_secret-key.json'))).mode & 0o777).toBe(0o600)
  expect(await checkOf(directory)).toMatchObject({ problems: [], notes: [] })
})

inDepth('secrets of an earlier version sign on, and are sealed by the first start', async () => {
  const { directory, start, add, expectSigned, end } = await openDirectory()
  const { id, secret } = await add(await start())
  await end()
  const store = await openStore({ directory, release: async () => undefined })
  await store.mutate<WebhookDocument, void>(projectDocument(slug), (draft) => {
    for (const webhook of draft?.webhooks ?? []) for (const each of webhook.secrets) each.value = secret
    return { document: draft, result: undefined }
  })
  await store.close()
  expect(await filesWith(directory, [secret])).toEqual([`${slug}.json`])
  const client = await start()
  expect(await filesWith(directory, [secret])).toEqual([])
  await expectSigned(client, id, secret)
})

it('with another key the service starts, says what is missing and changes nothing; the key mends it', async () => {
  const { directory, lines, webhooks, receiver, start, add, expectSigned } = await openDirectory()
  const [first, second] = [newKey(), newKey()]
  const { id, secret } = await add(await start({ SECRET_KEY: first }))
  const before = await webhooks()
  expect(await readdir(directory)).not.toContain('_secret-key.json')

  const client = await start({ SECRET_KEY: second })
  expect(lines.join('')).toContain('signing secrets of webhooks cannot be read')
  const failed = await client.call(contract.webhooks.test, { params: { slug, id } })
  expect(failed).toMatchObject({ status: 'failed', error: expect.stringContaining('Rotate the secret') })
  expect(receiver.arrived).toEqual([])
  expect(lines.join('')).toContain('a signing secret of a webhook cannot be read')
  for (const each of [first, second, secret]) expect(lines.join('')).not.toContain(each)
  expect(await webhooks()).toEqual(before)

  // The new key first, the old one behind it: all are sealed with the new one, which is enough from then on.
  await expectSigned(await start({ SECRET_KEY: `${second}, ${first}` }), id, secret)
  expect(await webhooks()).not.toEqual(before)
  lines.length = 0
  await expectSigned(await start({ SECRET_KEY: second }), id, secret)
  expect(lines).toEqual([])
})

inDepth('with another key a webhook works again when its secret is rotated', async () => {
  const { start, add, expectSigned } = await openDirectory()
  const { id } = await add(await start({ SECRET_KEY: newKey() }))
  const client = await start({ SECRET_KEY: newKey() })
  const { secret } = await client.call(contract.webhooks.rotate, { params: { slug, id } })
  await expectSigned(client, id, secret)
})

inDepth('a service that made a key itself goes over to the key of the settings', async () => {
  const { directory, start, add, expectSigned, end } = await openDirectory()
  const { id, secret } = await add(await start())
  const key = newKey()
  await expectSigned(await start({ SECRET_KEY: key }), id, secret)
  await end()
  await rm(join(directory, '_secret-key.json'))
  await expectSigned(await start({ SECRET_KEY: key }), id, secret)
})

it('a service that lost its own key serves, refuses new secrets, and names the file to the check', async () => {
  const { directory, lines, webhooks, start, add, expectSigned, end } = await openDirectory()
  const { id, secret } = await add(await start())
  const before = await webhooks()
  await end()
  await rm(join(directory, '_secret-key.json'))
  expect((await checkOf(directory)).problems).toMatchObject([{ where: '_secret-key.json' }])
  const client = await start()
  expect(lines.join('')).toContain('the key for signing secrets of webhooks can be neither read nor made')
  expect((await refusalOf(add(client))).code).toBe('unavailable')
  expect(await webhooks()).toEqual(before)
  await end()
  await administer(directory).call((asking) =>
    asking.call(operator.documents.restore, { body: { file: '_secret-key.json' } }),
  )
  await expectSigned(await start(), id, secret)
})

it('a backup has the key that the service made; of one of the settings a restore says that it is needed', async () => {
  const quietly = { onProgress: () => undefined }
  for (const [settings, missing] of [
    [{}, 0],
    [{ SECRET_KEY: newKey() }, 1],
  ] as const) {
    const { directory, start, add, end } = await openDirectory()
    await add(await start(settings))
    await end()
    const archive = `${directory}.tar.gz`
    await backupOf(directory, archive)
    const restored = await administer(`${directory}-restored`).restore(archive, undefined, quietly)
    expect(restored.missingKeys).toHaveLength(missing)
    expect(await stored(restored.directory)).toEqual(await stored(directory))
  }
})
