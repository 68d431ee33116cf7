import { Type, type Static } from 'typebox'
import { Email, Timestamp } from './common.ts'
import { endpoint } from './endpoint.ts'

export const Account = Type.Object({ id: Type.String(), email: Email, createdAt: Timestamp })
export type Account = Static<typeof Account>

/** Characters of a password. */
export const passwordLength = { least: 10, most: 256 } as const

const NewPassword = Type.String({ minLength: passwordLength.least, maxLength: passwordLength.most })
const Password = Type.String({ maxLength: passwordLength.most })
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
