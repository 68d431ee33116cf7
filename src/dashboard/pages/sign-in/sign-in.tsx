import { useQuery } from '@tanstack/react-query'
import { Link, useLocation, useNavigate } from 'react-router'
import { isSignInProblem, newAccount, passwordLength, signInProblem, signInProblems } from '#contract/accounts.ts'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import { client, isFailure } from '../../client.ts'
import { paths } from '../../paths.ts'
import { serviceQuery, signedIn } from '../../queries/account.ts'
import { invitationLink } from '../../queries/invitations.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Entrance } from './entrance.tsx'
import css from './entrance.module.css'

/** At the address that somebody asked for: it shows itself once they are signed in. */
export function Component() {
  const { pathname, search, hash } = useLocation()
  const navigate = useNavigate()
  const { data: service } = useQuery(serviceQuery)
  const query = new URLSearchParams(search)
  const problem = query.get(signInProblem)
  const isNew = query.has(newAccount) && service?.signup !== 'closed'
  query.delete(signInProblem)
  query.delete(newAccount)
  // The code of an invitation is behind #; it stays in the browser.
  const asked = (more = ''): string => {
    const all = new URLSearchParams(query)
    if (more !== '') all.set(more, '')
    return pathname + (all.size === 0 ? '' : `?${all.toString()}`)
  }
  const isInvited = invitationLink(hash) !== null

  const submit = async ({ text }: FormValues): Promise<void> => {
    const body = { email: text('email'), password: text('password') }
    await client.call(isNew ? contract.accounts.signup : contract.accounts.login, { body }).catch(explained)
    void navigate(asked() + hash, { replace: true })
    await signedIn()
  }

  return (
    <Entrance
      title={isNew ? 'Create your account' : 'Sign in to Quire'}
      {...(isInvited && {
        description: 'You are invited to a project. Use the address that the invitation was sent to.',
      })}
      footer={
        service?.signup === 'open' ? (
          <p>
            {isNew ? 'You have an account? ' : 'New here? '}
            <Link className="link" to={asked(isNew ? '' : newAccount) + hash} replace>
              {isNew ? 'Sign in' : 'Create an account'}
            </Link>
          </p>
        ) : undefined
      }
    >
      {isSignInProblem(problem) ? <Notice tone="danger">{signInProblems[problem]}</Notice> : null}
      {service?.identityProvider === undefined ? null : (
        <>
          <a className={css['provider']} href={providerStart(service.identityProvider.url, asked())}>
            Sign in with {service.identityProvider.name}
          </a>
          <div className={css['or']}>or with a password</div>
        </>
      )}
      {/* What one form was refused for is not the other’s. */}
      <Form key={String(isNew)} label={isNew ? 'Create an account' : 'Sign in'} onSubmit={submit}>
        {(busy) => (
          <>
            <TextField name="email" label="Email" type="email" autoComplete="username" autoFocus required />
            <PasswordField isNew={isNew} />
            <Button type="submit" look="primary" busy={busy}>
              {isNew ? 'Create account' : 'Sign in'}
            </Button>
          </>
        )}
      </Form>
    </Entrance>
  )
}

function PasswordField({ isNew }: { readonly isNew: boolean }) {
  if (!isNew) {
    return (
      <TextField
        name="password"
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        hint={
          <Link className="link" to={paths.forgottenPassword}>
            Forgotten your password?
          </Link>
        }
      />
    )
  }
  return (
    <TextField
      name="password"
      label="Password"
      type="password"
      autoComplete="new-password"
      required
      minLength={passwordLength.least}
      maxLength={passwordLength.most}
      hint={`At least ${passwordLength.least} characters.`}
    />
  )
}

function providerStart(url: string, page: string): string {
  return `${url}?${new URLSearchParams({ return_to: page }).toString()}`
}

/** The hint for who has no session is to sign in, which is what they do. */
function explained(error: unknown): never {
  throw isFailure(error, 'unauthenticated') ? new Failure('unauthenticated', error.message) : error
}
