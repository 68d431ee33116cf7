import { Check, CircleX, LoaderCircle } from 'lucide-react'
import type { AssistantStep } from '#contract/assistant.ts'
import { count } from '../../ui/words.ts'
import css from './assistant.module.css'

const words: Readonly<Record<string, string>> = {
  list_files: 'List files',
  read_file: 'Read',
  search_files: 'Search for',
  check_site: 'Check the site',
  write_file: 'Write',
  edit_file: 'Edit',
  delete_file: 'Delete',
  move_file: 'Move',
}

interface StepsProps {
  readonly steps: readonly (Omit<AssistantStep, 'outcome'> & { readonly outcome?: AssistantStep['outcome'] })[]
  /** More may come. */
  readonly isUnderWay: boolean
}

/** What the assistant did on the way to its answer: all of it while it happens, to be unfolded afterwards. */
export function Steps({ steps, isUnderWay }: StepsProps) {
  if (steps.length === 0) return null
  const list = (
    <ol className={css['steps']} aria-label="Steps">
      {steps.map((step) => (
        <li key={step.id}>
          <Outcome outcome={step.outcome} isUnderWay={isUnderWay} />
          <span>
            {words[step.tool] ?? step.tool} <b>{step.about}</b>
            {step.detail === undefined ? null : <span className={css['detail']}> {step.detail}</span>}
          </span>
        </li>
      ))}
    </ol>
  )
  if (isUnderWay) return list
  const failed = steps.filter(({ outcome }) => outcome === 'failed').length
  return (
    <details className={css['fold']}>
      <summary>
        {count(steps.length, 'step')}
        {failed === 0 ? '' : `, ${failed} failed`}
      </summary>
      {list}
    </details>
  )
}

function Outcome({
  outcome,
  isUnderWay,
}: {
  readonly outcome: AssistantStep['outcome'] | undefined
  readonly isUnderWay: boolean
}) {
  const [Icon, name, look] =
    outcome === 'done'
      ? ([Check, 'Done:', css['done']] as const)
      : outcome === 'failed'
        ? ([CircleX, 'Failed:', css['failed']] as const)
        : isUnderWay
          ? ([LoaderCircle, 'Under way:', 'spinning'] as const)
          : ([CircleX, 'Not finished:', css['failed']] as const)
  return (
    <>
      <Icon aria-hidden className={look} />
      <span className="visually-hidden">{name}</span>
    </>
  )
}
