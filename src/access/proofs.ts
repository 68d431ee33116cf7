import { randomBytes } from 'node:crypto'
import { linkMinutes } from '../contract/account-changes.ts'
import { Failure } from '../contract/failure.ts'
import { hashToken } from './tokens.ts'

/** What following a link in a letter does. */
export type ProofPurpose = 'password' | 'email'

/** A link that was mailed, as its account keeps it: whoever has its token reads the mailbox. */
export interface StoredProof {
  /** SHA-256 of the token, which is nowhere. */
  hash: string
  purpose: ProofPurpose
  /** Address that it was mailed to. */
  email: string
  expiresAt: string
}

interface Proven {
  proofs?: StoredProof[]
}

const lifetimeMs = linkMinutes * 60_000
/** Links of an account that are good at a time. A change of address is one: another takes its place. */
const most: Readonly<Record<ProofPurpose, number>> = { password: 3, email: 1 }

/** 32 random bytes. */
export function mintProof(): string {
  return randomBytes(32).toString('base64url')
}

/** Notes a link in the draft of its account; the oldest goes where there are too many. */
export function noteProof(
  draft: Proven,
  {
    token,
    purpose,
    email,
    now,
  }: { readonly token: string; readonly purpose: ProofPurpose; readonly email: string; readonly now: Date },
): void {
  const open = (draft.proofs ?? []).filter((proof) => isOpen(proof, now))
  const same = open.filter((proof) => proof.purpose === purpose)
  const gone = new Set(same.slice(0, Math.max(0, same.length + 1 - most[purpose])))
  const expiresAt = new Date(now.getTime() + lifetimeMs).toISOString()
  draft.proofs = [...open.filter((proof) => !gone.has(proof)), { hash: hashToken(token), purpose, email, expiresAt }]
}

/** Takes back a link that could not be mailed. */
export function dropProof(draft: Proven, token: string): void {
  const hash = hashToken(token)
  draft.proofs = (draft.proofs ?? []).filter((proof) => proof.hash !== hash)
}

/** The link of an account that a token is of, if it is good. */
export function proofOf(
  { proofs = [] }: { readonly proofs?: readonly Readonly<StoredProof>[] },
  { token, purpose, now }: { readonly token: string; readonly purpose: ProofPurpose; readonly now: Date },
): Readonly<StoredProof> | undefined {
  const hash = hashToken(token)
  return proofs.find((proof) => proof.purpose === purpose && proof.hash === hash && isOpen(proof, now))
}

/** Address that an account is to have once it is confirmed. */
export function pendingEmailOf(
  { proofs = [] }: { readonly proofs?: readonly Readonly<StoredProof>[] },
  now: Date,
): string | undefined {
  return proofs.find((proof) => proof.purpose === 'email' && isOpen(proof, now))?.email
}

export function expiredLink(): Failure {
  return new Failure('expired_token', 'The link is not good any more: it has expired, was used, or was replaced.', {
    hint: 'Ask for another one, and follow the link of the last letter.',
  })
}

function isOpen({ expiresAt }: Readonly<StoredProof>, now: Date): boolean {
  return expiresAt > now.toISOString()
}
