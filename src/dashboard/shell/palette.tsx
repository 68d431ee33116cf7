import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { useInfiniteQuery, useQuery, type InfiniteData, type UseInfiniteQueryResult } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { useLocation, useNavigate, useParams } from 'react-router'
import type { Account } from '../../contract/accounts.ts'
import { signOut } from '../queries/account.ts'
import { branchesQuery, branchQuery } from '../queries/branches.ts'
import { entriesQuery } from '../queries/changelog.ts'
import { filesQuery } from '../queries/files.ts'
import { projectQuery, projectsQuery } from '../queries/projects.ts'
import { toast } from '../ui/toasts.tsx'
import { groupsFor, type Group, type Item, type Known } from './palette-items.ts'
import { readRecent } from './recent.ts'
import { applyTheme } from './theme.ts'
import css from './palette.module.css'

interface PaletteProps {
  readonly open: boolean
  readonly account: Account
  readonly onClose: () => void
  readonly onHelp: () => void
}

/** Goes anywhere, and does what can be done from anywhere, by a few letters of its name. */
export function Palette({ open, account, onClose, onHelp }: PaletteProps) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
      <Dialog.Portal>
        <Dialog.Backdrop className={css['backdrop']} />
        <Dialog.Popup className={css['popup']} aria-label="Go to">
          <Finder {...{ account, onClose, onHelp }} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** Pages of one list that are fetched for somebody who looks for something. */
const mostPages = 20

/** Brings the pages of a list that are not here yet, for as long as something is looked for. Returns whether one is under way. */
function useRest(query: Pick<UseInfiniteQueryResult<InfiniteData<unknown>>, RestPart>, isAsked: boolean): boolean {
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query
  const isWanted = isAsked && hasNextPage && !isError && (data?.pages.length ?? 0) < mostPages
  useEffect(() => {
    if (isWanted && !isFetching) void fetchNextPage()
  }, [isWanted, isFetching, fetchNextPage])
  return isWanted || (isAsked && isFetching)
}
type RestPart = 'data' | 'hasNextPage' | 'isFetching' | 'isError' | 'fetchNextPage'

/**
 * What is known of the place where it was opened: of each list the first page, and all of it as soon as something is
 * looked for, with the entries of the changelog; and the files of an open branch.
 */
function useKnown({ account, onHelp }: Pick<PaletteProps, 'account' | 'onHelp'>, isAsked: boolean) {
  const { slug = '', branch: id = '' } = useParams()
  const { pathname: here } = useLocation()
  const projects = useInfiniteQuery(projectsQuery)
  const project = useQuery({ ...projectQuery(slug), enabled: slug !== '' })
  const branches = useInfiniteQuery({ ...branchesQuery(slug), enabled: slug !== '' })
  const entries = useInfiniteQuery({ ...entriesQuery(slug), enabled: slug !== '' && isAsked })
  const waits = [useRest(projects, isAsked), useRest(branches, isAsked), useRest(entries, isAsked)]
  const branch = useQuery({ ...branchQuery(slug, id), enabled: id !== '' })
  const files = useQuery({ ...filesQuery({ slug, id }), enabled: id !== '' })
  const [recent] = useState(() => readRecent(account.id))
  const known: Known = {
    projects: projects.data?.pages.flatMap(({ items }) => items) ?? [],
    project: project.data,
    branches: branches.data?.pages.flatMap(({ items }) => items) ?? [],
    entries: entries.data?.pages.flatMap(({ items }) => items) ?? [],
    branch: branch.data,
    files: files.data?.items ?? [],
    recent,
    here,
    acts: { theme: applyTheme, help: onHelp, signOut: () => void signOut().catch(toast.failed) },
  }
  return { known, isLooking: waits.includes(true) }
}

function Finder({ account, onClose, onHelp }: Omit<PaletteProps, 'open'>) {
  const navigate = useNavigate()
  const [query, setQuery] = useState('')
  const { known, isLooking } = useKnown({ account, onHelp }, query.trim() !== '')
  const groups = useMemo(() => groupsFor(known, query), [known, query])
  const choose = ({ act }: Item): void => {
    onClose()
    if (typeof act === 'string') void navigate(act)
    else act()
  }
  return (
    <Autocomplete.Root<Group>
      open
      inline
      mode="none"
      items={groups}
      value={query}
      onValueChange={(next) => setQuery(next)}
      autoHighlight="always"
      keepHighlight
    >
      <div className={css['field']}>
        <Search aria-hidden />
        <Autocomplete.Input aria-label="Go to" placeholder="Go to a page, branch or file…" />
        <Dialog.Close className={css['close']}>Close</Dialog.Close>
      </div>
      <Autocomplete.Empty className={css['none']}>
        {query === '' ? null : isLooking ? 'Looking…' : `Nothing here is called “${query}”.`}
      </Autocomplete.Empty>
      <Autocomplete.List className={css['list']} aria-label="Results">
        {(group: Group) => (
          <Autocomplete.Group key={group.value} items={group.items}>
            <Autocomplete.GroupLabel className={css['label']}>{group.value}</Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(item: Item) => (
                <Autocomplete.Item key={item.value} value={item} className={css['item']} onClick={() => choose(item)}>
                  <item.icon aria-hidden />
                  <span className={css['name']}>{item.label}</span>
                  <span className={css['about']}>{item.about}</span>
                </Autocomplete.Item>
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  )
}
