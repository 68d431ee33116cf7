import { Failure } from '../contract/failure.ts'
import { networkOf } from './throttles.ts'
import { hashToken, mintUserCode } from './tokens.ts'

/** A terminal that asked to be signed in. */
export interface StoredDevice {
  /** SHA-256 of the code that the person reads. */
  userCode: string
  client: string
  hostName?: string
  address: string
  createdAt: string
  status: 'pending' | 'approved' | 'denied' | 'consumed'
  /** Id of the account that approved. */
  account?: string
}

/** By SHA-256 of the device code. */
export interface DevicesDocument {
  devices: Record<string, StoredDevice>
}

export const lifetimeMs = 10 * 60_000
/** How long one that ended is remembered, so that a late poll hears why. */
const afterlifeMs = 5 * 60_000
const maxOfANetwork = 20
/** Keeps the document small. */
const maxInAll = 500
const hostNameCharacters = 64

export function hasExpired({ createdAt }: Readonly<StoredDevice>, now: Date): boolean {
  return now.getTime() - Date.parse(createdAt) >= lifetimeMs
}

/** Forgets those that ended a while ago; all that ended where there is no room otherwise. */
export function dropOld(devices: Record<string, StoredDevice>, now: Date): void {
  for (const [hash, { createdAt }] of Object.entries(devices))
    if (now.getTime() - Date.parse(createdAt) >= lifetimeMs + afterlifeMs) delete devices[hash]
  if (Object.keys(devices).length < maxInAll) return
  for (const [hash, device] of Object.entries(devices))
    if (device.status === 'denied' || device.status === 'consumed' || hasExpired(device, now)) delete devices[hash]
}

/** Throws Failure `rate_limited` when too many wait, from the network of the address or in all. */
export function assertRoom(devices: Readonly<Record<string, StoredDevice>>, address: string, now: Date): void {
  const all = Object.values(devices)
  const network = networkOf(address)
  const own = all.filter(
    (device) => device.status === 'pending' && !hasExpired(device, now) && networkOf(device.address) === network,
  )
  if (own.length < maxOfANetwork && all.length < maxInAll) return
  throw new Failure('rate_limited', 'Too many terminals wait to be signed in.', {
    retryAfter: 60,
    hint: 'Approve or deny those that wait, or try again in a few minutes.',
  })
}

/** A code for the person that no remembered terminal has. */
export function freeUserCode(devices: Readonly<Record<string, StoredDevice>>): string {
  const taken = new Set(Object.values(devices).map(({ userCode }) => userCode))
  for (;;) {
    const code = mintUserCode()
    if (!taken.has(hashToken(code))) return code
  }
}

/** A host name without characters that a page or a terminal would obey, or that cannot be stored. */
export function cleaned(hostName: string): string {
  const plain = hostName.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim()
  return Array.from(plain).slice(0, hostNameCharacters).join('')
}
