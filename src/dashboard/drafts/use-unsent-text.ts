import { useState } from 'react'
import { forgetText, storedText, storeText } from '../local-storage.ts'

export interface UnsentText {
  readonly text: string
  readonly write: (text: string) => void
  /** It was sent: what is written is another one by now, perhaps, and stays. */
  readonly taken: (sent: string) => void
}

/** A text that is being written, kept in this browser until it is sent. @param initial what it begins with; not kept */
export function useUnsentText(key: string, initial = ''): UnsentText {
  const [text, setText] = useState(() => storedText(key) ?? initial)
  return {
    text,
    write: (next) => {
      setText(next)
      if (next === initial) forgetText(key)
      // Where there is no room it is on the page, and nowhere else.
      else storeText(key, next)
    },
    taken: (sent) => {
      setText((now) => (now.trim() === sent ? '' : now))
      // Another tab has its own.
      if (storedText(key)?.trim() === sent) forgetText(key)
    },
  }
}
