import * as fc from 'fast-check'
import { scopes } from '#contract/endpoint.ts'

/** Who calls: one without a credential, two accounts with a project each, keys of the first one’s, and wrong credentials. */
export const callers = ['nobody', 'owner', 'stranger', ...scopes, 'revoked', 'wrong', 'malformed'] as const
export type FuzzCaller = (typeof callers)[number]

/**
 * What there is. A request carries the name, `__branch__`, and the world puts in what it stands for now: of several
 * branches another one each time. Names that begin alike go together.
 */
export const known = [
  'slug',
  'branch',
  'deploy',
  'webhook',
  'delivery',
  'deliveryWebhook',
  'entry',
  'domain',
  'key',
  'shareLink',
  'invitation',
  'invitationCode',
  'session',
  'member',
  'email',
  'password',
  'mainPath',
  'mainOid',
  'mainCommit',
  'edited',
  'editedName',
  'editedPath',
  'editedOid',
  'comment',
  'thread',
  'conversation',
  'turn',
  'commit',
  'userCode',
  'resetToken',
  'confirmToken',
  'deviceCode',
  'foreignSlug',
  'foreignBranch',
  'foreignDeploy',
  'foreignEmail',
  // A text that nobody has used yet.
  'fresh',
] as const
export type KnownName = (typeof known)[number]
export type Known = Readonly<Record<KnownName, readonly string[]>>

export const names = (...some: KnownName[]): fc.Arbitrary<string> =>
  fc.constantFrom(...some.map((name) => `__${name}__`))
