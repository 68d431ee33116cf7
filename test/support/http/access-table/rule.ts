import type { Endpoint } from '#contract/endpoint.ts'

/** Who calls, seen from the project that the request is about. */
export const callers = [
  'nobody',
  'ended session',
  'revoked key',
  'expired key',
  'key of another project',
  'key without the scope',
  'key with only the scope',
  'member of another project',
  'former writer',
  'writer',
  'owner',
] as const
export type CallerName = (typeof callers)[number]

/**
 * What becomes of a request. `hidden`: answered as if there were no such project; `answered`: the endpoint itself
 * answered, be it with a refusal of its own.
 */
export type Outcome = 'unauthenticated' | 'forbidden' | 'hidden' | 'answered'

type Row = Readonly<Record<CallerName, Outcome>>

const strangers = {
  nobody: 'unauthenticated',
  'ended session': 'unauthenticated',
  'revoked key': 'unauthenticated',
  'expired key': 'unauthenticated',
} as const

const everybody: Row = {
  nobody: 'answered',
  'ended session': 'answered',
  'revoked key': 'answered',
  'expired key': 'answered',
  'key of another project': 'answered',
  'key without the scope': 'answered',
  'key with only the scope': 'answered',
  'member of another project': 'answered',
  'former writer': 'answered',
  writer: 'answered',
  owner: 'answered',
}

/** A credential is optional here, but a wrong one is refused. */
const everybodyValid: Row = { ...everybody, ...strangers, nobody: 'answered' }

/** An account, whatever its projects are. */
const accounts: Row = {
  ...strangers,
  'key of another project': 'forbidden',
  'key without the scope': 'forbidden',
  'key with only the scope': 'forbidden',
  'member of another project': 'answered',
  'former writer': 'answered',
  writer: 'answered',
  owner: 'answered',
}

const accountsAndKeys: Row = {
  ...accounts,
  'key of another project': 'answered',
  'key without the scope': 'answered',
  'key with only the scope': 'answered',
}

/** Members of the project, and no keys. */
const members: Row = {
  ...accounts,
  'key of another project': 'hidden',
  'member of another project': 'hidden',
  'former writer': 'hidden',
}

/** Who may write may do this. */
const writers: Row = {
  ...strangers,
  'key of another project': 'hidden',
  'key without the scope': 'forbidden',
  'key with only the scope': 'answered',
  'member of another project': 'hidden',
  'former writer': 'hidden',
  writer: 'answered',
  owner: 'answered',
}

const owners: Row = { ...writers, writer: 'forbidden' }

/** The expected row of an endpoint: the law of the house, written down apart from the code that keeps it. */
export function expectedOf({ access, keys, members: known, path, forDeploys }: Endpoint): Row {
  if (access === 'public') return known === true ? everybodyValid : everybody
  if (access === 'admin') return owners
  // The key without the scope `read` has the scope `deploy`.
  if (forDeploys === true) return { ...writers, 'key without the scope': 'answered' }
  if (access !== 'account') return writers
  if (path.includes('/:slug')) return members
  return keys === true ? accountsAndKeys : accounts
}
