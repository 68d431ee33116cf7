import { useMutation } from '@tanstack/react-query'
import { RotateCcw, Undo2 } from 'lucide-react'
import { useDeferredValue, type ReactNode } from 'react'
import type { AssistantTurn } from '#contract/assistant.ts'
import { isFailure, messageOf } from '../../client.ts'
import { undoTurn } from '../../queries/assistant.ts'
import type { BranchRef } from '../../queries/files.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Problems } from '../../ui/problems.tsx'
import { toast } from '../../ui/toasts.tsx'
import { count } from '../../ui/words.ts'
import { Answer } from './answer.tsx'
import { Steps } from './steps.tsx'
import { TurnChanges } from './turn-changes.tsx'
import type { UnderWay } from './branch-assistant.ts'
import css from './assistant.module.css'

/** Of a build that failed. */
const maxShownProblems = 10

function Question({ children }: { readonly children: string }) {
  return (
    <div className={css['question']}>
      <span className="visually-hidden">You asked: </span>
      {children}
    </div>
  )
}

/** A question whose answer is being written. */
export function TurnUnderWay({ underWay }: { readonly underWay: UnderWay }) {
  // Reading Markdown anew for each word must not hold up what is typed meanwhile.
  const answer = useDeferredValue(underWay.answer)
  return (
    <article className={css['turn']} aria-label={underWay.question}>
      <Question>{underWay.question}</Question>
      <Steps steps={underWay.steps} isUnderWay />
      {answer === '' ? null : <Answer>{answer}</Answer>}
      <p className={css['working']}>
        <Badge tone="note" pulse>
          {underWay.isStopping ? 'Stopping' : 'Working'}
        </Badge>
      </p>
    </article>
  )
}

interface TurnProps {
  readonly branchRef: BranchRef
  readonly conversation: string
  readonly turn: AssistantTurn
  readonly onOpen: (path: string) => void
  /** Absent: not now. */
  readonly onAskAgain?: ((question: string) => void) | undefined
}

/** A question with what came of it. */
export function Turn({ branchRef, conversation, turn, onOpen, onAskAgain }: TurnProps) {
  const { question, answer, steps, status, commit } = turn
  return (
    <article className={css['turn']} aria-label={question}>
      <Question>{question}</Question>
      <Steps steps={steps} isUnderWay={status === 'running'} />
      {answer === '' ? null : <Answer>{answer}</Answer>}
      {commit === undefined ? null : <Changed {...{ branchRef, conversation, onOpen }} turn={{ ...turn, commit }} />}
      <Ending turn={turn}>
        {onAskAgain === undefined ? null : (
          <Button size="small" icon={RotateCcw} onClick={() => onAskAgain(question)}>
            Ask again
          </Button>
        )}
      </Ending>
    </article>
  )
}

/** How it ended, where it did not end well. */
function Ending({ turn, children }: { readonly turn: AssistantTurn; readonly children: ReactNode }) {
  const { status, problem, steps } = turn
  if (status === 'running') {
    return (
      <p className={css['working']}>
        <Badge tone="note" pulse>
          Still working
        </Badge>
        <span className="soft">What it did is shown when it has ended.</span>
      </p>
    )
  }
  if (status === 'cancelled') {
    return (
      <Notice tone="note" action={children}>
        Stopped{steps.length === 0 ? '' : ` after ${count(steps.length, 'step')}`}. Nothing was changed on the branch.
      </Notice>
    )
  }
  if (problem === undefined) return null
  const errors = problem.errors ?? []
  const words = [problem.detail, problem.hint].filter((text) => text !== undefined).join(' ')
  if (status === 'done') return <Notice tone="warning">{words}</Notice>
  return (
    <Notice tone="danger" title="Nothing was changed on the branch." action={children}>
      {words}
      <Problems severity="error" items={errors.slice(0, maxShownProblems)} total={errors.length} />
    </Notice>
  )
}

type ChangedProps = Omit<TurnProps, 'onAskAgain'> & { readonly turn: { readonly commit: string } }

function Changed({ branchRef, conversation, turn, onOpen }: ChangedProps) {
  const undo = useMutation({
    mutationFn: () => undoTurn(branchRef, conversation, turn.id),
    onSuccess: () => toast.done('What the assistant changed is taken back.'),
  })
  return (
    <section className={css['changed']} aria-label="Changes">
      <header>
        <h3>{turn.undone === undefined ? `Changed ${count(turn.files.length, 'file')}` : 'Taken back'}</h3>
        {turn.undone === undefined ? (
          <Button size="small" icon={Undo2} busy={undo.isPending} onClick={() => undo.mutate()}>
            Undo
          </Button>
        ) : null}
      </header>
      {undo.error === null ? null : (
        <Notice tone="danger">
          {isFailure(undo.error, 'stale_file')
            ? 'These files have changed since, and undoing would lose that. Restore what you need from their history.'
            : messageOf(undo.error)}
        </Notice>
      )}
      <TurnChanges {...{ branchRef, turn, onOpen }} />
    </section>
  )
}
