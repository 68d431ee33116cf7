import { useQueryClient } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import type { Domain } from '#contract/domains.ts'
import { contract } from '#contract/index.ts'
import { client, messageOf } from '../../client.ts'
import { domainsQuery, useChoosePrimary, useLook } from '../../queries/domains.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Day, Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useDialog } from '../../ui/use-dialog.ts'
import { DomainRecords } from './domain-records.tsx'
import css from './domains.module.css'

/** A domain: how it is, what is to be entered in its DNS, and what can be done with it. */
export function DomainCard({ domain }: { readonly domain: Domain }) {
  const { slug } = useProject()
  const { domain: name, verified, primary, problem } = domain
  const look = useLook(slug, domain)
  const choose = useChoosePrimary(slug)
  const [isAsking, setAsking] = useDialog('remove', name)
  const [isShown, setShown] = useState(false)
  const isDone = verified && problem === undefined
  return (
    <Card
      title={name}
      description={<State domain={domain} />}
      actions={
        <>
          <Button
            icon={RefreshCw}
            busy={look.isPending}
            onClick={() => look.mutate()}
            aria-label={`Check now: ${name}`}
          >
            Check now
          </Button>
          {verified ? (
            <Button
              busy={choose.isPending}
              onClick={() => choose.mutate(primary ? null : name)}
              aria-label={primary ? `Not primary: ${name}` : `Make primary: ${name}`}
            >
              {primary ? 'Not primary' : 'Make primary'}
            </Button>
          ) : null}
          <Button onClick={() => setAsking(true)} aria-label={`Remove ${name}`}>
            Remove
          </Button>
        </>
      }
    >
      {look.error === null ? null : <Notice tone="danger">{messageOf(look.error)}</Notice>}
      {choose.error === null ? null : <Notice tone="danger">{messageOf(choose.error)}</Notice>}
      {problem === undefined || !verified || look.error !== null ? null : <Notice tone="warning">{problem}</Notice>}
      {isDone ? (
        <div>
          <Button look="ghost" size="small" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
            {isShown ? 'Hide the records' : 'Show the records'}
          </Button>
        </div>
      ) : null}
      {isDone && !isShown ? null : <DomainRecords domain={domain} />}
      <Remove name={name} open={isAsking} onOpenChange={setAsking} />
    </Card>
  )
}

function State({ domain }: { readonly domain: Domain }) {
  const { url, verified, primary, verifiedAt, checkedAt, endsAt, problem } = domain
  const checked = checkedAt === undefined ? 'not checked yet' : <Time at={checkedAt} />
  if (!verified)
    return (
      <span className={css['state']}>
        <Badge tone="warning" pulse>
          waiting for the DNS
        </Badge>
        <span>Last checked: {checked}</span>
      </span>
    )
  return (
    <span className={css['state']}>
      {problem === undefined ? <Badge tone="success">verified</Badge> : <Badge tone="danger">failing</Badge>}
      {primary ? <Badge>primary</Badge> : null}
      <a className="link" href={url} rel="noreferrer">
        Open the site there
      </a>
      {verifiedAt === undefined || problem !== undefined ? null : (
        <span>
          Since <Day at={verifiedAt} />, last checked: {checked}
        </span>
      )}
      {endsAt === undefined ? null : (
        <span>
          Served until <Day at={endsAt} />
        </span>
      )}
    </span>
  )
}

interface RemoveProps {
  readonly name: string
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}

function Remove({ name, open, onOpenChange }: RemoveProps) {
  const { slug } = useProject()
  const queries = useQueryClient()
  const remove = async (): Promise<void> => {
    await client.call(contract.domains.remove, { params: { slug }, query: { domain: name } })
    await queries.invalidateQueries(domainsQuery(slug))
    toast.done(`The domain ${name} is removed.`)
  }
  return (
    <Confirm
      open={open}
      onOpenChange={onOpenChange}
      title={`Remove ${name}?`}
      action="Remove domain"
      danger
      onConfirm={remove}
    >
      The site is not served there any more, at once. You can add it again; its records will say something else then.
      Remove the records at the provider of the DNS, too.
    </Confirm>
  )
}
