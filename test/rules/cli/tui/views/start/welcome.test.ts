import { describe, expect, it, vi } from 'vitest'
import type { PendingSignIn, SignedIn } from '#cli/tui/data/service/sign-in.ts'
import type { Workspace } from '#cli/tui/data/workspace.ts'
import { addressTrouble, WelcomeView, type WelcomePorts } from '#cli/tui/views/start/welcome.ts'
import { Failure } from '#contract/failure.ts'
import { FakeApp } from '#test/support/fake-app.ts'
import { FakeWorkspace } from '#test/support/fake-workspace.ts'

/** A view whose sign-ins end when a test says so. */
function opened(own: Partial<WelcomePorts> = {}) {
  const app = new FakeApp()
  const entered: Workspace[] = []
  const begun: string[] = []
  const workspace = new FakeWorkspace()
  let approve: (signedIn: SignedIn) => void = () => undefined
  let refuse: (error: unknown) => void = () => undefined
  const begin = async (url: string): Promise<PendingSignIn> => {
    begun.push(url)
    return {
      code: 'BCDF-GHJK',
      address: `${url}/dashboard/device?user_code=BCDF-GHJK`,
      expiresAt: new Date('2026-03-01T12:10:00.000Z'),
      wait: (signal) =>
        new Promise((resolve, reject) => {
          approve = resolve
          refuse = reject
          signal?.addEventListener('abort', () => reject(signal.reason as Error))
        }),
    }
  }
  const ports = {
    url: 'http://localhost:4000',
    begin,
    openWorkspace: async () => workspace,
    openSample: async () => workspace,
    enter: (one: Workspace) => void entered.push(one),
    ...own,
  }
  app.push(new WelcomeView(app, ports))
  return {
    app,
    begun,
    entered,
    approve: () =>
      approve({
        account: workspace.identity.account,
        credential: { kind: 'key', token: 'token' },
        keptIn: 'in the system keychain',
      }),
    refuse: (error: unknown) => refuse(error),
  }
}

describe('who is not signed in', () => {
  it('gets a code and the address of the page, which opens where there is a browser', async () => {
    const { app, approve, entered } = opened()
    await app.press('enter')
    const screen = app.screen({ width: 80, height: 20 })
    expect(screen).toContain('B C D F - G H J K')
    expect(screen).toContain('http://localhost:4000/dashboard/device?user_code=BCDF-GHJK')
    // A screen reader says it, too.
    const [list] = app.top.layout({ width: 80, height: 20 })
    expect(list?.pane.spoken()).toContain('user_code=BCDF-GHJK and approve if it shows the code BCDF-GHJK')
    // Nothing of the guided tour lies over it.
    expect(app.top.tour).toBeUndefined()
    expect(app.opened).toHaveLength(1)
    approve()
    await vi.waitFor(() => expect(entered).toHaveLength(1))
    expect(app.notes.at(-1)).toBe('success: Signed in as ada@example.com; kept in the system keychain.')
  })

  it('gets the address to copy where there is no browser', async () => {
    const { app } = opened()
    Object.assign(app.environment, { browser: false })
    await app.press('enter', 'c', 'k')
    expect(app.notes.at(-1)).toContain('Not every terminal allows that')
    const address = 'http://localhost:4000/dashboard/device?user_code=BCDF-GHJK'
    expect(app.copied).toEqual([address, 'BCDF-GHJK'])
    await app.press('o')
    expect(app.opened).toEqual([])
    expect(app.dialogs.shown.at(-1)).toContain(address)
  })

  it('sees the code and the way to stop in a small window', async () => {
    const { app } = opened()
    await app.press('enter')
    const screen = app.screen({ width: 50, height: 11 })
    expect(screen).toContain('B C D F - G H J K')
    expect(screen.replaceAll('\n', '')).toContain('user_code=BCDF-GHJK')
  })

  it('may stop waiting, and begin anew', async () => {
    const { app, begun, entered, approve } = opened()
    await app.press('enter', 'escape')
    expect(app.screen()).toContain('Sign in')
    approve()
    await app.press('enter')
    expect(begun).toHaveLength(2)
    expect(entered).toEqual([])
  })

  it.each([
    [new Failure('access_denied', 'Denied.'), 'The sign-in was denied in the browser.'],
    [new Failure('expired_token', 'Late.'), 'Nobody approved the code in time'],
    [
      new Failure('unavailable', 'It cannot be reached.', { hint: 'Is it running?' }),
      'It cannot be reached. Is it running?',
    ],
  ])('is told that it failed, and may try again: %s', async (failure, told) => {
    const { app, refuse } = opened()
    await app.press('enter')
    refuse(failure)
    await vi.waitFor(() => expect(app.screen({ width: 120, height: 20 })).toContain(told))
    expect(app.screen()).toContain('Sign in again')
  })

  it('is told why a session is no more', () => {
    const { app } = opened({ reason: 'Your session has ended.' })
    expect(app.screen()).toContain('Your session has ended.')
  })

  it('may use another service', async () => {
    const { app, begun } = opened()
    app.dialogs.answer({ url: 'http://docs.example.com' }, { url: 'https://docs.example.com/some/page' })
    await app.press('a')
    expect(app.dialogs.refusals).toEqual(['Over http:// anybody on the way could read your work: use https://.'])
    await app.press('home', 'enter')
    expect(begun).toEqual(['https://docs.example.com'])
  })

  it('may look around without an account', async () => {
    const { app, entered } = opened()
    await app.press('end', 'enter')
    expect(entered).toHaveLength(1)
  })

  it('is let go of when the view is left: nothing waits on', async () => {
    const { app, entered, approve } = opened()
    await app.press('enter')
    app.pop()
    approve()
    await vi.waitFor(() => expect(app.notes).toEqual([]))
    expect(entered).toEqual([])
  })
})

describe('the address of a service', () => {
  it.each(['https://docs.example.com', 'http://localhost:4000', 'http://127.0.0.1:4000', ' https://a.example '])(
    'may be %j',
    (address) => expect(addressTrouble(address)).toBeUndefined(),
  )

  it.each(['docs.example.com', 'http://docs.example.com', 'ftp://docs.example.com', ''])('may not be %j', (address) =>
    expect(addressTrouble(address)).toBeDefined(),
  )
})
