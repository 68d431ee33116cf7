import { lazy, Suspense } from 'react'
import { Dialog } from '../../ui/dialog.tsx'
import { Skeleton } from '../../ui/loaded.tsx'
import type { NewPageFormProps } from './new-page-form.tsx'

// With what reads docs.json: when somebody asks for a page.
const NewPageForm = lazy(() => import('./new-page-form.tsx').then((module) => ({ default: module.NewPageForm })))

export function NewPageDialog({ open, ...props }: NewPageFormProps & { readonly open: boolean }) {
  return (
    <Dialog open={open} onOpenChange={(next) => (next ? undefined : props.onClose())} title="New page">
      <Suspense fallback={<Skeleton lines={4} />}>
        <NewPageForm {...props} />
      </Suspense>
    </Dialog>
  )
}
