import type { KeyboardEvent, PointerEvent } from 'react'
import css from './editor.module.css'

/** Pixels that an arrow key moves it. */
const keyStep = 24

interface SplitterProps {
  readonly label: string
  /** Pixels. */
  readonly size: number
  readonly min: number
  readonly max: number
  /** The pane is to the right of it. */
  readonly isBehind?: boolean
  readonly onSize: (size: number) => void
}

/** Between two panes: pulled, or moved with the arrow keys. */
export function Splitter({ label, size, min, max, isBehind = false, onSize }: SplitterProps) {
  const sign = isBehind ? -1 : 1
  const limited = (value: number): number => Math.round(Math.min(max, Math.max(min, value)))
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
    const by = event.key === 'ArrowRight' ? keyStep : event.key === 'ArrowLeft' ? -keyStep : 0
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
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      onPointerDown={pull}
      onKeyDown={press}
    />
  )
}
