import { Type, type Static } from 'typebox'
import { Email, Id, Timestamp } from './common.ts'
import { endpoint } from './endpoint.ts'
import type { FailureCode } from './failure.ts'

export const Account = Type.Object({ id: Type.String(), email: Email, createdAt: Timestamp })
export type Account = Static<typeof Account>

/** Characters of a password. */
export const passwordLength = { least: 10, most: 256 } as const

export const NewPassword = Type.String({ minLength: passwordLength.least, maxLength: passwordLength.most })
export const Password = Type.String({ maxLength: passwordLength.most })
const SignedIn = Type.Object({ token: Type.String(), account: Account })

export const accounts = {
  signup: endpoint({
    method: 'POST',
    path: '/api/auth/signup',
    summary: 'Create an account',
    access: 'public',
    body: Type.Object({ email: Email, password: NewPassword }),
    limit: 'signIn',
    reply: SignedIn,
    status: 201,
    failures: ['signup_closed', 'account_exists'],
  }),
  login: endpoint({
    method: 'POST',
    path: '/api/auth/login',
    summary: 'Sign in',
    access: 'public',
    body: Type.Object({ email: Email, password: Password }),
    limit: 'signIn',
    reply: SignedIn,
    status: 200,
    failures: ['unauthenticated'],
  }),
  logout: endpoint({ method: 'POST', path: '/api/auth/logout', summary: 'Sign out', access: 'account', status: 204 }),
  me: endpoint({
    method: 'GET',
    path: '/api/auth/me',
    summary: 'Who is signed in',
    access: 'account',
    reply: Type.Object({
      account: Account,
      hasPassword: Type.Boolean({ description: 'Without one, the account signs in through an identity provider only' }),
      pendingEmail: Type.Optional(
        Type.String({ description: 'Address that the account will have once it is confirmed' }),
      ),
    }),
    status: 200,
  }),
  changePassword: endpoint({
    method: 'POST',
    path: '/api/auth/password',
    summary: 'Change your password',
    description: 'Ends all your other sessions.',
    access: 'account',
    limit: 'signIn',
    body: Type.Object({ currentPassword: Password, newPassword: NewPassword }),
    status: 204,
  }),
}

export const SessionKind = Type.Union([Type.Literal('browser'), Type.Literal('terminal')])
export type SessionKind = Static<typeof SessionKind>

export const Session = Type.Object({
  id: Type.String(),
  kind: SessionKind,
  client: Type.String({ description: 'What it called itself when it signed in; empty where that is not known' }),
  address: Type.String({ description: 'Where it signed in from; empty where that is not known' }),
  createdAt: Timestamp,
  usedAt: Type.String({ format: 'date-time', description: 'Its last use, noted at most once an hour' }),
  current: Type.Boolean({ description: 'The session that this request was made with' }),
})
export type Session = Static<typeof Session>

const sessionsPath = '/api/auth/sessions'

export const sessions = {
  list: endpoint({
    method: 'GET',
    path: sessionsPath,
    summary: 'List your sessions',
    description: 'The browsers and terminals that are signed in, the last used first; at most 50.',
    access: 'account',
    reply: Type.Object({ items: Type.Array(Session) }),
    status: 200,
  }),
  revoke: endpoint({
    method: 'DELETE',
    path: sessionsPath,
    summary: 'End a session',
    access: 'account',
    query: Type.Object({ id: Id }),
    status: 204,
  }),
  revokeOthers: endpoint({
    method: 'DELETE',
    path: `${sessionsPath}/others`,
    summary: 'Sign out everywhere else',
    description: 'Ends all your sessions but the one of this request.',
    access: 'account',
    status: 204,
  }),
}

/** Where a browser begins to sign in through the identity provider, `return_to` a page of the dashboard. */
export const identityProviderPath = '/api/auth/oidc'

/** Query parameter of the dashboard’s page that says why signing in through the identity provider came to nothing. */
export const signInProblem = 'sign_in_problem'
/** In the query of a page of the dashboard: its form makes an account instead. */
export const newAccount = 'new_account'

/** What to tell people, by the code of the failure. */
export const signInProblems = {
  access_denied: 'You did not sign in at the identity provider, or it does not let you in here.',
  account_exists: 'The account with your address belongs to another identity. Ask the operator of the service.',
  email_not_verified:
    'The identity provider gives no verified email address that can be used here. Verify yours there first.',
  expired_token: 'That took too long, or was begun in another window. Try again.',
  invalid_grant: 'The identity provider’s answer does not fit the question. Try again.',
  signup_closed: 'You have no account here, and this service does not let people create accounts. Ask its operator.',
  rate_limited: 'Too many people sign in at the moment. Try again in a few seconds.',
  unavailable: 'The identity provider cannot be reached, or does not work as it should. Try again later.',
} as const satisfies Partial<Record<FailureCode, string>>

export type SignInProblem = keyof typeof signInProblems

export function isSignInProblem(code: string | null): code is SignInProblem {
  return code !== null && Object.hasOwn(signInProblems, code)
}
