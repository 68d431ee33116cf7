import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { IconButton } from './button.tsx'
import css from './copy.module.css'

const shownMs = 2_000

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [copied, setCopied] = useState<boolean | null>(null)
  useEffect(() => {
    if (copied === null) return undefined
    const timer = setTimeout(() => setCopied(null), shownMs)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = (): void =>
    void navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    )
  return (
    <>
      <IconButton size="small" icon={copied === true ? Check : Copy} label={label} onClick={copy} />
      <span className="visually-hidden" role="status">
        {copied === null
          ? ''
          : copied
            ? 'Copied.'
            : 'The browser does not let this page copy: select the text instead.'}
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
