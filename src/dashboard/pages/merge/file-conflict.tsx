import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { canMerge, textsOf, unrepeated, type Decision, type PendingConflict } from '#authoring/pending-conflicts.ts'
import type { Branch, Conflict } from '#contract/branches.ts'
import { conflictReasons } from '#contract/comparisons.ts'
import type { PendingMerge } from '../../drafts/pending-merge.ts'
import { paths } from '../../paths.ts'
import { branchFileAtQuery, mainFileQuery } from '../../queries/branches.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Snippet } from '../../ui/copy.tsx'
import { ImageSide, imageType } from '../../ui/diff-image.tsx'
import pieceCss from '../../ui/merge-piece.module.css'
import { Notice } from '../../ui/notice.tsx'
import { TextConflict } from './text-conflict.tsx'
import css from './merge.module.css'

/** Characters of a side that are shown. */
const maxShownLength = 20_000

interface FileConflictProps {
  readonly branch: Branch
  readonly item: PendingConflict
  readonly pendingMerge: PendingMerge
}

/** One file in conflict: piece by piece where both sides are texts, else as a whole. */
export function FileConflict({ branch, item, pendingMerge }: FileConflictProps) {
  const { conflict, state, decision } = item
  const { path, oldPath, type } = conflict
  if (state === 'gone') return <Gone branch={branch} item={item} />
  return (
    <article className={css['file']} aria-label={path}>
      <header>
        <h3>{path}</h3>
        <p className="soft">
          {conflictReasons[type]}
          {oldPath === undefined ? null : ` It was ${oldPath} before.`}
        </p>
      </header>
      {state === 'open' && decision !== undefined ? (
        <Returned decision={decision} branch={branch} conflict={conflict} pendingMerge={pendingMerge} />
      ) : null}
      {canMerge(conflict) ? (
        <TextConflict branch={branch} item={item} pendingMerge={pendingMerge} />
      ) : (
        <Sides branch={branch} conflict={conflict} />
      )}
      <Whole branch={branch} item={item} pendingMerge={pendingMerge} />
    </article>
  )
}

/**
 * Main or the branch moved after it was settled. A side is taken again by a press; a text that was made of both would undo
 * what has changed since, so that its pieces are joined anew.
 */
function Returned({
  decision,
  branch,
  conflict,
  pendingMerge,
}: {
  readonly decision: Decision
  readonly branch: Branch
  readonly conflict: Conflict
  readonly pendingMerge: PendingMerge
}) {
  const title = 'The file has changed since you settled it'
  if ('content' in decision) {
    return (
      <>
        <Notice tone="warning" title={title}>
          {canMerge(conflict)
            ? 'Pieces whose lines are the same are decided as before. Look at the whole file as it will be now.'
            : 'Your text was made of what it was. Copy it if you still need it, and decide anew.'}
        </Notice>
        {canMerge(conflict) ? null : <Snippet label="your text">{decision.content}</Snippet>}
      </>
    )
  }
  return (
    <Notice
      tone="warning"
      title={title}
      action={
        <Button size="small" onClick={() => pendingMerge.decide(conflict.path, decision)}>
          Decide as before
        </Button>
      }
    >
      You decided: {sideWords(conflict, decision.use, branch)}. Look at both sides again.
    </Notice>
  )
}

/** What taking a side does. */
function sideWords({ oids }: Conflict, side: 'main' | 'branch', { name }: Branch): string {
  const whose = side === 'main' ? 'main' : name
  return oids[side] === undefined ? `delete it, as ${whose} did` : `use the file of ${whose}`
}

