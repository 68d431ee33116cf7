import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import pLimit, { type LimitFunction } from 'p-limit'
import { passwordLength } from '../contract/accounts.ts'
import { Failure } from '../contract/failure.ts'

/** OWASP's parameters for scrypt: 64 MiB and about 0.2 s a hash. */
const owasp = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 1024 * 1024 } as const

type Parameters = Readonly<Record<keyof typeof owasp, number>>
const saltBytes = 16
const hashBytes = 32
/** Two at a time: 128 MiB, and half of Node's thread pool stays free for files. */
const concurrent = 2
const maxWaiting = 20

/** Hashes and checks passwords, a bounded number at a time. */
export class Passwords {
  readonly #limit: LimitFunction = pLimit(concurrent)
  readonly #parameters: Parameters

  /** @param parameters of scrypt. Only for passwords that are no secret may they cost less. */
  constructor(parameters: Parameters = owasp) {
    this.#parameters = parameters
  }

  /** `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>`, base64url. Throws Failure `rate_limited` when too many wait. */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(saltBytes)
    const hash = await this.#derive(password, salt)
    const { N, r, p } = this.#parameters
    return ['scrypt', Math.log2(N), r, p, salt.toString('base64url'), hash.toString('base64url')].join('$')
  }

  /**
   * Whether the password has that hash. `null`, for an account that does not exist, takes as long as a wrong password,
   * so that nobody learns from the time which accounts exist. Throws Failure `rate_limited` when too many wait.
   */
  async verify(password: string, stored: string | null): Promise<boolean> {
    const [, , , , salt = '', hash = ''] = stored?.split('$') ?? []
    const actual = await this.#derive(password, Buffer.from(salt, 'base64url'))
    const expected = Buffer.from(hash, 'base64url')
    return expected.length === actual.length && timingSafeEqual(expected, actual)
  }

  async #derive(password: string, salt: Buffer): Promise<Buffer> {
    if (this.#limit.pendingCount >= maxWaiting) {
      throw new Failure('rate_limited', 'Too many people sign in at the moment.', {
        retryAfter: 5,
        hint: 'Try again in a few seconds.',
      })
    }
    // Keyboards differ in how they compose characters.
    return this.#limit(() => derive(password.normalize('NFKC'), salt, this.#parameters))
  }
}

/** For somebody who has to be told it: 120 random bits. */
export function randomPassword(): string {
  return randomBytes(15).toString('base64url')
}

/** Throws Failure `invalid_request` for a password that no account may have. */
export function assertPassword(password: string): void {
  const { length } = password
  if (length >= passwordLength.least && length <= passwordLength.most) return
  throw new Failure(
    'invalid_request',
    `A password has ${passwordLength.least} to ${passwordLength.most} characters; this one has ${length}.`,
  )
}

function derive(password: string, salt: Buffer, parameters: Parameters): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, hashBytes, parameters, (error, hash) => (error === null ? resolve(hash) : reject(error)))
  })
}
