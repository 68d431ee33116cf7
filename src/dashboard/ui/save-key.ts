import { useEffect, useRef } from 'react'

/** Ctrl+S, or ⌘S, saves, and not the browser’s page. @param save what it throws is told by itself */
export function useSaveKey(save: () => Promise<unknown>): void {
  const current = useRef(save)
  useEffect(() => {
    current.current = save
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      void current.current()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}
