import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Globe, SquareTerminal } from 'lucide-react'
import { useState } from 'react'
import type { Session } from '#contract/accounts.ts'
import { contract } from '#contract/index.ts'
import { client } from '../../client.ts'
import { clientName, sessionsQuery } from '../../queries/sessions.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Row, Rows } from '../../ui/card.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import css from './sessions.module.css'

/** Where the account is signed in; each but this one can be signed out from here. */
export function Sessions() {
  const queries = useQueryClient()
  const sessions = useQuery(sessionsQuery)
  const [asks, setAsks] = useState(false)
  const others = sessions.data?.items.filter(({ current }) => !current).length ?? 0
  return (
    <Card
      title="Where you are signed in"
      description="A session ends 30 days after its last use."
      actions={
        others === 0 ? undefined : (
          <Button size="small" onClick={() => setAsks(true)}>
            Sign out everywhere else
          </Button>
        )
      }
    >
      <Loaded query={sessions}>
        {({ items }) => (
          <Rows label="Browsers and terminals">
            {items.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </Rows>
        )}
      </Loaded>
      <Confirm
        open={asks}
        onOpenChange={setAsks}
        title="Sign out everywhere else?"
        action="Sign out everywhere else"
        onConfirm={async () => {
          await client.call(contract.sessions.revokeOthers)
          await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey })
          toast.done('Only this browser is signed in now.')
        }}
      >
        {others === 1 ? 'The other browser or terminal has' : `The ${others} other browsers and terminals have`} to sign
        in anew. API keys go on working.
      </Confirm>
    </Card>
  )
}

function SessionRow({ session }: { readonly session: Session }) {
  const queries = useQueryClient()
  const { id, kind, client: program, address, createdAt, usedAt, current } = session
  const name = clientName(session)
  const end = useMutation({
    mutationFn: () => client.call(contract.sessions.revoke, { query: { id } }),
    onSuccess: () => toast.done(`${name} is signed out.`),
    onError: toast.failed,
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  })
  const Icon = kind === 'terminal' ? SquareTerminal : Globe
  return (
    <Row
      title={
        <span className={css['name']} title={program}>
          <Icon aria-hidden /> {name}
          {current ? <Badge tone="success">This one</Badge> : null}
        </span>
      }
      detail={
        <>
          {address === '' ? '' : `From ${address}. `}Signed in <Time at={createdAt} />
          {current ? null : (
            <>
              , last used <Time at={usedAt} />
            </>
          )}
        </>
      }
    >
      {current ? null : (
        <Button size="small" busy={end.isPending} aria-label={`Sign out ${name}`} onClick={() => end.mutate()}>
          Sign out
        </Button>
      )}
    </Row>
  )
}
