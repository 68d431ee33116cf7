import { PanelRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../../ui/button.tsx'
import css from './editor.module.css'

interface FileHeadProps {
  /** Path of the file, or what is shown in its place. */
  readonly title: string
  readonly children?: ReactNode
  /** Shows and hides the preview; absent: there is none. */
  readonly preview?: { readonly isOpen: boolean; readonly onChange: (isOpen: boolean) => void }
}

/** What is open, what becomes of it, and what can be done with it. */
export function FileHead({ title, children, preview }: FileHeadProps) {
  return (
    <div className={css['head']}>
      <h2 title={title}>{title}</h2>
      {children}
      {preview === undefined ? null : (
        <IconButton
          icon={PanelRight}
          label={preview.isOpen ? 'Hide the preview' : 'Show the preview'}
          size="small"
          aria-pressed={preview.isOpen}
          className={css['togglePreview']}
          onClick={() => preview.onChange(!preview.isOpen)}
        />
      )}
    </div>
  )
}
