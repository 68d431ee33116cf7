import { createRoot } from 'react-dom/client'
import type { Account } from '../contract/accounts.ts'
import { devicePage } from '../contract/device-login.ts'
import { Failure } from '../contract/failure.ts'
import { contract } from '../contract/index.ts'
import { AccountPage } from './account.tsx'
import { client, messageOf, useLoaded } from './api.ts'
import { DevicePage } from './device.tsx'
import { ProjectPage, ProjectsPage } from './projects.tsx'
import { SignIn } from './sign-in.tsx'
import './dashboard.css'

const whoAmI = (): Promise<Account | null> =>
  client.call(contract.accounts.me).then(
    ({ account }) => account,
    (error: unknown) => {
      if (error instanceof Failure && error.code === 'unauthenticated') return null
      throw error
    },
  )

/** `/dashboard` lists the projects, `/dashboard/{slug}` shows one, `/dashboard/account` is a person’s own page. */
function slugOfPath(): string | undefined {
  return /^\/dashboard\/([a-z0-9-]+)\/?$/.exec(location.pathname)?.[1]
}

/** What the address names, for somebody who is signed in. */
function Page({ account }: { account: Account }) {
  if (location.pathname.replace(/\/$/, '') === devicePage) {
    return (
      <main className="device">
        <DevicePage account={account} />
      </main>
    )
  }
  const slug = slugOfPath()
  if (slug === undefined)
    return (
      <main>
        <ProjectsPage />
      </main>
    )
  // No project has this name.
  return (
    <main>{slug === 'account' ? <AccountPage account={account} /> : <ProjectPage slug={slug} me={account.id} />}</main>
  )
}

function App() {
  const { value: account, error, reload } = useLoaded(whoAmI)
  if (error !== undefined)
    return (
      <main>
        <p className="alert" role="alert">
          {messageOf(error)}
        </p>
      </main>
    )
  if (account === undefined) return null
  if (account === null) return <SignIn onDone={reload} />
  return (
    <>
      <header className="top">
        <a href="/dashboard" className="brand">
          Quire
        </a>
        <span className="grow" />
        <a href="/dashboard/account" className="soft name">
          {account.email}
        </a>
        <button
          type="button"
          className="quiet"
          onClick={() => void client.call(contract.accounts.logout).then(reload, reload)}
        >
          Sign out
        </button>
      </header>
      <Page account={account} />
    </>
  )
}

const element = document.querySelector('#dashboard')
if (element === null) throw new Error('#dashboard is missing in index.html')
createRoot(element).render(<App />)
