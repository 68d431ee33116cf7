import { createHmac, timingSafeEqual } from 'node:crypto'

/** By what somebody reads a private site: as a member who is signed in, by a share link, by the password. */
export type Grant =
  | { readonly kind: 'member'; readonly account: string; readonly session: string }
  | { readonly kind: 'link'; readonly id: string }
  | { readonly kind: 'password'; readonly id: string }

export interface DatedGrant {
  readonly grant: Grant
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** `<kind>.<subject>.<seconds since 1970>.<HMAC-SHA-256, base64url>` */
const shape = /^((member|link|password)\.([\w-]{1,100}(?::[\w-]{1,100})?)\.(\d{1,12}))\.([\w-]{43})$/

interface Signer {
  /** Id. */
  readonly project: string
  /** Label or domain of the host that it is for. */
  readonly name: string
  /** As the project’s document has it. */
  readonly key: string
}

/** A grant as a text that nobody else can make, and that is good for this project on this host alone. */
export function signGrant({ grant, expiresAt }: DatedGrant, signer: Signer): string {
  const text = `${grant.kind}.${subjectOf(grant)}.${Math.floor(expiresAt / 1000)}`
  return `${text}.${macOf(text, signer).toString('base64url')}`
}

/** The grant that a text is, while it lasts; null for all else. What it names may be gone: that is for the caller. */
export function readGrant(text: string, signer: Signer, now: Date): Grant | null {
  const [, signed, kind, subject, seconds, mac] = shape.exec(text) ?? []
  if (signed === undefined || subject === undefined || mac === undefined) return null
  const expected = macOf(signed, signer)
  const given = Buffer.from(mac, 'base64url')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
  if (Number(seconds) * 1000 <= now.getTime()) return null
  if (kind !== 'member') return { kind: kind === 'link' ? 'link' : 'password', id: subject }
  const [account, session] = subject.split(':')
  return account === undefined || session === undefined ? null : { kind, account, session }
}

function subjectOf(grant: Grant): string {
  return grant.kind === 'member' ? `${grant.account}:${grant.session}` : grant.id
}

function macOf(text: string, { project, name, key }: Signer): Buffer {
  return createHmac('sha256', Buffer.from(key, 'base64url')).update(`${project}\n${name}\n${text}`).digest()
}
