import { memo, useRef, useState } from 'react'
import type { DiffHunk } from '../../contract/comparisons.ts'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import type { DiffLayout } from './diff-layout.ts'
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
}

/** The changed lines of a file with some around them. */
export const Hunks = memo(function Hunks({ path, hunks, layout }: HunksProps) {
  const [shownRows, setShownRows] = useState(maxRows)
  const rowsOf = layout === 'split' ? splitRows : unifiedRows
  const parts = hunks.map((hunk, index) => ({ gap: gapWords(hunk, index), rows: rowsOf(hunk) }))
  const all = parts.reduce((sum, { rows }) => sum + rows.length, 0)
  let room = shownRows
  return (
    <div className={css['hunks']}>
      {parts.map(({ gap, rows }, index) => {
        const shown = rows.slice(0, Math.max(0, room))
        room -= rows.length
        return shown.length === 0 ? null : (
          <div key={index}>
            {gap === '' ? null : <div className={css['gap']}>{gap}</div>}
            {chunksOf(shown).map((chunk, at) => (
              <Lines
                key={at}
                rows={chunk}
                layout={layout}
                isLong={all > fewRows}
                label={`${path}, part ${index + 1}.${at + 1}`}
              />
            ))}
          </div>
        )
      })}
      {room < 0 ? (
        <div className={css['said']}>
          <Button size="small" onClick={() => setShownRows(shownRows + maxRows)}>
            Show more lines ({(all - shownRows).toLocaleString()})
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

function chunksOf(rows: readonly DiffRow[]): (readonly DiffRow[])[] {
  return Array.from({ length: Math.ceil(rows.length / chunkRows) }, (_, index) =>
    rows.slice(index * chunkRows, (index + 1) * chunkRows),
  )
}

interface LinesProps {
  readonly rows: readonly DiffRow[]
  readonly layout: DiffLayout
  /** Of many: made when it comes near the window. */
  readonly isLong: boolean
  readonly label: string
}

function Lines(props: LinesProps) {
  const { rows, isLong } = props
  const element = useRef<HTMLDivElement>(null)
  const isNear = useNear(element, !isLong)
  const height = `${rows.length * rowHeightRem}rem`
  return (
    <div
      ref={element}
      className={css['chunk']}
      style={isLong ? { contentVisibility: 'auto', containIntrinsicHeight: `auto ${height}` } : undefined}
    >
      {isNear ? <Table {...props} /> : <div style={{ height }} />}
    </div>
  )
}

function Table({ rows, layout, label }: LinesProps) {
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
          <Row key={index} {...row} />
        ))}
      </tbody>
    </table>
  )
}

function UnifiedRow({ old, now }: DiffRow) {
  const line = now?.line ?? old?.line
  return line === undefined ? null : (
    <tr className={css[line.kind]}>
      <td className={css['number']}>{old?.number}</td>
      <td className={css['number']}>{now?.number}</td>
      <Text line={line} />
    </tr>
  )
}

function SplitRow({ old, now }: DiffRow) {
  return (
    <tr>
      <Half side={old} />
      <Half side={now} />
    </tr>
  )
}

function Half({ side }: { readonly side: DiffSide | undefined }) {
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
      <td className={classes(css['number'], css[side.line.kind])}>{side.number}</td>
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
