import { ChevronRight, CircleCheck, CircleDashed, CircleSlash } from 'lucide-react'
import { useState } from 'react'
import type { PendingConflict } from '#authoring/pending-conflicts.ts'
import type { Branch } from '#contract/branches.ts'
import { conflictReasons } from '#contract/comparisons.ts'
import type { PendingMerge } from '../../drafts/pending-merge.ts'
import { usePendingConflicts } from '../../drafts/use-pending-merge.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Notice } from '../../ui/notice.tsx'
import { useSearchParam } from '../../ui/search-params.ts'
import { count } from '../../ui/words.ts'
import { FileConflict } from './file-conflict.tsx'
import css from './merge.module.css'

/** Files that are listed: the rest comes as these are settled, which are the first to make room. */
const maxListedFiles = 200

interface ResolverProps {
  readonly branch: Branch
  readonly pendingMerge: PendingMerge
  /** What comes when all are settled: “Publish”. */
  readonly goOn: string
  readonly busy: boolean
  readonly onGoOn: () => void
}

/** The files that main and a branch changed in ways that do not go together, to be settled one after the other. */
export function Resolver({ branch, pendingMerge, goOn, busy, onGoOn }: ResolverProps) {
  const items = usePendingConflicts(pendingMerge)
  const open = items.filter(({ state }) => state === 'open')
  // Whoever has just settled a file looks at what became of it.
  const [first] = useState(open[0]?.conflict.path)
  const [asked = first, go] = useSearchParam('file')
  const current = items.find(({ conflict }) => conflict.path === asked) ?? open[0] ?? items[0]
  const listed = items.length > maxListedFiles ? [...open, ...items.filter(({ state }) => state !== 'open')] : items
  const next = open.find((item) => item !== current)
  const all = items.filter(({ state }) => state !== 'gone').length
  return (
    <section className={css['resolver']} aria-label="Conflicts">
      <header className={css['head']}>
        <div>
          <h2>
            {open.length === 0
              ? 'All is settled'
              : `${count(open.length, 'file')} of ${all.toLocaleString()} to settle`}
          </h2>
          <p className="soft">
            Main and {branch.name} changed the same places. Choose what stays; nothing changes until you go on, and what
            you decide is kept in this browser.
          </p>
        </div>
        <Button look="primary" busy={busy} disabled={open.length > 0} onClick={onGoOn}>
          {goOn}
        </Button>
      </header>
      {pendingMerge.isKept() ? null : (
        <Notice tone="warning">
          This browser keeps nothing for this page, perhaps because it is full or private: go on before you close the
          tab.
        </Notice>
      )}
      <div className={css['columns']}>
        <nav aria-label="Files in conflict">
          <ul className={css['list']}>
            {listed.slice(0, maxListedFiles).map((item) => (
              <Item key={item.conflict.path} item={item} isCurrent={item === current} onChoose={go} />
            ))}
          </ul>
          {items.length > maxListedFiles ? (
            <p className="soft">and {(items.length - maxListedFiles).toLocaleString()} more</p>
          ) : null}
        </nav>
        {current === undefined ? null : (
          // What is decided while it is on its way would be gone with it.
          <div className={css['current']} inert={busy}>
            <FileConflict key={current.conflict.path} branch={branch} item={current} pendingMerge={pendingMerge} />
            {current.state === 'settled' && next !== undefined ? (
              <div>
                <Button look="primary" onClick={() => go(next.conflict.path)}>
                  Next file
                  <ChevronRight aria-hidden />
                </Button>
              </div>
            ) : null}
          </div>
        )}
      </div>
    </section>
  )
}

const marks = {
  open: [CircleDashed, 'to settle', css['open']],
  settled: [CircleCheck, 'settled', css['settled']],
  gone: [CircleSlash, 'no longer in conflict', css['gone']],
} as const

interface ItemProps {
  readonly item: PendingConflict
  readonly isCurrent: boolean
  readonly onChoose: (path: string) => void
}

function Item({ item: { conflict, state }, isCurrent, onChoose }: ItemProps) {
  const [Icon, words, look] = marks[state]
  return (
    <li>
      <button
        type="button"
        className={classes(css['item'], isCurrent && css['chosen'])}
        aria-current={isCurrent ? 'true' : undefined}
        onClick={() => onChoose(conflict.path)}
      >
        <Icon aria-hidden className={look} />
        <span>
          {conflict.path}
          <small>{state === 'open' ? conflictReasons[conflict.type] : words}</small>
        </span>
        <span className="visually-hidden">, {words}</span>
      </button>
    </li>
  )
}
