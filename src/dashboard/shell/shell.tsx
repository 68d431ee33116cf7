import { focusManager, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { NavigationType, Outlet, useLocation, useNavigationType, useParams } from 'react-router'
import type { Account } from '../../contract/accounts.ts'
import { lastAccount, meQuery } from '../queries/account.ts'
import { Loaded, Skeleton } from '../ui/loaded.tsx'
import { Page } from '../ui/page.tsx'
import { SessionEnded } from '../ui/session-ended.ts'
import { Connection } from './connection.tsx'
import { Keyboard, type Overlay } from './keyboard.tsx'
import { PageBoundary } from './page-boundary.tsx'
import { useRecentNotes } from './recent.ts'
import { TopBar } from './top-bar.tsx'
import css from './shell.module.css'

/**
 * What is around every page of whoever is signed in; to nobody it shows the sign-in, at the same address.
 * @param signIn the page of it
 */
export function Shell({ signIn: page }: { readonly signIn: ReactNode }) {
  const me = useQuery(meQuery)
  if (me.data === undefined && me.error !== null) {
    return (
      <Page title="Quire">
        <Loaded query={me}>{() => null}</Loaded>
      </Page>
    )
  }
  if (me.data === undefined) {
    return (
      <main className={css['main']}>
        <Skeleton lines={6} />
      </main>
    )
  }
  const account = me.data?.account ?? lastAccount()
  const signIn = <main className={css['main']}>{page}</main>
  if (account === undefined) return signIn
  return (
    <>
      {me.data === null ? (
        <>
          <p className={css['ended']} role="status">
            Your session has ended. Sign in, and go on where you were: what you have typed is still there.
          </p>
          {signIn}
        </>
      ) : null}
      <Frame key={account.id} account={account} isHidden={me.data === null} />
    </>
  )
}

interface FrameProps {
  readonly account: Account
  /** The session has ended behind its back: it waits, with all that was typed. */
  readonly isHidden: boolean
}

function Frame({ account, isHidden }: FrameProps) {
  const { slug } = useParams()
  const [overlay, setOverlay] = useState<Overlay>()
  useRecentNotes(account.id)
  useEffect(() => {
    // What looks again from time to time would be refused.
    focusManager.setFocused(isHidden ? false : undefined)
    if (isHidden) setOverlay(undefined)
  }, [isHidden])
  return (
    <SessionEnded value={isHidden}>
      <div className={css['shell']} hidden={isHidden}>
        <a className={css['skip']} href="#main">
          Skip to the page
        </a>
        <TopBar account={account} onOpen={setOverlay} />
        <Connection />
        <Main />
        {isHidden ? null : <Keyboard account={account} slug={slug} open={overlay} onOpen={setOverlay} />}
      </div>
    </SessionEnded>
  )
}

/** After a navigation the keyboard is at the beginning of the page, as after a load. */
function Main() {
  const { pathname } = useLocation()
  const navigation = useNavigationType()
  const main = useRef<HTMLElement>(null)
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    // Back and forth: the browser goes where it was.
    if (navigation !== NavigationType.Pop) scrollTo(0, 0)
    // Something on the new page may have taken it already.
    if (document.activeElement === document.body || document.activeElement?.tagName === 'A') main.current?.focus()
  }, [pathname, navigation])
  return (
    <main id="main" ref={main} tabIndex={-1} className={css['main']}>
      <PageBoundary>
        <Outlet />
      </PageBoundary>
    </main>
  )
}
