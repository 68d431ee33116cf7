import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import type { DeviceRequest } from '#contract/device-login.ts'
import { contract } from '#contract/index.ts'
import { client, isFailure, messageOf } from '../../client.ts'
import { deviceRequestQuery, meQuery } from '../../queries/account.ts'
import { Button } from '../../ui/button.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Loaded, Skeleton } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { useSearchParam } from '../../ui/search-params.ts'
import { count } from '../../ui/words.ts'
import css from './account.module.css'

/** `/dashboard/device?user_code=`: whether a terminal may sign in to the account of this browser. */
export function Component() {
  const [code, setCode] = useSearchParam('user_code')
  return code === undefined ? (
    <Step title="Sign in a terminal">
      <Form label="Sign in a terminal" onSubmit={async ({ text }) => setCode(text('code'))}>
        {() => (
          <Card>
            <TextField
              name="code"
              label="Code"
              required
              autoFocus
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              hint={
                <>
                  <code>quire login</code> shows it in your terminal: eight letters, such as BCDF-GHJK.
                </>
              }
            />
            <div>
              <Button type="submit" look="primary">
                Continue
              </Button>
            </div>
          </Card>
        )}
      </Form>
    </Step>
  ) : (
    <Request key={code} code={code} onAgain={() => setCode(undefined)} />
  )
}

const decided = { approve: 'approved', deny: 'denied' } as const

function Request({ code, onAgain }: { readonly code: string; readonly onAgain: () => void }) {
  const request = useQuery(deviceRequestQuery(code))
  const { data: me } = useQuery(meQuery)
  const email = me?.account.email ?? ''
  const decide = useMutation({
    mutationFn: async (decision: 'approve' | 'deny') => {
      await client.call(contract.device[decision], { body: { user_code: code } })
    },
    // Where no answer came it may be done all the same.
    onError: () => request.refetch(),
  })
  const decision =
    decide.isSuccess && decide.variables !== undefined ? decided[decide.variables] : request.data?.decision

  if (decision === 'approved') {
    return (
      <Step title={`Signed in as ${email}`}>
        <Notice tone="success">Your terminal goes on by itself. You can close this page.</Notice>
      </Step>
    )
  }
  if (decision === 'denied') {
    return (
      <Step title="Denied">
        <Notice tone="note">The terminal was not signed in. You can close this page.</Notice>
      </Step>
    )
  }
  const problem = decide.error ?? request.error
  if (isFailure(problem, 'not_found', 'invalid_request')) {
    return (
      <Step title="This code cannot be used">
        <Notice tone="danger" action={<Button onClick={onAgain}>Enter another code</Button>}>
          {messageOf(problem)}
        </Notice>
      </Step>
    )
  }
  if (request.data === undefined) {
    return (
      <Page title="Sign in a terminal" width="narrow">
        <Loaded query={request} pending={<Skeleton />}>
          {() => null}
        </Loaded>
      </Page>
    )
  }
  return (
    <Step title="Does your terminal show this code?">
      <p className={css['code']}>{request.data.user_code}</p>
      <Card>
        <RequestFacts request={request.data} email={email} />
      </Card>
      <Notice tone="warning">
        Approve only if you have just run <code>quire login</code> yourself and see this code there. If somebody sent
        you here, deny.
      </Notice>
      {decide.error === null ? null : <Notice tone="danger">{messageOf(decide.error)}</Notice>}
      <div className={css['decision']}>
        <Button
          look="primary"
          busy={decide.isPending && decide.variables === 'approve'}
          disabled={decide.isPending && decide.variables === 'deny'}
          onClick={() => decide.mutate('approve')}
        >
          Approve
        </Button>
        <Button
          busy={decide.isPending && decide.variables === 'deny'}
          disabled={decide.isPending && decide.variables === 'approve'}
          onClick={() => decide.mutate('deny')}
        >
          Deny
        </Button>
      </div>
    </Step>
  )
}

function RequestFacts({ request, email }: { readonly request: DeviceRequest; readonly email: string }) {
  const { client: program, hostName, address, sameAddress, createdAt } = request
  return (
    <Facts
      items={[
        ['Program', program],
        hostName === undefined
          ? null
          : [
              'Machine',
              <>
                {hostName} <span className="soft">by its own account</span>
              </>,
            ],
        [
          'Address',
          <>
            {address}{' '}
            <span className={sameAddress ? 'soft' : css['caution']}>
              {sameAddress ? 'the same as yours here' : 'not the one of this browser'}
            </span>
          </>,
        ],
        ['Asked', <Age since={createdAt} />],
        ['Account', email],
        ['May do', 'All that you may: read, change, deploy and administer your projects, until it signs out'],
      ]}
    />
  )
}

/** How long ago to the second, kept true while the page is open: a code lives minutes. */
function Age({ since }: { readonly since: string }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.round((now - Date.parse(since)) / 1000))
  const text = seconds < 60 ? count(seconds, 'second') : count(Math.floor(seconds / 60), 'minute')
  return <time dateTime={since}>{text} ago</time>
}

/** Takes the focus: each step replaces the page, and neither Approve nor Deny is to be one stray Enter away. */
function Step({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const heading = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    if (document.activeElement === null || document.activeElement === document.body) heading.current?.focus()
  }, [title])
  return (
    <Page
      title={title}
      width="narrow"
      heading={
        <span ref={heading} tabIndex={-1} className={css['step']}>
          {title}
        </span>
      }
    >
      {children}
    </Page>
  )
}
