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
    <Boundary key={pathname.split('/', 5).join('/')}>
      <Suspense>{children}</Suspense>
    </Boundary>
  )
}

class Boundary extends Component<{ readonly children: ReactNode }, { readonly isBroken: boolean }> {
  override readonly state = { isBroken: false }

  static getDerivedStateFromError() {
    return { isBroken: true }
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
