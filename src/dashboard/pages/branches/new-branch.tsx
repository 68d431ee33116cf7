import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { branchNameOf, branchNameTrouble } from '../../../authoring/branch-name.ts'
import type { Branch } from '../../../contract/branches.ts'
import { paths } from '../../paths.ts'
import { branchesKey, branchesQuery, branchQuery, createBranch } from '../../queries/branches.ts'
import { usageQuery } from '../../queries/usage.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Form, FormActions } from '../../ui/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Day } from '../../ui/time.tsx'
import { count } from '../../ui/words.ts'

interface NewBranchProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}

/** Names a branch, and opens it in the editor. */
export function NewBranch({ open, onOpenChange }: NewBranchProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="New branch"
      description="A copy of the site to work on. Readers see nothing of it until you publish it."
    >
      <NewBranchForm onCancel={() => onOpenChange(false)} />
    </Dialog>
  )
}

function NewBranchForm({ onCancel }: { readonly onCancel: () => void }) {
  const { slug } = useProject()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const known = useInfiniteQuery(branchesQuery(slug))
  const others: readonly Branch[] = known.data?.pages.flatMap(({ items }) => items) ?? []
  const [typed, setTyped] = useState('')
  const name = branchNameOf(typed)
  const trouble =
    name === ''
      ? undefined
      : branchNameTrouble(
          name,
          others.map((branch) => branch.name),
        )
  return (
    <Form
      onSubmit={async ({ text }) => {
        const from = text('from')
        const branch = await createBranch(slug, { name, ...(from === '' ? {} : { from }) })
        queries.setQueryData(branchQuery(slug, branch.id).queryKey, branch)
        void queries.invalidateQueries({ queryKey: branchesKey(slug) })
        // Back leads to the list, not to this form again.
        void navigate(paths.editor(slug, branch.id), { replace: true })
      }}
    >
      {(busy) => (
        <>
          <TextField
            name="name"
            label="Name"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            required
            autoFocus
            maxLength={200}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            error={trouble}
            hint={
              name !== '' && name !== typed && trouble === undefined ? (
                <>
                  It becomes <code>{name}</code>
                </>
              ) : (
                'What it is about, such as new-pricing. Part of the preview’s address.'
              )
            }
          />
          <SelectField name="from" label="Begins as a copy of" defaultValue="">
            <option value="">main, what readers see</option>
            {others.map((branch) => (
              <option key={branch.id} value={branch.id}>
                {branch.name}
              </option>
            ))}
          </SelectField>
          <Allowance />
          <FormActions>
            <Button type="submit" look="primary" busy={busy} disabled={name === '' || trouble !== undefined}>
              Create branch
            </Button>
            <Button onClick={onCancel}>Cancel</Button>
          </FormActions>
        </>
      )}
    </Form>
  )
}

/** A branch counts as a generation, where the plan limits them. */
function Allowance() {
  const { slug } = useProject()
  const usage = useQuery(usageQuery(slug))
  const generations = usage.data?.generations
  if (generations === undefined || generations.limit === null || generations.remaining === null) return null
  const { limit, remaining, resetsAt } = generations
  const link = (
    <Link className="link" to={paths.usage(slug)}>
      {count(limit, 'generation')} a month
    </Link>
  )
  return remaining === 0 ? (
    <Notice tone="warning">
      A branch counts as a generation, and the plan’s {link} {limit === 1 ? 'is' : 'are'} used. There{' '}
      {limit === 1 ? 'is a new one' : 'are new ones'} on <Day at={resetsAt} />.
    </Notice>
  ) : (
    <p className="soft">
      A branch counts as one of the plan’s {link}; {remaining.toLocaleString()} left.
    </p>
  )
}
