import { useMemo } from 'react'
import { mergeTexts } from '#authoring/merge.ts'
import { choicesOf, mergedText, pieceNames } from '#authoring/merge-pieces.ts'
import type { PendingConflict } from '#authoring/pending-conflicts.ts'
import type { Branch } from '#contract/branches.ts'
import type { PendingMerge } from '../../drafts/pending-merge.ts'
import { Button } from '../../ui/button.tsx'
import type { SideWords } from '../../ui/merge-piece.tsx'
import { MergePieces } from '../../ui/merge-pieces.tsx'
import pieceCss from '../../ui/merge-piece.module.css'
import { Notice } from '../../ui/notice.tsx'
import css from './merge.module.css'

interface TextConflictProps {
  readonly branch: Branch
  readonly item: PendingConflict
  readonly pendingMerge: PendingMerge
}

/** A file whose texts are joined: what only one side changed is settled, the rest is decided piece by piece. */
export function TextConflict({ branch, item, pendingMerge }: TextConflictProps) {
  const { conflict, decision, state } = item
  const { path, base, branch: mine = '', main: theirs = '' } = conflict
  const { pieces, names } = useMemo(() => {
    const all = mergeTexts(base, mine, theirs)
    return { pieces: all, names: pieceNames(all.filter((piece) => piece.kind === 'conflict')) }
  }, [base, mine, theirs])
  const isWhole = state === 'settled' && decision !== undefined && 'use' in decision
  const joined = mergedText(pieces, choicesOf(names, item.pieces))
  return (
    <>
      {isWhole ? <p className="soft">The whole file of one side is taken: its pieces are not asked for.</p> : null}
      {joined !== undefined && (state === 'open' || names.length === 0) ? (
        <Notice
          tone="note"
          action={
            <Button size="small" onClick={() => pendingMerge.decidePieces(path, item.pieces.slice(), joined)}>
              Take the joined text
            </Button>
          }
        >
          {names.length === 0
            ? 'Line by line, what both sides did goes together.'
            : 'All pieces are decided. Look at the whole file before you take it.'}
        </Notice>
      ) : null}
      <MergePieces
        {...{ pieces, names }}
        words={sideWords(branch.name)}
        decisions={item.pieces}
        isIdle={isWhole}
        onDecide={(next) => pendingMerge.decidePieces(path, next, mergedText(pieces, choicesOf(names, next)))}
      />
      {joined === undefined || isWhole ? null : (
        <details className={css['result']}>
          <summary>The whole file as it will be</summary>
          <pre className={pieceCss['text']} tabIndex={0} role="group" aria-label={`${path} as it will be`}>
            {joined}
          </pre>
        </details>
      )}
    </>
  )
}

function sideWords(branch: string): SideWords {
  return {
    names: { mine: branch, theirs: 'main' },
    take: { mine: `Use ${branch}`, theirs: 'Use main', both: 'Use both' },
    taken: {
      mine: `as ${branch} has it`,
      theirs: 'as main has it',
      both: `as ${branch} has it, then main`,
    },
  }
}
