import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'react-router'
import { contract } from '#contract/index.ts'
import { client, isFailure, messageOf } from '../../client.ts'
import { paths } from '../../paths.ts'
import { meQuery } from '../../queries/account.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Entrance } from './entrance.tsx'
import { linkToken } from './link-token.ts'

/** Where the link of a letter leads to whoever changes their address. A press confirms: programs that look into mail open links, too. */
export function Component() {
  const token = linkToken(useLocation().hash)
  const queries = useQueryClient()
  const confirm = useMutation({
    mutationFn: (body: { readonly token: string }) => client.call(contract.accounts.confirmEmail, { body }),
    onSuccess: () => queries.invalidateQueries({ queryKey: meQuery.queryKey }),
  })
  if (confirm.data !== undefined) {
    return (
      <Entrance title="Your address is changed" description={`You sign in with ${confirm.data.email} from now on.`}>
        <LinkButton look="primary" to={paths.account}>
          Your account
        </LinkButton>
      </Entrance>
    )
  }
  if (token === null || isFailure(confirm.error, 'expired_token')) {
    return (
      <Entrance title="This link cannot be used">
        <Notice tone="warning">
          It was used already, is too old, or is not complete. Change the address once more on your account page for a
          new one.
        </Notice>
        <LinkButton look="primary" to={paths.account}>
          Your account
        </LinkButton>
      </Entrance>
    )
  }
  return (
    <Entrance title="Confirm your address" description="Your account gets the address that this link was mailed to.">
      {confirm.error === null ? null : <Notice tone="danger">{messageOf(confirm.error)}</Notice>}
      <Button look="primary" busy={confirm.isPending} onClick={() => confirm.mutate({ token })}>
        Confirm address
      </Button>
    </Entrance>
  )
}
