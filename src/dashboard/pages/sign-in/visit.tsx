import { useEffect } from 'react'
import { useSearchParams } from 'react-router'
import { visitUrl } from '../../queries/projects.ts'
import { Skeleton } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'

/** Whoever wanted to see a private site is signed in now: back to the way there. */
export function Component() {
  const [search] = useSearchParams()
  const to = search.get('to') ?? ''
  useEffect(() => location.replace(visitUrl(to)), [to])
  return (
    <Page title="On the way to the site">
      <Skeleton lines={3} />
    </Page>
  )
}
