import { useState } from 'react'
import { storeText } from '../local-storage.ts'

interface Question {
  readonly text: string
  readonly write: (text: string) => void
  /** It was taken: what is written is another one by now, perhaps, and stays. */
  readonly taken: (question: string) => void
}

/** The question that is being written about a branch, kept in this browser until it is asked. */
export function useQuestion(account: string, branch: string): Question {
  const key = `quire-question ${account} ${branch}`
  const [text, setText] = useState(() => localStorage.getItem(key) ?? '')
  return {
    text,
    write: (next) => {
      setText(next)
      if (next === '') localStorage.removeItem(key)
      // Where there is no room it is on the page, and nowhere else.
      else storeText(key, next)
    },
    taken: (question) => {
      setText((now) => (now.trim() === question ? '' : now))
      // Another tab has its own.
      if (localStorage.getItem(key)?.trim() === question) localStorage.removeItem(key)
    },
  }
}
