import { createContext } from 'react'

/** Whether the page waits for whoever is to sign in again: what lies over it hides, and keeps what was typed. */
export const SessionEnded = createContext(false)
