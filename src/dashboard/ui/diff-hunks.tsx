import { memo, useRef, useState, type FocusEvent, type KeyboardEvent, type MouseEvent } from 'react'
import type { DiffHunk } from '../../contract/comparisons.ts'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import type { DiffLayout } from './diff-layout.ts'
import { spotKey, spotsOf, type DiffSpot, type FileNotes } from './diff-notes.ts'
import { splitRows, unifiedRows, type DiffLine, type DiffRow, type DiffSide } from './diff-rows.ts'
import { useNear } from './near.ts'
import css from './diff.module.css'

/** Rows of a table: one that is far from the window is not made yet, one that is not on the screen costs no layout. */
const chunkRows = 100
/** Rows of a file that are shown unasked, and that each press adds: more at once hold a browser up. */
const maxRows = 1_500
/** Fewer cost so little that they are made at once. */
const fewRows = 300
const rowHeightRem = 1.45

interface HunksProps {
  /** Name of the file, for screen readers. */
  readonly path: string
  readonly hunks: readonly DiffHunk[]
  readonly layout: DiffLayout
  readonly notes?: FileNotes | undefined
}

/** The changed lines of a file with some around them. */
export const Hunks = memo(function Hunks({ path, hunks, layout, notes }: HunksProps) {
  const [shownRows, setShownRows] = useState(maxRows)
  const rowsOf = layout === 'split' ? splitRows : unifiedRows
  const parts = hunks.map((hunk, index) => ({ gap: gapWords(hunk, index), rows: rowsOf(hunk) }))
  const noted = (row: DiffRow): boolean => notes !== undefined && notes.lines.size > 0 && notesOf(row, notes).length > 0
  const flat = parts.flatMap(({ rows }) => rows)
  const all = flat.length
  const shownNow = Math.max(shownRows, flat.findLastIndex(noted) + 1)
  let room = shownNow
  return (
    <div className={css['hunks']} {...(notes?.onLine === undefined ? {} : lineHandlers(flat, notes.onLine))}>
      {parts.map(({ gap, rows }, index) => {
        const shown = rows.slice(0, Math.max(0, room))
        room -= rows.length
        return shown.length === 0 ? null : (
          <div key={index}>
            {gap === '' ? null : <div className={css['gap']}>{gap}</div>}
            {chunksOf(shown, noted).map(({ first, rows: chunk }, at) => (
              <Lines
                key={first}
                rows={chunk}
                layout={layout}
                isLong={all > fewRows}
                label={`${path}, part ${index + 1}.${at + 1}`}
                notes={notes}
                isFirst={index === 0 && first === 0}
              />
            ))}
          </div>
        )
      })}
      {room < 0 ? (
        <div className={css['said']}>
          <Button size="small" onClick={() => setShownRows(shownNow + maxRows)}>
            Show more lines ({(all - shownNow).toLocaleString()})
          </Button>
        </div>
      ) : null}
    </div>
  )
})

/** What stands between two hunks: where the next begins. */
function gapWords({ newStart, newLines, oldStart }: DiffHunk, index: number): string {
  const first = newLines === 0 ? oldStart : newStart
  return index === 0 && first <= 1 ? '' : `Line ${first.toLocaleString()}`
}

interface Chunk {
  /** Place of its first row in the hunk. */
  readonly first: number
  readonly rows: readonly DiffRow[]
}

/** A row below which something is said is the last of its chunk. */
function chunksOf(rows: readonly DiffRow[], isNoted: (row: DiffRow) => boolean): readonly Chunk[] {
  const chunks: Chunk[] = []
  let first = 0
  rows.forEach((row, index) => {
    if (index + 1 - first < chunkRows && index + 1 < rows.length && !isNoted(row)) return
    chunks.push({ first, rows: rows.slice(first, index + 1) })
    first = index + 1
  })
  return chunks
}

function notesOf(row: DiffRow, { lines }: FileNotes) {
  return spotsOf(row).flatMap((spot) => lines.get(spotKey(spot)) ?? [])
}

/** One stop for the Tab key in each file: arrows go from number to number. */
function lineHandlers(rows: readonly DiffRow[], onLine: (spot: DiffSpot) => void) {
  const buttonOf = ({ target }: { readonly target: EventTarget }): HTMLElement | null =>
    (target as Element).closest('[data-spot]')
  return {
    onClick: (event: MouseEvent) => {
      const key = buttonOf(event)?.dataset['spot']
      const spot = rows.flatMap(spotsOf).find((each) => spotKey(each) === key)
      if (spot !== undefined) onLine(spot)
    },
    onFocus: (event: FocusEvent) => {
      const button = buttonOf(event)
      if (button === null) return
      for (const other of event.currentTarget.querySelectorAll('[data-spot][tabindex="0"]'))
        other.setAttribute('tabindex', '-1')
      button.setAttribute('tabindex', '0')
    },
    onKeyDown: (event: KeyboardEvent) => {
      const button = buttonOf(event)
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
      if (button === null) return
      const isBeside = event.key === 'ArrowLeft' || event.key === 'ArrowRight'
      if (step === undefined && !isBeside) return
      event.preventDefault()
      const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-spot]')]
      const inRow = [...(button.closest('tr')?.querySelectorAll<HTMLElement>('[data-spot]') ?? [])]
      const side = button.dataset['spot']?.split(' ')[0] ?? ''
      // Side by side, up and down stay on one side.
      const column =
        button.closest(`.${css['split']}`) === null ? all : all.filter((each) => each.dataset['spot']?.startsWith(side))
      const next =
        step === undefined ? inRow.at(event.key === 'ArrowLeft' ? 0 : -1) : column[column.indexOf(button) + step]
      next?.focus()
    },
  }
}

