import { Check, CircleAlert, CloudOff, FileX, LoaderCircle, PencilLine, TriangleAlert } from 'lucide-react'
import { useOnline } from '../../shell/connection.tsx'
import { classes } from '../../ui/classes.ts'
import type { OpenFileState } from './open-file-state.ts'
import css from './editor.module.css'

/** What becomes of what is typed, in a word or two. */
export function SaveState({ state }: { readonly state: OpenFileState }) {
  const isOnline = useOnline()
  const [Icon, words, title] = wordsOf(state, isOnline)
  return (
    <span className={classes(css['state'], css[state.status])} role="status" title={title}>
      <Icon aria-hidden className={state.status === 'saving' ? 'spinning' : undefined} />
      <span>{words}</span>
    </span>
  )
}

function wordsOf({ status, kept, problem }: OpenFileState, isOnline: boolean): [typeof Check, string, string] {
  if (status === 'saved') return [Check, 'Saved', 'On the branch']
  if (status === 'deleted') return [FileX, 'Deleted', 'It is not on the branch any more']
  if (status === 'saving') return [LoaderCircle, 'Saving…', 'On its way to the branch']
  if (status === 'conflict') return [TriangleAlert, 'Conflict', 'Somebody changed the same lines']
  if (problem !== undefined) return [CircleAlert, 'Not saved', 'The last save was refused']
  if (kept === 'no') return [TriangleAlert, 'Not kept', 'It is gone with this page. Save it']
  if (!isOnline) return [CloudOff, 'Draft kept in this browser', 'You are offline. Save when you are back']
  if (kept === 'yes') return [PencilLine, 'Draft kept in this browser', 'Save it to bring it to the branch']
  return [PencilLine, 'Changed', 'Being kept in this browser']
}
