import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { useInfiniteQuery, useQuery, type InfiniteData, type UseInfiniteQueryResult } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useLocation, useNavigate, useParams } from 'react-router'
import type { Account } from '../../contract/accounts.ts'
import { entryLimits, type Entry } from '../../contract/changelog.ts'
import { messageOf } from '../client.ts'
import { signOut } from '../queries/account.ts'
import { branchNamesQuery, branchQuery } from '../queries/branches.ts'
import { entriesQuery } from '../queries/changelog.ts'
import { filesQuery } from '../queries/files.ts'
import { projectQuery, projectsQuery } from '../queries/projects.ts'
import { useFurther } from '../ui/more.tsx'
import { useDebounced } from '../ui/use-debounced.ts'
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

/** Names of one list that are fetched, about, for somebody who looks for something. */
const mostNames = 1_000
/** Names that are here are as good for a minute: a list of many pages is not brought anew each time. */
const namesMs = 60_000

/** Entries come with their whole text, and each page of a search counts as one: few of both. */
const entrySearch = { letters: 2, pauseMs: 300, limit: 10, pages: 5 } as const

/** Brings the names of a list that are not here yet, for as long as something is looked for. Returns whether it does. */
function useNames(query: UseInfiniteQueryResult<readonly unknown[]>, isAsked: boolean): boolean {
  const isComing = useFurther(query, isAsked && (query.data?.length ?? 0) < mostNames)
  return isComing || (isAsked && query.isFetching)
}

/** Entries of the changelog with these words, found by the service: until one of them has the words in its title. */
function useFoundEntries(slug: string, words: string) {
  const settled = useDebounced(words, entrySearch.pauseMs)
  const isAsked = slug !== '' && words.length >= entrySearch.letters
  const isSettled = settled.length >= entrySearch.letters
  const query = useInfiniteQuery({
    ...entriesQuery(slug, { find: settled.slice(0, entryLimits.search), limit: entrySearch.limit }),
    enabled: isAsked && isSettled,
    // What was found for fewer letters stays until there is something for these.
    placeholderData: (before) => before,
    // A page may have none: how many were looked at says when it is enough.
    select: ({ pages }: InfiniteData<{ readonly items: readonly Entry[] }>) => ({
      pages: pages.length,
      items: pages.flatMap(({ items }) => items),
    }),
  })
  const { items = [], pages = 0 } = query.data ?? {}
  const entries = isAsked ? items : []
  const isFound = entries.some(({ title }) => title.toLowerCase().includes(settled.toLowerCase()))
  const isWanted = isAsked && isSettled && !isFound
  const isComing = useFurther(query, isWanted && pages < entrySearch.pages)
  const isLooking = isAsked && (settled !== words || isComing || (isWanted && query.isFetching))
  return { entries, isLooking, error: isAsked ? query.error : null }
}

/**
 * What is known of the place where it was opened: of projects and branches the first page, and all of them as soon as
 * something is looked for, with the entries of the changelog; and the files of an open branch.
 */
function useKnown({ account, onHelp }: Pick<PaletteProps, 'account' | 'onHelp'>, words: string) {
  const { slug = '', branch: id = '' } = useParams()
  const { pathname: here } = useLocation()
  const isAsked = words !== ''
  const projects = useInfiniteQuery({ ...projectsQuery, staleTime: namesMs })
  const project = useQuery({ ...projectQuery(slug), enabled: slug !== '' })
  const branches = useInfiniteQuery({ ...branchNamesQuery(slug), staleTime: namesMs, enabled: slug !== '' })
  const found = useFoundEntries(slug, words)
  const waits = [useNames(projects, isAsked), useNames(branches, isAsked), found.isLooking]
  const branch = useQuery({ ...branchQuery(slug, id), enabled: id !== '' })
  const files = useQuery({ ...filesQuery({ slug, id }), enabled: id !== '' })
  const [recent] = useState(() => readRecent(account.id))
  const known: Known = {
    projects: projects.data ?? [],
    project: project.data,
    branches: branches.data ?? [],
    entries: found.entries,
    branch: branch.data,
    files: files.data?.items ?? [],
    recent,
    here,
    acts: { theme: applyTheme, help: onHelp, signOut: () => void signOut().catch(toast.failed) },
  }
  return { known, isLooking: waits.includes(true), error: found.error }
}

function Finder({ account, onClose, onHelp }: Omit<PaletteProps, 'open'>) {
  const navigate = useNavigate()
  const [query, setQuery] = useState('')
  const { known, isLooking, error } = useKnown({ account, onHelp }, query.trim())
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
        {query === '' || isLooking || error === null ? null : ` The changelog was not searched: ${messageOf(error)}`}
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