interface LinesProps {
  readonly rows: readonly DiffRow[]
  readonly layout: DiffLayout
  /** Of many: made when it comes near the window. */
  readonly isLong: boolean
  readonly label: string
  readonly notes: FileNotes | undefined
  /** Of the file: where the Tab key stops first. */
  readonly isFirst: boolean
}

function Lines(props: LinesProps) {
  const { rows, isLong, notes } = props
  const last = rows.at(-1)
  const said = notes === undefined || last === undefined ? [] : notesOf(last, notes)
  const element = useRef<HTMLDivElement>(null)
  const isNear = useNear(element, !isLong)
  const height = `${rows.length * rowHeightRem}rem`
  return (
    <>
      <div
        ref={element}
        className={css['chunk']}
        style={isLong ? { contentVisibility: 'auto', containIntrinsicHeight: `auto ${height}` } : undefined}
      >
        {isNear || said.length > 0 ? <Table {...props} /> : <div style={{ height }} />}
      </div>
      {said}
    </>
  )
}

function Table({ rows, layout, label, notes, isFirst }: LinesProps) {
  const Row = layout === 'split' ? SplitRow : UnifiedRow
  return (
    <table className={classes(css['lines'], css[layout])} aria-label={label}>
      <colgroup>
        <col className={css['numbers']} />
        {layout === 'split' ? <col /> : null}
        <col className={css['numbers']} />
        <col />
      </colgroup>
      <thead className="visually-hidden">
        <tr>
          <th scope="col">Line before</th>
          {layout === 'split' ? <th scope="col">Text before</th> : null}
          <th scope="col">Line now</th>
          <th scope="col">{layout === 'split' ? 'Text now' : 'Text'}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <Row key={index} {...row} canAsk={notes?.onLine !== undefined} isFirst={isFirst && index === 0} />
        ))}
      </tbody>
    </table>
  )
}

interface RowProps extends DiffRow {
  /** Its numbers are buttons. */
  readonly canAsk: boolean
  readonly isFirst: boolean
}

function UnifiedRow({ old, now, canAsk, isFirst }: RowProps) {
  const line = now?.line ?? old?.line
  return line === undefined ? null : (
    <tr className={css[line.kind]}>
      <td className={css['number']}>
        <LineNumber side={old} of="main" canAsk={canAsk && now === undefined} isFirst={isFirst} />
      </td>
      <td className={css['number']}>
        <LineNumber side={now} of="branch" {...{ canAsk, isFirst }} />
      </td>
      <Text line={line} />
    </tr>
  )
}

function SplitRow({ old, now, canAsk, isFirst }: RowProps) {
  return (
    <tr>
      <Half side={old} of="main" canAsk={canAsk} isFirst={isFirst && now === undefined} />
      <Half side={now} of="branch" {...{ canAsk, isFirst }} />
    </tr>
  )
}

interface LineProps extends Pick<RowProps, 'canAsk' | 'isFirst'> {
  readonly side: DiffSide | undefined
  readonly of: DiffSpot['side']
}

/** The number of a line; a button where something can be said of it. */
function LineNumber({ side, of, canAsk, isFirst }: LineProps) {
  if (side === undefined || !canAsk) return side?.number
  const { number } = side
  return (
    <button
      type="button"
      className={css['spot']}
      data-spot={spotKey({ side: of, number })}
      tabIndex={isFirst ? 0 : -1}
      aria-label={of === 'main' ? `Comment on line ${number} of main` : `Comment on line ${number}`}
    >
      {number}
    </button>
  )
}

function Half(props: LineProps) {
  const { side } = props
  if (side === undefined) {
    return (
      <>
        <td className={css['none']} />
        <td className={css['none']} />
      </>
    )
  }
  return (
    <>
      <td className={classes(css['number'], css[side.line.kind])}>
        <LineNumber {...props} />
      </td>
      <Text line={side.line} className={css[side.line.kind]} />
    </>
  )
}

const signs = { context: ' ', added: '+', deleted: '−' } as const

function Text({ line, className }: { readonly line: DiffLine; readonly className?: string | undefined }) {
  const Word = line.kind === 'added' ? 'ins' : 'del'
  return (
    <td className={classes(css['text'], className)}>
      <span className={css['sign']}>{signs[line.kind]}</span>
      {line.words === undefined
        ? line.text
        : line.words.map(({ text, changed }, index) => (changed ? <Word key={index}>{text}</Word> : text))}
      {line.unterminated === true ? <span className={css['end']}> (no line feed at the end)</span> : null}
    </td>
  )
}
