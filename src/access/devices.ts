import { randomBytes } from 'node:crypto'
import { accountScope, type DeviceRequest } from '../contract/device-login.ts'
import { Failure } from '../contract/failure.ts'
import { networkOf, wideNetworkOf } from '../lib/network.ts'
import type { Store } from '../storage/store.ts'
import type { Sessions } from './sessions.ts'
import { codeGuesses, GuessThrottle, pollSeconds, PollThrottle } from './throttles.ts'
import { hashToken, readUserCode, mintUserCode } from './tokens.ts'

/** A terminal that asked to be signed in. */
interface StoredDevice {
  /** SHA-256 of the code that the person reads. */
  userCode: string
  client: string
  hostName?: string
  address: string
  createdAt: string
  status: 'pending' | 'approved' | 'denied' | 'consumed'
  /** Id of the account that decided. */
  account?: string
}

/** By SHA-256 of the device code. */
interface DevicesDocument {
  devices: Record<string, StoredDevice>
}

const lifetimeMs = 10 * 60_000
/** How long one that ended is remembered, so that a late poll hears why. */
const afterlifeMs = 5 * 60_000
const maxOfANetwork = 20
/** Keeps the document small. */
const maxInAll = 500
const hostNameCharacters = 64
/** Programs that may ask, with the names that people see. */
const clients: Readonly<Record<string, string>> = { 'quire-cli': 'Quire command line' }
export const devicesDocument = 'devices'

function hasExpired({ createdAt }: Readonly<StoredDevice>, now: Date): boolean {
  return now.getTime() - Date.parse(createdAt) >= lifetimeMs
}

/** Drops the logins of devices that ended some time ago; where the maximum is reached, all that have ended. */
function dropOld(devices: Record<string, StoredDevice>, now: Date): void {
  for (const [hash, { createdAt }] of Object.entries(devices))
    if (now.getTime() - Date.parse(createdAt) >= lifetimeMs + afterlifeMs) delete devices[hash]
  if (Object.keys(devices).length < maxInAll) return
  for (const [hash, device] of Object.entries(devices))
    if (device.status === 'denied' || device.status === 'consumed' || hasExpired(device, now)) delete devices[hash]
}

/** Throws Failure `rate_limited` when too many of the network of the address wait. */
function assertRoom(devices: Readonly<Record<string, StoredDevice>>, address: string, now: Date): void {
  const network = networkOf(address)
  const own = Object.values(devices).filter(
    (device) => device.status === 'pending' && !hasExpired(device, now) && networkOf(device.address) === network,
  )
  if (own.length >= maxOfANetwork) throw tooMany()
}

/**
 * Where the maximum is reached, the oldest that waits gives way, of the wide network that has most of them: whoever
 * asks from many networks of his own replaces himself. Throws Failure `rate_limited` where none waits.
 */
function makeRoom(devices: Record<string, StoredDevice>): void {
  if (Object.keys(devices).length < maxInAll) return
  const byNetwork = new Map<string, string[]>()
  for (const [hash, { address }] of Object.entries(devices)) {
    const network = wideNetworkOf(address)
    byNetwork.set(network, [...(byNetwork.get(network) ?? []), hash])
  }
  // The oldest of a network is its first, as in the document.
  const [most] = [...byNetwork.values()].sort((one, other) => other.length - one.length)
  const [oldest] = most ?? []
  if (oldest === undefined) throw tooMany()
  delete devices[oldest]
}

function tooMany(): Failure {
  return new Failure('rate_limited', 'Too many terminals wait to be signed in.', {
    retryAfter: 60,
    hint: 'Approve or deny those that wait, or try again in a few minutes.',
  })
}

/** A code for the person that no remembered terminal has. */
function freeUserCode(devices: Readonly<Record<string, StoredDevice>>): string {
  const taken = new Set(Object.values(devices).map(({ userCode }) => userCode))
  for (;;) {
    const code = mintUserCode()
    if (!taken.has(hashToken(code))) return code
  }
}

/** A host name without characters that a page or a terminal would obey, or that cannot be stored. */
function cleaned(hostName: string): string {
  const plain = hostName.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim()
  return Array.from(plain).slice(0, hostNameCharacters).join('')
}

/** What a terminal says of itself. */
export interface DeviceSignInRequest {
  readonly client: string
  readonly scope: string | undefined
  readonly hostName: string | undefined
  /** IP address. */
  readonly address: string
}

export interface StartedDevice {
  readonly deviceCode: string
  readonly userCode: string
  /** Seconds. */
  readonly expiresIn: number
  /** Seconds. */
  readonly interval: number
}

