import { useEffect } from 'react'

/** Names the page in tabs, history and to screen readers. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Quire`
  }, [title])
}
