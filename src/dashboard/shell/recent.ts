import { useLayoutEffect } from 'react'
import { matchPath, useLocation } from 'react-router'
import { storedText, storeText } from '../local-storage.ts'
import { paths } from '../paths.ts'

/** A page that somebody was at. */
export interface Recent {
  readonly to: string
  readonly title: string
}

const maxRecentPages = 12
const keyOf = (account: string): string => `quire-recent ${account}`

function isRecent(value: unknown): value is Recent {
  return (
    typeof value === 'object' &&
    value !== null &&
    'to' in value &&
    typeof value.to === 'string' &&
    value.to.startsWith('/dashboard') &&
    'title' in value &&
    typeof value.title === 'string'
  )
}

/** Pages that an account was at in this browser, the latest first. */
export function readRecent(account: string): readonly Recent[] {
  try {
    const kept: unknown = JSON.parse(storedText(keyOf(account)) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isRecent) : []
  } catch {
    return []
  }
}

function note(account: string, to: string): void {
  // What is made there has an address of its own then.
  if (to === paths.newProject || matchPath(paths.newEntry(':slug'), to) !== null) return
  const title = document.title.replace(/ · Quire$/, '')
  if (title === '' || title === 'Quire') return
  const others = readRecent(account).filter((each) => each.to !== to)
  storeText(keyOf(account), JSON.stringify([{ to, title }, ...others].slice(0, maxRecentPages)))
}

/**
 * Notes the pages that are shown, by their titles, which come when the page has. Between two pages the browser's address
 * is the next one's already, and the title still that of the last: by the address that is shown, and nothing after it.
 */
export function useRecentNotes(account: string): void {
  const { pathname } = useLocation()
  useLayoutEffect(() => {
    note(account, pathname)
    const observer = new MutationObserver(() => note(account, pathname))
    observer.observe(document.head, { childList: true, subtree: true, characterData: true })
    return () => observer.disconnect()
  }, [account, pathname])
}
