import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router'
import type { AuditEntry } from '#contract/audit.ts'
import { keysQuery } from '../../queries/keys.ts'
import { membersQuery } from '../../queries/members.ts'
import { LinkButton } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { searchWith } from '../../ui/search-params.ts'
import { actorName } from './sentences.ts'
import css from './activity.module.css'

/** Nouns of the log, as people call them. */
const nouns = [
  ['deploys', 'Deploys and rollbacks'],
  ['branches', 'Branches, saves and publishes'],
  ['comments', 'Comments'],
  ['git', 'Pushes'],
  ['assistant', 'The assistant'],
  ['changelog', 'The changelog'],
  ['members', 'Members'],
  ['invitations', 'Invitations'],
  ['accounts', 'Accounts'],
  ['keys', 'API keys'],
  ['webhooks', 'Webhooks'],
  ['domains', 'Domains'],
  ['visibility', 'Who can see the site'],
  ['projects', 'The project'],
  ['admin', 'The operator’s doings'],
] as const

interface FiltersProps {
  readonly slug: string
  /** What is listed: it names who is not a member any more. */
  readonly seen: readonly AuditEntry[]
}

export function ActivityFilters({ slug, seen }: FiltersProps) {
  const [search, setSearch] = useSearchParams()
  const set = (name: string, value: string): void =>
    setSearch((before) => searchWith(before, { [name]: value }), {
      // Of a year that is being typed, each digit is a date.
      replace: search.get(name)?.startsWith('0') ?? false,
    })
  const value = (name: string): string => search.get(name) ?? ''
  return (
    <div className={css['filters']} role="search" aria-label="Filter the activity">
      <SelectField label="Who" name="who" value={value('who')} onChange={(event) => set('who', event.target.value)}>
        <option value="">Everybody</option>
        {useActors(slug, seen, value('who')).map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <SelectField label="What" name="what" value={value('what')} onChange={(event) => set('what', event.target.value)}>
        <option value="">Everything</option>
        {nouns.map(([noun, name]) => (
          <option key={noun} value={noun}>
            {name}
          </option>
        ))}
      </SelectField>
      <DayField label="From" name="from" max={value('to')} value={value('from')} onChange={(day) => set('from', day)} />
      <DayField label="To" name="to" min={value('from')} value={value('to')} onChange={(day) => set('to', day)} />
      {search.size === 0 ? null : (
        <LinkButton look="ghost" to="?">
          Show everything
        </LinkButton>
      )}
    </div>
  )
}

interface DayFieldProps {
  readonly label: string
  readonly name: string
  readonly min?: string
  readonly max?: string
  readonly value: string
  readonly onChange: (day: string) => void
}

/** Keeps what is being typed: set to the day of the address, which comes a moment later, it would lose the digits since. */
function DayField({ value, onChange, ...rest }: DayFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  const told = useRef<string[]>([])
  useEffect(() => {
    const at = told.current.indexOf(value)
    if (at !== -1) told.current.splice(0, at + 1)
    else if (field.current !== null) field.current.value = value
  }, [value])
  return (
    <TextField
      {...rest}
      ref={field}
      type="date"
      defaultValue={value}
      onChange={({ target }) => {
        told.current.push(target.value)
        onChange(target.value)
      }}
    />
  )
}

/** Members and the newest keys, who else is listed, and who is asked for. */
function useActors(slug: string, seen: readonly AuditEntry[], asked: string): readonly (readonly [string, string])[] {
  const members = useQuery(membersQuery(slug)).data?.items ?? []
  const keys = useInfiniteQuery(keysQuery(slug)).data ?? []
  const names = new Map([
    ...members.map(({ id, name }) => [id, name] as const),
    ...keys.map(({ id, name }) => [id, `Key ${name}`] as const),
  ])
  for (const { actor } of seen) if (!names.has(actor.id)) names.set(actor.id, actorName(actor))
  if (asked !== '' && !names.has(asked)) names.set(asked, asked)
  return [...names]
}
