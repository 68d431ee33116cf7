import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { branchNameOf, branchNameTrouble } from '#authoring/branch-name.ts'
import type { Branch, BranchChange } from '#contract/branches.ts'
import { paths, type Spot } from '../../paths.ts'
import { branchesKey, branchesQuery, branchQuery, createBranch, removeBranch } from '../../queries/branches.ts'
import { commitFiles, type BranchRef } from '../../queries/files.ts'
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

interface NewBranchFormProps {
  /** Name that it has until another one is typed. */
  readonly suggested?: string
  /** Opened in the editor. */
  readonly spot?: Spot | undefined
  /** What it begins with, beside the files of main. Absent: nothing, and it may begin as a copy of another branch. */
  readonly changes?: (() => Promise<BranchChange[]>) | undefined
  readonly onCancel: () => void
}

export function NewBranchForm({ suggested = '', spot, changes, onCancel }: NewBranchFormProps) {
  const { slug } = useProject()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const known = useInfiniteQuery(branchesQuery(slug))
  const others: readonly Branch[] = known.data ?? []
  const names = others.map((branch) => branch.name)
  const [edited, setEdited] = useState<string>()
  const typed = edited ?? freeName(suggested, names)
  const name = branchNameOf(typed)
  const trouble = name === '' ? undefined : branchNameTrouble(name, names)
  return (
    <Form
      onSubmit={async ({ text }) => {
        const from = text('from')
        const first = await changes?.()
        const branch = await createBranch(slug, { name, ...(from === '' ? {} : { from }) })
        if (first !== undefined && first.length > 0) await begin({ slug, id: branch.id }, first)
        queries.setQueryData(branchQuery(slug, branch.id).queryKey, branch)
        void queries.invalidateQueries({ queryKey: branchesKey(slug) })
        // Back leads to the list, not to this form again.
        void navigate(spot ? paths.editorAt(slug, branch.id, spot) : paths.editor(slug, branch.id), { replace: true })
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
            onChange={(event) => setEdited(event.target.value)}
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
          {changes === undefined ? (
            <SelectField name="from" label="Begins as a copy of" defaultValue="">
              <option value="">main, what readers see</option>
              {others.map((branch) => (
                <option key={branch.id} value={branch.id}>
                  {branch.name}
                </option>
              ))}
            </SelectField>
          ) : null}
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

/** The name, or the first of `name-2`, `name-3`, … that no branch has. */
function freeName(name: string, names: readonly string[]): string {
  if (!names.includes(name)) return name
  let number = 2
  while (names.includes(`${name}-${number}`)) number++
  return `${name}-${number}`
}

/** Saves what a new branch begins with; one that did not get it is not left behind. */
async function begin(branchRef: BranchRef, changes: BranchChange[]): Promise<void> {
  try {
    await commitFiles(branchRef, 'Files of a deploy that did not go live', changes)
  } catch (error) {
    await removeBranch(branchRef.slug, branchRef.id)
    throw error
  }
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
