import type { ReactNode } from 'react'
import { Snippet } from './copy.tsx'
import { Notice } from './notice.tsx'

interface SecretProps {
  /** What it is, for screen readers and the button that copies it. */
  readonly label: string
  readonly children: string
  /** What it is for, or who takes it. */
  readonly note: ReactNode
}

/** Something secret that was just made, the one time that it is shown. */
export function Secret({ label, children, note }: SecretProps) {
  return (
    <>
      <Notice tone="warning">Copy it now: it is shown only this once.</Notice>
      <Snippet label={label}>{children}</Snippet>
      <p className="soft">{note}</p>
    </>
  )
}
