import { randomBytes } from 'node:crypto'
import type { Store } from '../storage/store.ts'
import { keyBytes, keyOf, Keyring, UnreadableSecret } from './keyring.ts'
import type { StoredSecret, StoredWebhook, WebhookDocument } from './stored-webhook.ts'

/** Holds the key that the service made itself: a document, so that it is checked and backed up like all others. */
export const keyDocument = 'secret-key'

interface KeyDocument {
  /** 32 bytes in Base64. */
  readonly key: string
  /** The version before the last one has the key as well: it can be put back where the file is lost. */
  readonly isKept: boolean
}

interface KeyringParts {
  readonly store: Store
  /** Of the settings, newest first. */
  readonly keys: readonly Uint8Array[]
  readonly log: Log
}

interface Log {
  error(details: Readonly<Record<string, unknown>>, message: string): void
}

/**
 * The keys of the settings; without any a key of the service's own, made at the first start. Once the settings have one,
 * the own one only opens what it sealed. Where it can neither be read nor made, the service goes on without: nothing is
 * sealed then, and what was cannot be opened.
 */
export async function openKeyring({ store, keys, log }: KeyringParts): Promise<Keyring> {
  try {
    const makesOwn = keys.length === 0 && store.readOnly === null
    const own = makesOwn ? await ownKey(store) : (await store.read<KeyDocument>(keyDocument))?.key
    return new Keyring(own === undefined ? keys : [...keys, Buffer.from(own, 'base64')])
  } catch (error) {
    log.error({ err: error }, 'the key for signing secrets of webhooks can be neither read nor made')
    return new Keyring(keys)
  }
}

/** The keys in that document, also one that is not as it should be. */
export function keysIn(document: unknown): readonly Uint8Array[] {
  const { key } = (document ?? {}) as Partial<KeyDocument>
  return typeof key === 'string' ? [Buffer.from(key, 'base64')] : []
}

/** Which keys, by their ids, secrets were sealed with and the keyring does not have. */
export function missingKeys({ webhooks = [] }: Pick<WebhookDocument, 'webhooks'>, keyring: Keyring): readonly string[] {
  const ids = webhooks.flatMap(({ secrets }) => secrets.map(({ value }) => keyOf(value)))
  return [...new Set(ids.filter((id) => id !== null && !keyring.has(id)))].map(String)
}

interface ResealParts {
  readonly store: Store
  /** Of the names of projects' documents. */
  readonly documentPrefix: string
  readonly keyring: Keyring
  readonly log: Log
}

/**
 * Seals with the first key what earlier versions stored plain or what was sealed with an older one. What cannot be opened
 * stays as it is, and is told; so does what a failing disk keeps from being written.
 */
export async function sealAll({ store, documentPrefix, keyring, log }: ResealParts): Promise<void> {
  if (!keyring.canSeal || store.readOnly !== null) return
  for (const document of await store.list(documentPrefix)) {
    const stored = await store.read<WebhookDocument>(document)
    if (stored === undefined) continue
    const missing = missingKeys(stored, keyring)
    if (missing.length > 0)
      log.error(
        { document, keys: missing },
        'signing secrets of webhooks cannot be read: put their keys behind the present one in SECRET_KEY, or let members rotate the secrets',
      )
    if (!(stored.webhooks ?? []).some((webhook) => isOutdated(webhook, keyring))) continue
    try {
      // Twice: the version before the last one stays beside it, and would have them as they were.
      for (let time = 0; time < 2; time++) await sealAnew(store, document, keyring)
    } catch (error) {
      log.error({ err: error, document }, 'signing secrets of webhooks could not be sealed with the present key')
    }
  }
}

/** Two texts of a secret are never the same: the document is another one each time. */
function sealAnew(store: Store, document: string, keyring: Keyring): Promise<void> {
  return store.mutate<WebhookDocument, void>(document, (draft) => {
    for (const { id, secrets } of draft?.webhooks ?? [])
      for (const secret of secrets) {
        const opened = openIfPossible(secret, id, keyring)
        if (opened !== null) secret.value = keyring.seal(opened, id)
      }
    return { document: draft, result: undefined }
  })
}

/** Whether it has a secret that another key sealed, or none, and that can be opened. */
function isOutdated({ id, secrets }: Readonly<StoredWebhook>, keyring: Keyring): boolean {
  return secrets.some((secret) => !keyring.isCurrent(secret.value) && openIfPossible(secret, id, keyring) !== null)
}

function openIfPossible({ value }: Readonly<StoredSecret>, webhookId: string, keyring: Keyring): string | null {
  try {
    return keyring.open(value, webhookId)
  } catch (error) {
    if (error instanceof UnreadableSecret) return null
    throw error
  }
}

async function ownKey(store: Store): Promise<string> {
  const known = await store.read<KeyDocument>(keyDocument)
  const document: KeyDocument = { key: known?.key ?? randomBytes(keyBytes).toString('base64'), isKept: false }
  if (known === undefined) await write(store, document)
  if (known?.isKept !== true) await write(store, { ...document, isKept: true })
  return document.key
}

function write(store: Store, document: KeyDocument): Promise<void> {
  return store.mutate<KeyDocument, void>(keyDocument, () => ({ document, result: undefined }))
}