export interface DevicesOptions {
  readonly store: Store
  readonly sessions: Pick<Sessions, 'begin' | 'end' | 'onEndAll'>
  readonly now: () => Date
}

/** Who decides about a terminal, and from where. */
export interface Decider {
  /** Account id. */
  readonly account: string
  /** IP address. */
  readonly address: string
}

/**
 * Sign-in of terminals by RFC 8628. A terminal gets a code for itself and one for the person, who approves on a page;
 * the next poll begins a session. Codes are stored as SHA-256 only, the session’s token not at all.
 */
export class Devices {
  readonly #options: DevicesOptions
  readonly #codes: GuessThrottle
  readonly #polls: PollThrottle

  constructor(options: DevicesOptions) {
    this.#options = options
    this.#codes = new GuessThrottle(codeGuesses, options.now)
    this.#polls = new PollThrottle(options.now)
    // A new password, or signing out everywhere, also ends requests of terminals that still poll.
    options.sessions.onEndAll((account) => this.#withdraw(account))
  }

  /** Throws Failure `invalid_client`, `invalid_scope`; `rate_limited` when too many of its network wait already. */
  async start({ client, scope, hostName, address }: DeviceSignInRequest): Promise<StartedDevice> {
    assertClient(client)
    assertScope(scope)
    const now = this.#options.now()
    const shown = hostName === undefined ? '' : cleaned(hostName)
    const deviceCode = randomBytes(32).toString('base64url')
    const userCode = await this.#change((devices) => {
      dropOld(devices, now)
      assertRoom(devices, address, now)
      makeRoom(devices)
      const code = freeUserCode(devices)
      devices[hashToken(deviceCode)] = {
        userCode: hashToken(code),
        client,
        ...(shown === '' ? {} : { hostName: shown }),
        address,
        createdAt: now.toISOString(),
        status: 'pending',
      }
      return code
    })
    return { deviceCode, userCode, expiresIn: lifetimeMs / 1000, interval: pollSeconds }
  }

  /**
   * The token of a new session once the person has approved; only once for a code. Throws Failure
   * `authorization_pending`, `slow_down`, `access_denied`, `expired_token`, `invalid_grant` (unknown, used or another
   * client’s code) and `invalid_client` (RFC 8628, 3.5).
   */
  async redeem(client: string, deviceCode: string): Promise<string> {
    assertClient(client)
    const hash = hashToken(deviceCode)
    const now = this.#options.now()
    const waiting = (await this.#read())[hash]
    if (waiting === undefined || waiting.client !== client) throw noGrant()
    // A poll that is told to wait writes nothing.
    if (waiting.status === 'pending' && !hasExpired(waiting, now)) throw this.#polls.poll(hash)
    const { account, address, name } = await this.#change((devices) => {
      const device = devices[hash]
      const approver = approverOf(device, now)
      if (device === undefined || approver === undefined) throw noGrant()
      device.status = 'consumed'
      return { account: approver, address: device.address, name: nameOf(device) }
    })
    this.#polls.forget(hash)
    const { sessions } = this.#options
    const token = await sessions.begin(account, { kind: 'terminal', client: name, address })
    // All sessions of the account may have been ended just before this one was begun.
    if ((await this.#read())[hash]?.status !== 'denied') return token
    await sessions.end(token)
    throw denied()
  }

  /** Takes back what an account has approved and no session stands for yet. */
  async #withdraw(account: string): Promise<void> {
    const isIts = (device: Readonly<StoredDevice>): boolean => device.account === account && device.status !== 'denied'
    if (!Object.values(await this.#read()).some(isIts)) return
    await this.#change((devices) => {
      for (const device of Object.values(devices).filter(isIts)) device.status = 'denied'
    })
  }

  /** What waits under a code, or waited until this account decided. Throws Failure `not_found`, `rate_limited` after too many wrong codes. */
  async read(typed: string, decider: Decider): Promise<DeviceRequest> {
    const { code, hash } = this.#typed(typed, decider)
    const devices = await this.#read()
    this.#known(devices, hash, decider)
    const decided = decidedOf(devices, hash, decider)
    const { client, hostName, address, createdAt } = decided ?? waitingOf(devices, hash, this.#options.now())
    return {
      ...(decided === undefined ? {} : { decision: decisionOf(decided) }),
      user_code: code,
      client: clients[client] ?? client,
      ...(hostName === undefined ? {} : { hostName }),
      address,
      sameAddress: networkOf(address) === networkOf(decider.address),
      scopes: [accountScope],
      createdAt,
      expiresAt: new Date(Date.parse(createdAt) + lifetimeMs).toISOString(),
    }
  }

  /** The terminal signs in to the account at its next poll; done again it changes nothing. Throws as `read` does. */
  approve(typed: string, decider: Decider): Promise<void> {
    return this.#decide(typed, decider, 'approved')
  }

  /** The terminal is told so at its next poll; done again it changes nothing. Throws as `read` does. */
  deny(typed: string, decider: Decider): Promise<void> {
    return this.#decide(typed, decider, 'denied')
  }

  async #decide(typed: string, decider: Decider, decision: Decision): Promise<void> {
    const { hash } = this.#typed(typed, decider)
    const now = this.#options.now()
    this.#known(await this.#read(), hash, decider)
    await this.#change((devices) => {
      // Whoever had no answer asks again.
      const decided = decidedOf(devices, hash, decider)
      if (decided !== undefined && decisionOf(decided) === decision) return
      const device = waitingOf(devices, hash, now)
      device.status = decision
      device.account = decider.account
    })
  }

  /** Hash of the code that was typed; a text that can be no code is no guess. */
  #typed(typed: string, { account }: Decider): { readonly code: string; readonly hash: string } {
    this.#codes.assertAllowed(account)
    const code = readUserCode(typed)
    if (code === null) throw noRequest()
    return { code, hash: hashToken(code) }
  }

  /** Counts a code that no terminal has. One that was decided or has expired is no guess: the page was left open. */
  #known(devices: Readonly<Record<string, Readonly<StoredDevice>>>, hash: string, { account }: Decider): void {
    if (!Object.values(devices).some(({ userCode }) => userCode === hash)) this.#codes.note(account)
  }

  async #read(): Promise<Readonly<Record<string, Readonly<StoredDevice>>>> {
    return (await this.#options.store.read<DevicesDocument>(devicesDocument))?.devices ?? {}
  }

  #change<R>(change: (devices: Record<string, StoredDevice>) => R): Promise<R> {
    return this.#options.store.mutate<DevicesDocument, R>(devicesDocument, (draft) => {
      const document = draft ?? { devices: {} }
      return { result: change(document.devices), document }
    })
  }
}

