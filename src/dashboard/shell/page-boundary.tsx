import { Component, Suspense, useEffect, useRef, type ReactNode } from 'react'
import { useLocation } from 'react-router'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'
import { useOnline } from './connection.tsx'

/** Where a page comes when its code is there, or where it says that it could not be shown. Another address tries anew. */
export function PageBoundary({ children }: { readonly children: ReactNode }) {
  const { pathname } = useLocation()
  return (
    <Boundary key={pageOf(pathname)} address={pathname}>
      <Suspense>{children}</Suspense>
    </Boundary>
  )
}

/** One branch or webhook keeps nothing of another; a new entry that is saved is still the one that is being written. */
function pageOf(pathname: string): string {
  const parts = pathname.split('/', 5)
  return (parts[3] === 'entries' ? parts.slice(0, 4) : parts).join('/')
}

interface BoundaryProps {
  readonly address: string
  readonly children: ReactNode
}

class Boundary extends Component<BoundaryProps, { readonly isBroken: boolean }> {
  override readonly state = { isBroken: false }

  static getDerivedStateFromError() {
    return { isBroken: true }
  }

  override componentDidUpdate(before: BoundaryProps) {
    if (this.state.isBroken && before.address !== this.props.address) this.setState({ isBroken: false })
  }

  override render() {
    return this.state.isBroken ? <Broken /> : this.props.children
  }
}

/** A page that broke, or that could not be fetched: after an update of the service its parts have other names. */
function Broken() {
  const isOnline = useOnline()
  const wasOffline = useRef(!isOnline)
  useEffect(() => {
    // What was typed on other pages is kept by them; this one has nothing to lose.
    if (wasOffline.current && isOnline) location.reload()
  }, [isOnline])
  if (!isOnline) {
    return (
      <Page title="This page is not here yet" width="narrow">
        <Notice tone="warning">
          You are offline, and this page was not opened before. It comes when you are back.
        </Notice>
      </Page>
    )
  }
  return (
    <Page title="This page could not be shown" width="narrow">
      <Notice
        tone="danger"
        action={
          <Button size="small" onClick={() => location.reload()}>
            Reload
          </Button>
        }
      >
        The service was perhaps updated while the page was open. Reload it; what you have typed in the editor is kept.
      </Notice>
    </Page>
  )
}
