import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import type { Account } from '../../contract/accounts.ts'
import { KeyReader } from './shortcuts.ts'

const Palette = lazy(() => import('./palette.tsx').then((module) => ({ default: module.Palette })))
const KeyboardHelp = lazy(() => import('./keyboard-help.tsx').then((module) => ({ default: module.KeyboardHelp })))

/** What lies over any page, and is opened from anywhere. */
export type Overlay = 'palette' | 'help'

interface KeyboardProps {
  readonly account: Account
  /** Of the project that is open. */
  readonly slug: string | undefined
  readonly open: Overlay | undefined
  readonly onOpen: (overlay: Overlay | undefined) => void
}

/** Handles the shortcuts, and shows what they open: code that comes when it is first asked for. */
export function Keyboard({ account, slug, open, onOpen }: KeyboardProps) {
  const navigate = useNavigate()
  const [seen, setSeen] = useState<readonly Overlay[]>([])
  if (open !== undefined && !seen.includes(open)) setSeen([...seen, open])
  const reader = useRef(new KeyReader())
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const found = reader.current.read(event)
      if (found === undefined) return
      const { act } = found
      const to = typeof act === 'string' ? undefined : act(slug)
      if (typeof act === 'string') onOpen(act)
      else if (to === undefined) return
      else void navigate(to)
      event.preventDefault()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [slug, onOpen, navigate])
  const close = (): void => onOpen(undefined)
  return (
    <Suspense>
      {seen.includes('palette') ? (
        <Palette open={open === 'palette'} account={account} onClose={close} onHelp={() => onOpen('help')} />
      ) : null}
      {seen.includes('help') ? <KeyboardHelp open={open === 'help'} onClose={close} /> : null}
    </Suspense>
  )
}
