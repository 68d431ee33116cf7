import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound, MoreHorizontal, Plus } from 'lucide-react'
import { contract } from '#contract/index.ts'
import type { Key } from '#contract/keys.ts'
import { client } from '../../client.ts'
import { keysQuery } from '../../queries/keys.ts'
import { OwnersOnly } from '../../shell/owners-only.tsx'
import { useProject } from '../../shell/project-shell.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Row, Rows } from '../../ui/card.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/empty.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form, FormActions } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Menu } from '../../ui/menu.tsx'
import { More } from '../../ui/more.tsx'
import { Page } from '../../ui/page.tsx'
import { Day, Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useDialog } from '../../ui/use-dialog.ts'
import { NewKey } from './new-key.tsx'

export function Component() {
  const { slug } = useProject()
  return (
    <OwnersOnly
      title="API keys"
      says="API keys are for owners"
      why="A key goes on working when whoever made it has left. Ask the project’s owner for one, or sign in with the command line: your session does what you may do here."
    >
      <Keys slug={slug} />
    </OwnersOnly>
  )
}

function Keys({ slug }: { readonly slug: string }) {
  const keys = useInfiniteQuery(keysQuery(slug))
  const [isCreating, setCreating] = useDialog('new')
  const create = (
    <Button look="primary" icon={Plus} onClick={() => setCreating(true)}>
      Create key
    </Button>
  )
  return (
    <Page
      title="API keys"
      description="The command line, CI and scripts sign in with a key. Each is for this project alone."
      actions={create}
    >
      <Loaded query={keys}>
        {(items) => {
          if (items.length === 0) {
            return (
              <Empty icon={KeyRound} title="No keys yet">
                Create one for each place that deploys, so that you can take one away without stopping the others.
              </Empty>
            )
          }
          return (
            <Rows label="API keys">
              {items.map((key) => (
                <KeyRow key={key.id} slug={slug} apiKey={key} />
              ))}
            </Rows>
          )
        }}
      </Loaded>
      <More query={keys} />
      <NewKey slug={slug} open={isCreating} onOpenChange={setCreating} />
    </Page>
  )
}

function KeyRow({ slug, apiKey }: { readonly slug: string; readonly apiKey: Key }) {
  const { id, name, prefix, scopes: granted, created_at: createdAt, expiresAt, last_used_at: usedAt } = apiKey
  const queries = useQueryClient()
  const [isRenaming, setRenaming] = useDialog('rename', id)
  const [isRevoking, setRevoking] = useDialog('revoke', id)
  const reload = () => queries.invalidateQueries({ queryKey: keysQuery(slug).queryKey })

  const rename = async (newName: string): Promise<void> => {
    await client.call(contract.keys.rename, { params: { slug }, body: { id, name: newName } })
    await reload()
  }
  return (
    <Row
      title={
        <>
          {name} <code className="faint">{prefix}…</code>
          {expiresAt !== undefined && Date.parse(expiresAt) <= Date.now() ? <Badge tone="danger">expired</Badge> : null}
        </>
      }
      detail={
        <>
          {granted.join(', ')}. Created <Time at={createdAt} />
          {expiresAt === undefined ? null : (
            <>
              , {Date.parse(expiresAt) <= Date.now() ? 'expired' : 'expires'} <Day at={expiresAt} />
            </>
          )}
        </>
      }
      tools={
        <Menu
          trigger={<IconButton size="small" icon={MoreHorizontal} label={`Actions for ${name}`} />}
          entries={[
            { kind: 'action', label: 'Rename', onSelect: () => setRenaming(true) },
            { kind: 'action', label: 'Revoke', danger: true, onSelect: () => setRevoking(true) },
          ]}
        />
      }
    >
      {usedAt === undefined ? (
        'Never used'
      ) : (
        <span>
          Last used <Time at={usedAt} />
        </span>
      )}
      <Dialog open={isRenaming} onOpenChange={setRenaming} title="Rename key">
        <Form
          onSubmit={async ({ text }) => {
            await rename(text('name'))
            setRenaming(false)
            toast.done(`The key is called ${text('name')} now.`, () => rename(name))
          }}
        >
          {(busy) => (
            <>
              <TextField name="name" label="Name" defaultValue={name} required maxLength={100} autoComplete="off" />
              <FormActions>
                <Button type="submit" look="primary" busy={busy}>
                  Rename
                </Button>
              </FormActions>
            </>
          )}
        </Form>
      </Dialog>
      <Confirm
        open={isRevoking}
        onOpenChange={setRevoking}
        title={`Revoke the key “${name}”?`}
        action="Revoke key"
        danger
        onConfirm={async () => {
          await client.call(contract.keys.revoke, { params: { slug }, query: { id } })
          await reload()
          toast.done(`The key ${name} is revoked.`)
        }}
      >
        Whatever uses it stops working at once. This cannot be undone: create another key in its place.
      </Confirm>
    </Row>
  )
}
