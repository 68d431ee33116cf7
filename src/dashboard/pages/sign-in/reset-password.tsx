import { useState } from 'react'
import { Link, useLocation } from 'react-router'
import { passwordLength } from '#contract/accounts.ts'
import { contract } from '#contract/index.ts'
import { client, isFailure } from '../../client.ts'
import { paths } from '../../paths.ts'
import { forgetAccount } from '../../queries/account.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Entrance } from './entrance.tsx'
import { linkToken } from './link-token.ts'

/** Where the link of a letter leads to whoever forgot the password. */
export function Component() {
  const token = linkToken(useLocation().hash)
  const [state, setState] = useState<'asks' | 'done' | 'expired'>(token === null ? 'expired' : 'asks')
  if (state === 'done') {
    return (
      <Entrance title="Your password is changed">
        <p>All browsers and terminals that were signed in to your account are signed out.</p>
        <LinkButton look="primary" to={paths.projects}>
          Sign in
        </LinkButton>
      </Entrance>
    )
  }
  if (state === 'expired' || token === null) {
    return (
      <Entrance title="This link cannot be used">
        <Notice tone="warning">It was used already, is too old, or is not complete. Ask for another one.</Notice>
        <LinkButton look="primary" to={paths.forgottenPassword}>
          Ask for another link
        </LinkButton>
      </Entrance>
    )
  }
  return (
    <Entrance
      title="Choose a new password"
      footer={
        <Link className="link" to={paths.projects}>
          Back to the sign-in
        </Link>
      }
    >
      <Form
        label="New password"
        onSubmit={async ({ text }) => {
          const body = { token, newPassword: text('newPassword') }
          try {
            await client.call(contract.accounts.resetPassword, { body })
          } catch (error) {
            if (!isFailure(error, 'expired_token')) throw error
            setState('expired')
            return
          }
          forgetAccount()
          setState('done')
        }}
      >
        {(busy) => (
          <>
            <TextField
              name="newPassword"
              label="New password"
              type="password"
              autoComplete="new-password"
              autoFocus
              required
              minLength={passwordLength.least}
              maxLength={passwordLength.most}
              hint={`At least ${passwordLength.least} characters. You are signed out everywhere.`}
            />
            <Button type="submit" look="primary" busy={busy}>
              Change password
            </Button>
          </>
        )}
      </Form>
    </Entrance>
  )
}