/** The choice of a whole side, and what was chosen. */
function Whole({ branch, item: { conflict, state, decision }, pendingMerge }: FileConflictProps) {
  const used = state === 'settled' && decision !== undefined && 'use' in decision ? decision.use : undefined
  const use = (side: 'branch' | 'main'): void =>
    used === side ? pendingMerge.reopen(conflict.path) : pendingMerge.decide(conflict.path, { use: side })
  return (
    <div className={css['whole']} role="group" aria-label="Whole file">
      <span>{canMerge(conflict) ? 'Or take a whole file:' : 'Decide:'}</span>
      {(['branch', 'main'] as const).map((side) => (
        <Button
          key={side}
          size="small"
          aria-pressed={used === side}
          className={pieceCss['choice']}
          onClick={() => use(side)}
        >
          {capital(sideWords(conflict, side, branch))}
        </Button>
      ))}
    </div>
  )
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** What each side has, where it cannot be joined. */
function Sides({ branch, conflict }: { readonly branch: Branch; readonly conflict: Conflict }) {
  const { slug } = useProject()
  const isImage = conflict.omitted === 'binary' && imageType(conflict.path) !== undefined
  const mine = useQuery({
    ...branchFileAtQuery(slug, branch.id, conflict.path, branch.head),
    enabled: isImage && conflict.oids.branch !== undefined,
  })
  const theirs = useQuery({
    ...mainFileQuery(slug, conflict.path, conflict.oids.main ?? ''),
    enabled: isImage && conflict.oids.main !== undefined,
  })
  const sides = [
    ['branch', branch.name, mine],
    ['main', 'main', theirs],
  ] as const
  return (
    <div className={pieceCss['sides']}>
      {sides.map(([side, name, query]) =>
        isImage && conflict.oids[side] !== undefined ? (
          <ImageSide key={side} title={name} path={conflict.path} query={query} />
        ) : (
          <div key={side} className={pieceCss['side']}>
            <h4>{name}</h4>
            <SideText conflict={conflict} side={side} name={name} />
          </div>
        ),
      )}
      {conflict.omitted === 'large' ? (
        <p>
          <Link className="link" to={`${paths.changes(slug, branch.id)}?path=${encodeURIComponent(conflict.path)}`}>
            What {branch.name} changed in it
          </Link>
        </p>
      ) : null}
    </div>
  )
}

interface SideTextProps {
  readonly conflict: Conflict
  readonly side: 'branch' | 'main'
  readonly name: string
}

function SideText({ conflict, side, name }: SideTextProps) {
  const text = conflict[side]
  if (conflict.oids[side] === undefined) return <p className="soft">There is no such file.</p>
  if (conflict.omitted === 'binary') return <p className="soft">It is not text.</p>
  if (text === undefined) return <p className="soft">It is too large to be shown here.</p>
  if (text === '') return <p className="soft">It is empty.</p>
  return (
    <pre className={pieceCss['text']} tabIndex={0} role="group" aria-label={`Text of ${name}`}>
      {text.slice(0, maxShownLength)}
      {text.length > maxShownLength ? '\n…' : ''}
    </pre>
  )
}

/** There is no conflict any more, so that what somebody decided or wrote for it has no place. */
function Gone({ branch, item }: { readonly branch: Branch; readonly item: PendingConflict }) {
  const { slug } = useProject()
  const { conflict, decision } = item
  const texts = unrepeated(textsOf(item))
  return (
    <article className={css['file']} aria-label={conflict.path}>
      <header>
        <h3>{conflict.path}</h3>
        <p className="soft">
          {texts.length > 0
            ? 'It is in no conflict any more, so what you wrote for it is not used. Copy it if you still need it.'
            : `It is in no conflict any more: main or ${branch.name} has changed, and both go together.`}
        </p>
      </header>
      {decision !== undefined && 'use' in decision ? (
        <Notice
          tone="warning"
          title="What you decided is not used"
          action={
            <LinkButton size="small" to={`${paths.changes(slug, branch.id)}?path=${encodeURIComponent(conflict.path)}`}>
              Look at the changes
            </LinkButton>
          }
        >
          You decided: {sideWords(conflict, decision.use, branch)}. See what {branch.name} would make of it before you
          go on.
        </Notice>
      ) : null}
      {texts.map((text) => (
        <Snippet key={text} label="your text">
          {text}
        </Snippet>
      ))}
    </article>
  )
}
