import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import type { Removal } from '#contract/account-changes.ts'
import { contract } from '#contract/index.ts'
import { client } from '../../client.ts'
import { paths } from '../../paths.ts'
import { forgetAccount, removalQuery } from '../../queries/account.ts'
import { projectsQuery } from '../../queries/projects.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Checkbox, TextField } from '../../ui/field.tsx'
import { Form, FormActions } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { toast } from '../../ui/toasts.tsx'
import css from './account.module.css'

interface DeleteProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly email: string
}

/** Says what goes with the account, and asks for what proves that its owner wants that. */
export function DeleteAccount({ open, onOpenChange, email }: DeleteProps) {
  const removal = useQuery({ ...removalQuery, enabled: open })
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Delete your account"
      description="This cannot be undone. What you wrote in projects of others stays there, under your name."
    >
      <Loaded query={removal}>
        {(data) => <DeleteForm removal={data} email={email} onCancel={() => onOpenChange(false)} />}
      </Loaded>
    </Dialog>
  )
}

interface FormProps {
  readonly removal: Removal
  readonly email: string
  readonly onCancel: () => void
}

function DeleteForm({ removal, email, onCancel }: FormProps) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [typed, setTyped] = useState('')
  const [isGiven, setIsGiven] = useState(false)
  const { proof, ownedCount, writtenCount } = removal
  return (
    <Form
      label="Delete your account"
      onSubmit={async ({ text }) => {
        try {
          await client.call(contract.accounts.remove, {
            body: {
              ...(proof === 'password' ? { password: text('password') } : { email: typed }),
              ...(ownedCount === 0 ? {} : { projects: 'delete' }),
            },
          })
        } catch (error) {
          // Some of the projects may be gone all the same.
          void queries.invalidateQueries({ queryKey: removalQuery.queryKey })
          void queries.invalidateQueries({ queryKey: projectsQuery.queryKey })
          throw error
        }
        void navigate(paths.projects, { replace: true })
        forgetAccount()
        toast.done('Your account is deleted.')
      }}
    >
      {(busy) => (
        <>
          {ownedCount === 0 ? null : <OwnedProjects removal={removal} isGiven={isGiven} onChange={setIsGiven} />}
          {writtenCount === 0 ? null : (
            <p>
              You leave {writtenCount === 1 ? 'one project' : `${writtenCount} projects`} of others, which{' '}
              {writtenCount === 1 ? 'stays' : 'stay'} as {writtenCount === 1 ? 'it is' : 'they are'}.
            </p>
          )}
          <TextField
            name="email"
            label={`Type ${email} to confirm`}
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
          {proof === 'password' ? (
            <TextField name="password" label="Your password" type="password" autoComplete="current-password" required />
          ) : null}
          <FormActions>
            <Button
              type="submit"
              look="danger"
              busy={busy}
              disabled={typed.trim().toLowerCase() !== email.toLowerCase() || (ownedCount > 0 && !isGiven)}
            >
              Delete account
            </Button>
            <Button onClick={onCancel}>Cancel</Button>
          </FormActions>
        </>
      )}
    </Form>
  )
}

interface OwnedProps {
  readonly removal: Removal
  readonly isGiven: boolean
  readonly onChange: (isGiven: boolean) => void
}

function OwnedProjects({ removal, isGiven, onChange }: OwnedProps) {
  const { owned, ownedCount } = removal
  const what = ownedCount === 1 ? 'project' : `${ownedCount} projects`
  return (
    <>
      <Notice tone="warning" title={`Your ${what} ${ownedCount === 1 ? 'goes' : 'go'} with it`}>
        <p>
          Sites, repositories with their history, keys and changelogs, for everybody who works on them. To keep a
          project, give it to somebody first:
        </p>
        <ul className={css['projects']} aria-label="Your projects" tabIndex={0}>
          {owned.map((slug) => (
            <li key={slug}>
              <Link className="link" to={paths.members(slug)}>
                {slug}
              </Link>
            </li>
          ))}
          {ownedCount > owned.length ? <li>and {ownedCount - owned.length} more</li> : null}
        </ul>
      </Notice>
      <Checkbox
        name="projects"
        label={`Delete my ${what}, too`}
        checked={isGiven}
        onChange={(event) => onChange(event.target.checked)}
      />
    </>
  )
}
