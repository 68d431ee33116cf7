import { Type, type Static } from 'typebox'
import { Account, NewPassword, Password } from './accounts.ts'
import { Email, Slug } from './common.ts'
import { endpoint } from './endpoint.ts'

/** Pages that links in letters lead to, below the service’s origin. Behind the # comes `token=`: no log has it. */
export const resetPasswordPage = '/dashboard/auth/reset-password'
export const confirmEmailPage = '/dashboard/auth/confirm-email'
/** For which a link is good. */
export const linkMinutes = 60
/** Slugs of projects that stand in the way of a removal, at most. */
export const mostOwnedShown = 200

const Token = Type.String({ maxLength: 100, description: 'From the link in the letter' })

export const Removal = Type.Object({
  proof: Type.Union([Type.Literal('password'), Type.Literal('email')], {
    description: 'What deleting the account takes: its password or, where it has none, its address',
  }),
  owned: Type.Array(Slug, { description: `Projects that you own, by slug; at most ${mostOwnedShown}` }),
  ownedCount: Type.Integer({ description: 'All of them' }),
  writtenCount: Type.Integer({ description: 'Projects of others that you write: you leave them' }),
})
export type Removal = Static<typeof Removal>

/** What people change about their own accounts, beside the password. */
export const accountChanges = {
  forgotPassword: endpoint({
    method: 'POST',
    path: '/api/auth/password/forgotten',
    summary: 'Ask for a new password by mail',
    description:
      'Mails a link to the address if it has an account with a password: the answer does not tell. `mail` of ' +
      '`GET /api/service` says whether this service sends mail.',
    access: 'public',
    limit: 'signIn',
    body: Type.Object({ email: Email }),
    reply: Type.Object({ linkMinutes: Type.Integer({ description: 'For which the link is good' }) }),
    status: 202,
    failures: ['mail_not_configured'],
  }),
  resetPassword: endpoint({
    method: 'POST',
    path: '/api/auth/password/reset',
    summary: 'Choose a new password with a link from a letter',
    description: 'Ends all sessions of the account. The link is good once.',
    access: 'public',
    limit: 'signIn',
    body: Type.Object({ token: Token, newPassword: NewPassword }),
    status: 204,
    failures: ['expired_token'],
  }),
  changeEmail: endpoint({
    method: 'POST',
    path: '/api/auth/email',
    summary: 'Change your address',
    description:
      'Where the service sends mail, the address changes when the link in the letter to it is followed, and the old ' +
      'address is told; whether the new one has an account already only its letter tells. Without mail it changes at ' +
      'once, and nobody vouches for it: accepting an invitation takes its code.',
    access: 'account',
    limit: 'signIn',
    body: Type.Object({ email: Email, password: Password }),
    reply: Type.Object({
      account: Account,
      pending: Type.Boolean({ description: 'The new address has yet to be confirmed' }),
    }),
    status: 200,
    failures: ['account_exists'],
  }),
  confirmEmail: endpoint({
    method: 'POST',
    path: '/api/auth/email/confirm',
    summary: 'Confirm your new address with a link from a letter',
    description: 'The link is good once.',
    access: 'public',
    limit: 'signIn',
    body: Type.Object({ token: Token }),
    reply: Type.Object({ email: Email }),
    status: 200,
    failures: ['expired_token', 'account_exists'],
  }),
  readRemoval: endpoint({
    method: 'GET',
    path: '/api/auth/me/removal',
    summary: 'What goes with your account',
    access: 'account',
    reply: Removal,
    status: 200,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/auth/me',
    summary: 'Delete your account',
    description:
      'Ends your sessions and your part in projects of others. While you own projects it is refused, with ' +
      '`"projects": "delete"` they are deleted first, with all that is in them. This cannot be undone.',
    access: 'account',
    limit: 'signIn',
    body: Type.Object({
      password: Type.Optional(Password),
      email: Type.Optional(Type.String({ maxLength: 254, description: 'For an account without a password' })),
      projects: Type.Optional(Type.Literal('delete', { description: 'Delete all projects that you own, too' })),
    }),
    status: 204,
    failures: ['deploy_in_progress'],
  }),
}
