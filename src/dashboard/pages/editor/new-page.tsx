import { lazy, Suspense } from 'react'
import type { ProjectFile } from '../../../contract/files.ts'
import type { Place } from '../../queries/files.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Skeleton } from '../../ui/loaded.tsx'

// With what reads docs.json: when somebody asks for a page.
const NewPageForm = lazy(() => import('./new-page-form.tsx').then((module) => ({ default: module.NewPageForm })))

export interface NewPageProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly place: Place
  readonly files: readonly ProjectFile[]
  /** Where it is suggested; empty, or with a slash at its end. */
  readonly folder: string
  readonly onMade: (path: string) => void
}

export function NewPageDialog(props: NewPageProps) {
  return (
    <Dialog open={props.open} onOpenChange={(next) => (next ? undefined : props.onClose())} title="New page">
      <Suspense fallback={<Skeleton lines={4} />}>
        <NewPageForm {...props} />
      </Suspense>
    </Dialog>
  )
}
