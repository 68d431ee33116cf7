import { Type, type Static } from 'typebox'
import { Email, Timestamp } from './common.ts'
import { endpoint } from './endpoint.ts'

export const Account = Type.Object({ id: Type.String(), email: Email, createdAt: Timestamp })
export type Account = Static<typeof Account>

const Credentials = Type.Object({ email: Email, password: Type.String({ minLength: 10, maxLength: 256 }) })
const Session = Type.Object({ token: Type.String(), account: Account })

export const accounts = {
  signup: endpoint({
    method: 'POST',
    path: '/api/auth/signup',
    summary: 'Create an account',
    access: 'public',
    body: Credentials,
    reply: Session,
    status: 201,
    failures: ['signup_closed', 'account_exists', 'rate_limited'],
  }),
  login: endpoint({
    method: 'POST',
    path: '/api/auth/login',
    summary: 'Sign in',
    access: 'public',
    body: Type.Object({ email: Email, password: Type.String({ maxLength: 256 }) }),
    reply: Session,
    status: 200,
    failures: ['unauthenticated', 'rate_limited'],
  }),
  logout: endpoint({ method: 'POST', path: '/api/auth/logout', summary: 'Sign out', access: 'account', status: 204 }),
  me: endpoint({
    method: 'GET',
    path: '/api/auth/me',
    summary: 'Who is signed in',
    access: 'account',
    reply: Type.Object({ account: Account }),
    status: 200,
  }),
}
