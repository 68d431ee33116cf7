import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { Failure } from '../contract/failure.ts'

export const keyBytes = 32
/** NIST SP 800-38D: 96 bits, random for each text. */
const nonceBytes = 12
const tagBytes = 16
const algorithm = 'aes-256-gcm'
const sealedPattern = /^enc:v1:([0-9a-f]{12}):([A-Za-z0-9_-]+)$/

/** A sealed secret for which there is no key, or which was changed. Its message is for the operator. */
export class UnreadableSecret extends Error {
  override readonly name = 'UnreadableSecret'
}

/**
 * Seals secrets of webhooks for the disk (AES-256-GCM), each for one webhook only: put into another one's place it
 * cannot be opened. Sealed, a secret is `enc:v1:<id of the key>:<nonce, text and tag in base64url>`. What is not sealed is
 * taken as it is: so earlier versions stored it.
 */
export class Keyring {
  readonly #keys: ReadonlyMap<string, Uint8Array>
  readonly #current: string | undefined

  /** @param keys 32 bytes each. The first one seals, all of them open; without any nothing can be sealed. */
  constructor(keys: readonly Uint8Array[]) {
    this.#keys = new Map(keys.map((key) => [idOf(key), key]))
    this.#current = this.#keys.keys().next().value
  }

  /** Throws Failure `unavailable` where there is no key. */
  seal(secret: string, webhookId: string): string {
    const key = this.#keys.get(this.#current ?? '')
    if (key === undefined) {
      throw new Failure('unavailable', 'The service cannot store signing secrets at the moment. Nothing was changed.', {
        hint: 'Its log tells the operator why there is no key for them.',
      })
    }
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(webhookId))
    const sealed = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()])
    return `enc:v1:${this.#current}:${sealed.toString('base64url')}`
  }

  /** Throws UnreadableSecret. */
  open(stored: string, webhookId: string): string {
    const [, id = '', text = ''] = sealedPattern.exec(stored) ?? []
    if (id === '') return stored
    const key = this.#keys.get(id)
    if (key === undefined) throw new UnreadableSecret(`it was sealed with the key ${id}, which is not among the keys`)
    const bytes = Buffer.from(text, 'base64url')
    try {
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
      decipher.setAAD(Buffer.from(webhookId)).setAuthTag(bytes.subarray(-tagBytes))
      return decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
    } catch {
      throw new UnreadableSecret(`it is not what was sealed with the key ${id} for this webhook`)
    }
  }

  /** Whether a secret is sealed, and with the key that seals now. */
  isCurrent(stored: string): boolean {
    return keyOf(stored) === this.#current
  }

  has(id: string): boolean {
    return this.#keys.has(id)
  }

  get canSeal(): boolean {
    return this.#current !== undefined
  }
}

/** The id of the key that a stored secret was sealed with; null for one that is not sealed. */
export function keyOf(stored: string): string | null {
  return sealedPattern.exec(stored)?.[1] ?? null
}

/** Tells keys apart, and nothing about them. */
function idOf(key: Uint8Array): string {
  return createHmac('sha256', key).update('id of a key for secrets').digest('hex').slice(0, 12)
}
