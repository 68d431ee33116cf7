import { useState } from 'react'

/** The question that is being written about a branch, kept in this browser until it is asked. */
export function useQuestion(account: string, branch: string) {
  const key = `quire-question ${account} ${branch}`
  const [text, setText] = useState(() => localStorage.getItem(key) ?? '')
  const write = (next: string): void => {
    if (next === '') localStorage.removeItem(key)
    else localStorage.setItem(key, next)
    setText(next)
  }
  return [text, write] as const
}
