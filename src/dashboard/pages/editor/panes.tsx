import { useState, type KeyboardEvent, type PointerEvent } from 'react'
import { keep } from '../../keep.ts'
import css from './editor.module.css'

const step = 24

/** What somebody chose for the editor, kept in this browser. */
export function useKept<T extends string | number | boolean>(name: string, initial: T): [T, (value: T) => void] {
  const key = `quire-editor-${name}`
  const [value, setValue] = useState<T>(() => {
    const kept = localStorage.getItem(key)
    if (kept === null) return initial
    try {
      const parsed: unknown = JSON.parse(kept)
      return typeof parsed === typeof initial ? (parsed as T) : initial
    } catch {
      return initial
    }
  })
  return [
    value,
    (next) => {
      keep(key, JSON.stringify(next))
      setValue(next)
    },
  ]
}

interface SplitterProps {
  readonly label: string
  /** Pixels. */
  readonly size: number
  readonly least: number
  readonly most: number
  /** The pane is to the right of it. */
  readonly isBehind?: boolean
  readonly onSize: (size: number) => void
}

/** Between two panes: pulled, or moved with the arrow keys. */
export function Splitter({ label, size, least, most, isBehind = false, onSize }: SplitterProps) {
  const sign = isBehind ? -1 : 1
  const limited = (value: number): number => Math.round(Math.min(most, Math.max(least, value)))
  const pull = (event: PointerEvent<HTMLDivElement>): void => {
    const { currentTarget: handle, pointerId, clientX: from } = event
    handle.setPointerCapture(pointerId)
    const move = ({ clientX }: globalThis.PointerEvent): void => onSize(limited(size + sign * (clientX - from)))
    const end = (): void => {
      handle.removeEventListener('pointermove', move)
      handle.removeEventListener('lostpointercapture', end)
    }
    handle.addEventListener('pointermove', move)
    handle.addEventListener('lostpointercapture', end)
  }
  const press = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowRight' ? step : event.key === 'ArrowLeft' ? -step : 0
    if (by === 0) return
    event.preventDefault()
    onSize(limited(size + sign * by))
  }
  return (
    // A focusable separator is a control: its role has values and keys.
    <div
      className={css['splitter']}
      role="separator"
      aria-label={label}
      aria-orientation="vertical"
      aria-valuenow={limited(size)}
      aria-valuemin={least}
      aria-valuemax={most}
      tabIndex={0}
      onPointerDown={pull}
      onKeyDown={press}
    />
  )
}
