import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Failure } from '../../contract/failure.ts'
import { IconButton } from './button.tsx'
import { toast } from './toasts.tsx'
import css from './copy.module.css'

const shownMs = 2_000

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return undefined
    const timer = setTimeout(() => setCopied(false), shownMs)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async (): Promise<void> => {
    try {
      // Over plain HTTP there is no clipboard: what that throws is told, too.
      await navigator.clipboard.writeText(text)
      setCopied(true)
    } catch {
      toast.failed(new Failure('forbidden', 'The browser does not let this page copy: select the text instead.'))
    }
  }
  return (
    <>
      <IconButton size="small" icon={copied ? Check : Copy} label={label} onClick={() => void copy()} />
      <span className="visually-hidden" role="status">
        {copied ? 'Copied.' : ''}
      </span>
    </>
  )
}

interface SnippetProps {
  /** What the text is, for screen readers and the button. */
  readonly label: string
  readonly children: string
}

/** Text to be taken elsewhere: a command, an address, a key. */
export function Snippet({ label, children }: SnippetProps) {
  return (
    <div className={css['snippet']}>
      <pre tabIndex={0} role="group" aria-label={label}>
        <code>{children}</code>
      </pre>
      <CopyButton text={children} label={`Copy ${label}`} />
    </div>
  )
}
