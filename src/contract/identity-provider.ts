import type { FailureCode } from './failure.ts'

/** Where a browser begins to sign in through the identity provider, `return_to` a page of the dashboard. */
export const identityProviderPath = '/api/auth/oidc'

/** Query parameter of the dashboard’s page that says why signing in through the identity provider came to nothing. */
export const signInProblem = 'sign_in_problem'

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
