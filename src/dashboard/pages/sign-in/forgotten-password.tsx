import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { contract } from '#contract/index.ts'
import { client } from '../../client.ts'
import { paths } from '../../paths.ts'
import { serviceQuery } from '../../queries/account.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Entrance } from './entrance.tsx'

/** Asks for the address that a link goes to; a service without mail says who helps instead. */
export function Component() {
  const service = useQuery(serviceQuery)
  return (
    <Entrance
      title="Forgotten your password?"
      footer={
        <Link className="link" to={paths.projects}>
          Back to the sign-in
        </Link>
      }
    >
      <Loaded query={service}>{({ mail }) => (mail ? <AskForLink /> : <AskOperator />)}</Loaded>
    </Entrance>
  )
}

function AskOperator() {
  return (
    <div>
      <p>
        This service sends no mail, so it cannot send you a link. <strong>Ask its operator for a new password</strong>,
        and change it on your account page after you have signed in with it.
      </p>
    </div>
  )
}

function AskForLink() {
  const [sent, setSent] = useState<{ readonly email: string; readonly minutes: number }>()
  if (sent !== undefined) {
    return (
      <Notice tone="success" title="Look into your mail">
        If {sent.email} has an account with a password, a link to choose a new one is on its way. It is good for{' '}
        {sent.minutes} minutes. Nothing came? Look into the spam folder, or check that the address is right.
      </Notice>
    )
  }
  return (
    <Form
      label="Ask for a link"
      onSubmit={async ({ text }) => {
        const email = text('email')
        const { linkMinutes } = await client.call(contract.accounts.forgotPassword, { body: { email } })
        setSent({ email, minutes: linkMinutes })
      }}
    >
      {(busy) => (
        <>
          <TextField
            name="email"
            label="Email"
            type="email"
            autoComplete="username"
            autoFocus
            required
            hint="We send a link with which you choose a new password."
          />
          <Button type="submit" look="primary" busy={busy}>
            Send link
          </Button>
        </>
      )}
    </Form>
  )
}
