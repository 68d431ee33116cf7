import { useQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import type { CommitComparison, DiffHunk, FileDiff } from '../../contract/comparisons.ts'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import { Hunks } from './diff-hunks.tsx'
import { ImageDiff, imageType } from './diff-image.tsx'
import type { DiffLayout } from './diff-layout.ts'
import type { DiffNotes } from './diff-notes.ts'
import type { ContentQuery, FileQuery } from './diff-queries.ts'
import { lineCounts } from './diff-rows.ts'
import { Loaded } from './loaded.tsx'
import { useNear } from './near.ts'
import css from './diff.module.css'

export interface FileProps {
  readonly file: FileDiff
  readonly comparison: CommitComparison
  readonly layout: DiffLayout
  readonly fileQuery: FileQuery
  readonly contentQuery: ContentQuery
  /** Links and buttons at the end of its head. */
  readonly actions?: ((file: FileDiff) => ReactNode) | undefined
  /** What the page says of its lines. */
  readonly notes?: DiffNotes | undefined
  /** The address asks for it: it comes into view. */
  readonly isAsked: boolean
}

export const marks = {
  added: ['A', 'Added'],
  modified: ['M', 'Changed'],
  deleted: ['D', 'Deleted'],
  renamed: ['R', 'Renamed'],
} as const

/** What became of a file: one letter in its colour, the word for who does not see it. */
export function Mark({ status }: { readonly status: FileDiff['status'] }) {
  const [letter, word] = marks[status]
  return (
    <span className={classes(css['mark'], css[`is-${status}`])} title={word}>
      <span aria-hidden>{letter}</span>
      <span className="visually-hidden">{word}</span>
    </span>
  )
}

export function LineCounts({ file }: { readonly file: FileDiff }) {
  if (file.binary || file.truncated) return null
  const { added, deleted } = lineCounts(file.hunks)
  return (
    <span className={css['counts']}>
      {added === 0 ? null : <span className={css['is-added']}>+{added.toLocaleString()}</span>}
      {deleted === 0 ? null : <span className={css['is-deleted']}>−{deleted.toLocaleString()}</span>}
      <span className="visually-hidden">lines</span>
    </span>
  )
}

/** One file of a diff. What is far from the window is not made yet: there may be thousands. */
export function DiffFile(props: FileProps) {
  const { file, actions, isAsked, notes } = props
  const [isOpen, setIsOpen] = useState(true)
  const element = useRef<HTMLElement>(null)
  const isNear = useNear(element, isAsked) || notes?.asked === file.path
  useEffect(() => {
    if (isAsked) element.current?.scrollIntoView({ block: 'start' })
  }, [isAsked])
  const name = file.oldPath === undefined ? file.path : `${file.oldPath} → ${file.path}`
  return (
    <article ref={element} className={classes(css['file'], isAsked && css['asked'])} aria-label={file.path}>
      <header className={css['fileHead']}>
        <h3>
          <button type="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            <ChevronRight aria-hidden className={classes(css['chevron'], isOpen && css['open'])} />
            <Mark status={file.status} />
            <span>{name}</span>
          </button>
        </h3>
        <LineCounts file={file} />
        {actions === undefined ? null : <span className={css['fileActions']}>{actions(file)}</span>}
      </header>
      {isOpen ? isNear ? <Body {...props} /> : <div style={{ height: `${placeholderRem(file)}rem` }} /> : null}
    </article>
  )
}

/** About as high as what is to come, so that the scroll bar does not jump. */
function placeholderRem({ hunks }: FileDiff): number {
  const rows = hunks.reduce((sum, { lines }) => sum + lines.length, 0)
  return Math.min(1_500, Math.max(3, rows)) * 1.45
}

function Body({ file, comparison, layout: chosen, fileQuery, contentQuery, notes }: FileProps) {
  // What has one side only would stand beside nothing.
  const layout = file.oldOid === undefined || file.oid === undefined ? 'unified' : chosen
  const lines = <Annotated {...{ file, layout, notes }} hunks={file.hunks} />
  const isImage = imageType(file.path) !== undefined
  if (isImage && (file.binary || file.path.endsWith('.svg'))) {
    return (
      <>
        <ImageDiff file={file} base={comparison.base} head={comparison.head} contentQuery={contentQuery} />
        {lines}
      </>
    )
  }
  if (file.truncated) return <Alone {...{ file, layout, fileQuery, notes }} />
  return (
    <>
      {file.binary ? <p className={css['said']}>This file is not text: there are no lines to show.</p> : null}
      {file.binary || file.hunks.length > 0 ? null : <p className={css['said']}>{withoutLines[file.status]}</p>}
      {lines}
    </>
  )
}

interface AnnotatedProps extends Pick<FileProps, 'file' | 'layout' | 'notes'> {
  readonly hunks: readonly DiffHunk[]
}

/** The lines of a file with what the page says of them; of one without lines only that. */
function Annotated({ file, hunks, layout, notes }: AnnotatedProps) {
  const of = notes?.of
  const own = useMemo(() => of?.(file, hunks), [of, file, hunks])
  return (
    <>
      {own?.above}
      {hunks.length === 0 ? null : <Hunks path={file.path} hunks={hunks} layout={layout} notes={own} />}
      {own?.under}
    </>
  )
}

const withoutLines: Readonly<Record<FileDiff['status'], string>> = {
  added: 'An empty file.',
  modified: 'Its content is the same; whether it is executable changed.',
  deleted: 'It was empty.',
  renamed: 'Renamed, with the same content.',
}

/** A file for which the whole diff had no room: its own is fetched when somebody asks. */
function Alone({ file, layout, fileQuery, notes }: Pick<FileProps, 'file' | 'layout' | 'fileQuery' | 'notes'>) {
  const [isWanted, setIsWanted] = useState(false)
  const query = useQuery({ ...fileQuery(file.path), enabled: isWanted })
  if (!isWanted) {
    return (
      <>
        <p className={css['said']}>
          The whole diff is too large to be sent at once.{' '}
          <Button size="small" onClick={() => setIsWanted(true)}>
            Show this file
          </Button>
        </p>
        <Annotated {...{ file, layout, notes }} hunks={[]} />
      </>
    )
  }
  return (
    <Loaded query={query}>
      {({ files }) => {
        const alone = files.find(({ path }) => path === file.path)
        if (alone === undefined) return <p className={css['said']}>It is the same on both sides by now.</p>
        return alone.truncated ? (
          <p className={css['said']}>This file’s changes are too large to be shown. Clone the project to see them.</p>
        ) : (
          <Annotated {...{ file, layout, notes }} hunks={alone.hunks} />
        )
      }}
    </Loaded>
  )
}
