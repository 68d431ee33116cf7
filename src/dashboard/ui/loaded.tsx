import type { UseQueryResult } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { messageOf } from '../client.ts'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'
import css from './loaded.module.css'

interface LoadedProps<T> {
  readonly query: Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch' | 'isFetching'>
  readonly children: (data: T) => ReactNode
  /** What is shown while the first answer is on its way. */
  readonly pending?: ReactNode
}

/** What a query gives: its data, what went wrong with a way to try again, or the shape of what is to come. */
export function Loaded<T>({ query, children, pending }: LoadedProps<T>) {
  const { data, error, refetch, isFetching } = query
  const problem =
    error === null ? null : (
      <Notice
        tone="danger"
        action={
          <Button size="small" icon={RotateCw} busy={isFetching} onClick={() => void refetch()}>
            Try again
          </Button>
        }
      >
        {messageOf(error)}
      </Notice>
    )
  if (data === undefined) return problem ?? pending ?? <Skeleton />
  return (
    <>
      {problem}
      {children(data)}
    </>
  )
}

/** Grey lines in the place of what is on its way. They appear only when that takes a while. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div className={css['skeleton']} role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} />
      ))}
    </div>
  )
}
