import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { passwordLength } from '../contract/accounts.ts'
import { Failure } from '../contract/failure.ts'
import { FairLimit } from '../lib/fair-limit.ts'

/** OWASP's parameters for scrypt: 64 MiB and about 0.2 s a hash. */
const owasp = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 1024 * 1024 } as const

type Parameters = Readonly<Record<keyof typeof owasp, number>>
const saltBytes = 16
const hashBytes = 32
/** Waiting or under way, of one party. */
const maxOfAParty = 20
/** In all; beyond, a party that has none may add one. */
const manyWaiting = 200

/** For whom a password is looked at. */
export interface Party {
  /** The wide network that it comes from, or the account that is signed in. */
  readonly name: string
  /** It is signed in to the account, or its network is: it does not queue with strangers. */
  readonly isKnown: boolean
}

const operator: Party = { name: 'operator', isKnown: true }

/**
 * One at a time of each kind, known or not: 128 MiB together, and half of Node's thread pool stays free for files. The
 * turns are shared among parties: however many sign-ins one sends, another's waits for one of them.
 */
class Lane {
  readonly #limit = new FairLimit({ slots: 1, firsts: 0, share: 1, reserve: 0 })
  /** By party, waiting or under way. */
  readonly #parties = new Map<string, number>()
  #inAll = 0

  /** Throws Failure `rate_limited` when too many wait. */
  async run<T>(party: string, work: () => Promise<T>): Promise<T> {
    const own = this.#parties.get(party) ?? 0
    if (own >= maxOfAParty || (own > 0 && this.#inAll >= manyWaiting)) throw tooMany()
    this.#count(party, 1)
    try {
      return await this.#limit.run(party, work)
    } finally {
      this.#count(party, -1)
    }
  }

  #count(party: string, change: 1 | -1): void {
    this.#inAll += change
    const count = (this.#parties.get(party) ?? 0) + change
    if (count === 0) this.#parties.delete(party)
    else this.#parties.set(party, count)
  }
}

function tooMany(): Failure {
  return new Failure('rate_limited', 'Too many people sign in at the moment.', {
    retryAfter: 5,
    hint: 'Try again in a few seconds.',
  })
}

/** Hashes and checks passwords, a bounded number at a time. Without a party it is the operator who asks. */
export class Passwords {
  readonly #known = new Lane()
  readonly #strangers = new Lane()
  readonly #parameters: Parameters

  /** @param parameters of scrypt. Only for passwords that are no secret may they cost less. */
  constructor(parameters: Parameters = owasp) {
    this.#parameters = parameters
  }

  /** `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>`, base64url. Throws Failure `rate_limited` when too many wait. */
  async hash(password: string, party: Party = operator): Promise<string> {
    const salt = randomBytes(saltBytes)
    const hash = await this.#derive(password, salt, party)
    const { N, r, p } = this.#parameters
    return ['scrypt', Math.log2(N), r, p, salt.toString('base64url'), hash.toString('base64url')].join('$')
  }

  /**
   * Whether the password has that hash. `null`, for an account that does not exist, takes as long as a wrong password,
   * so that nobody learns from the time which accounts exist. Throws Failure `rate_limited` when too many wait.
   */
  async verify(password: string, stored: string | null, party: Party = operator): Promise<boolean> {
    const [, , , , salt = '', hash = ''] = stored?.split('$') ?? []
    const actual = await this.#derive(password, Buffer.from(salt, 'base64url'), party)
    const expected = Buffer.from(hash, 'base64url')
    return expected.length === actual.length && timingSafeEqual(expected, actual)
  }

  #derive(password: string, salt: Buffer, { name, isKnown }: Party): Promise<Buffer> {
    // Keyboards differ in how they compose characters.
    const text = password.normalize('NFKC')
    return (isKnown ? this.#known : this.#strangers).run(name, () => derive(text, salt, this.#parameters))
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