function assertClient(client: string): void {
  if (Object.hasOwn(clients, client)) return
  throw new Failure('invalid_client', 'There is no such client.', {
    hint: `Known clients: ${Object.keys(clients).join(', ')}.`,
  })
}

/** Names may repeat and be absent (RFC 6749, 3.3). */
function assertScope(scope: string | undefined): void {
  const unknown = (scope ?? '').split(' ').find((name) => name !== '' && name !== accountScope)
  if (unknown !== undefined) throw new Failure('invalid_scope', `The only scope is ${accountScope}.`)
}

function waitingOf<D extends Readonly<StoredDevice>>(
  devices: Readonly<Record<string, D>>,
  userCode: string,
  now: Date,
): D {
  const device = Object.values(devices).find((candidate) => candidate.userCode === userCode)
  if (device?.status === 'pending' && !hasExpired(device, now)) return device
  throw noRequest()
}

type Decision = NonNullable<DeviceRequest['decision']>

/** One that this very account has decided about. */
function decidedOf<D extends Readonly<StoredDevice>>(
  devices: Readonly<Record<string, D>>,
  userCode: string,
  { account }: Decider,
): D | undefined {
  return Object.values(devices).find((device) => device.userCode === userCode && device.account === account)
}

function decisionOf({ status }: Readonly<StoredDevice>): Decision {
  return status === 'denied' ? 'denied' : 'approved'
}

/** Who approved one that was not redeemed yet, if anybody. Throws Failure `access_denied`, `expired_token`. */
function approverOf(device: Readonly<StoredDevice> | undefined, now: Date): string | undefined {
  if (device?.status === 'denied') throw denied()
  if (device === undefined || device.status === 'consumed') return undefined
  if (hasExpired(device, now)) throw new Failure('expired_token', 'The code has expired.')
  return device.account
}

/** For the list of sessions. */
function nameOf({ client, hostName }: Readonly<StoredDevice>): string {
  const name = clients[client] ?? client
  return hostName === undefined ? name : `${name} on ${hostName}`
}

function denied(): Failure {
  return new Failure('access_denied', 'The sign-in was denied in the browser.')
}

function noGrant(): Failure {
  return new Failure('invalid_grant', 'The device code is unknown or was used already.')
}

function noRequest(): Failure {
  return new Failure('not_found', 'No terminal waits with this code: it is mistyped, was used or has expired.', {
    hint: 'Run quire login again and use the code that it shows.',
  })
}
