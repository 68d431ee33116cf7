import type { EntryStatus } from '#contract/changelog.ts'
import { Badge } from '../../ui/badge.tsx'
import css from './changelog.module.css'

const tones = { draft: 'plain', scheduled: 'note', published: 'success' } as const

export function EntryState({ status }: { readonly status: EntryStatus }) {
  return <Badge tone={tones[status]}>{status}</Badge>
}

/** The version that an entry announces. */
export function Version({ children }: { readonly children: string }) {
  return <span className={css['version']}>{children}</span>
}
