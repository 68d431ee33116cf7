import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { contract } from '#contract/index.ts'
import { slugFault } from '#contract/patterns.ts'
import type { Project } from '#contract/projects.ts'
import { client } from '../../client.ts'
import { moveNewEntry } from '../../drafts/entry-drafts.ts'
import { paths } from '../../paths.ts'
import { serviceQuery } from '../../queries/account.ts'
import { projectQuery } from '../../queries/projects.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useDialog } from '../../ui/use-dialog.ts'
import css from './settings.module.css'

/** An address of the project as it will be under another slug. */
function renamed(address: string, project: Project, slug: string): string {
  return address
    .replace(`//${project.slug}.`, `//${slug}.`)
    .replace(new RegExp(`/${project.slug}(\\.git)?$`), `/${slug}$1`)
}

/** The slug, which all addresses of the project have in them, and a form for another one. */
export function Rename() {
  const project = useProject()
  const { slug } = project
  const [search] = useSearchParams()
  const [next, setNext] = useState(search.get('rename') ?? slug)
  const [isAsking, setAsking] = useDialog('rename', next)
  const rename = useRename()
  const isNew = next !== slug
  const fault = slugFault(next)
  const isGood = fault === undefined
  const ask = (event: FormEvent): void => {
    event.preventDefault()
    if (isNew && isGood) setAsking(true)
  }
  return (
    <Card>
      <form className={css['line']} aria-label="Slug" onSubmit={ask}>
        <TextField
          name="slug"
          label="Slug"
          value={next}
          onChange={(event) => setNext(event.target.value.trim().toLowerCase())}
          maxLength={63}
          required
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          error={isGood || next === '' ? undefined : `It ${fault}.`}
          hint={
            <>
              The name of the project in its addresses. {isNew ? 'The site will be at ' : 'The site is at '}
              <span className={css['address']}>{renamed(project.url, project, isGood ? next : slug)}</span>
            </>
          }
        />
        <Button type="submit" disabled={!isNew || !isGood}>
          Rename…
        </Button>
      </form>
      <Confirm
        open={isAsking && isNew && isGood}
        onOpenChange={setAsking}
        title={`Rename ${slug} to ${next}?`}
        action="Rename project"
        onConfirm={() => rename(slug, next)}
      >
        <WhatChanges project={project} slug={next} />
      </Confirm>
    </Card>
  )
}

/** Renames, and goes where the project is now. */
function useRename(): (from: string, to: string) => Promise<void> {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const rename = async (from: string, to: string): Promise<void> => {
    const project = await client.call(contract.projects.update, { params: { slug: from }, body: { slug: to } })
    moveNewEntry(from, to)
    queries.setQueryData(projectQuery(to).queryKey, project)
    await navigate(paths.settings(to), { replace: true })
    queries.removeQueries({ queryKey: ['project', from] })
    await queries.invalidateQueries({ queryKey: ['projects'] })
  }
  return async (from, to) => {
    await rename(from, to)
    toast.done(`The project is at ${to} now.`, () => rename(to, from))
  }
}

function WhatChanges({ project, slug }: { readonly project: Project; readonly slug: string }) {
  const days = useQuery(serviceQuery).data?.slugReservedDays
  const addresses = [
    ['Site', project.url],
    ['API', `${location.origin}/api/projects/${project.slug}`],
    ['Git', project.cloneUrl],
  ] as const
  return (
    <div className={css['changes']}>
      <dl>
        {addresses.map(([name, address]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <del>{address}</del> <ins>{renamed(address, project, slug)}</ins>
            </dd>
          </div>
        ))}
      </dl>
      {days === undefined ? null : <p>{keptFor(days)}</p>}
      <p>
        Keys, branches and domains of your own stay as they are. Links that the last deploy wrote (sitemap,{' '}
        <code>llms.txt</code>) change with the next one.
      </p>
    </div>
  )
}

function keptFor(days: number): string {
  if (days === 0) return 'The old addresses end at once, and anybody may take the slug.'
  return (
    `For ${days} days the old addresses go on: sites, previews and feeds redirect, Git works as before, and nobody ` +
    'else can take the slug. Requests that change something through the API need the new one at once.'
  )
}
