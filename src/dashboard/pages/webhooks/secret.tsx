import type { ReactNode } from 'react'
import { Snippet } from '../../ui/copy.tsx'
import { Notice } from '../../ui/notice.tsx'

/** A new secret, while it can be seen. */
export function Secret({ children, note }: { readonly children: string; readonly note?: ReactNode }) {
  return (
    <>
      <Notice tone="warning">
        Copy the secret now: it is shown only this once. Your receiver checks by it that a request is from here.
      </Notice>
      <Snippet label="signing secret">{children}</Snippet>
      {note}
    </>
  )
}
