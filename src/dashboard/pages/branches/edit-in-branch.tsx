import { lazy, Suspense, useState } from 'react'
import { useSearchParams } from 'react-router'
import type { EditChoiceProps } from './edit-choice.tsx'

const EditChoice = lazy(() => import('./edit-choice.tsx').then((module) => ({ default: module.EditChoice })))

/** Asks on which branch to edit when the address has `?edit=` a path. Its code comes with the first time. */
export function EditInBranch(props: EditChoiceProps) {
  const [search] = useSearchParams()
  const isAsked = search.has('edit')
  const [wasAsked, setWasAsked] = useState(isAsked)
  if (isAsked && !wasAsked) setWasAsked(true)
  return wasAsked ? (
    <Suspense>
      <EditChoice {...props} />
    </Suspense>
  ) : null
}
