import { lazy, Suspense } from 'react'
import { Dialog } from '../../ui/dialog.tsx'
import { Skeleton } from '../../ui/loaded.tsx'
import type { NewPageFormProps } from './new-page-form.tsx'

// With what reads docs.json: when somebody asks for a page.
const NewPageForm = lazy(() => import('./new-page-form.tsx').then((module) => ({ default: module.NewPageForm })))

interface NewPageDialogProps extends NewPageFormProps {
  readonly open: boolean
  readonly onClose: () => void
}

export function NewPageDialog({ open, onClose, ...props }: NewPageDialogProps) {
  return (
    <Dialog open={open} onOpenChange={(next) => (next ? undefined : onClose())} title="New page">
      <Suspense fallback={<Skeleton lines={4} />}>
        <NewPageForm {...props} />
      </Suspense>
    </Dialog>
  )
}
