import type { Credential } from '../service/service.ts'
import type { Application } from './app/application.ts'
import type { Command } from './app/view.ts'
import type { Workspace } from './data/workspace.ts'
import { projects, welcome, type RoutePorts } from './routes.ts'
import type { SignIn } from './views/start/sign-ins.ts'

interface SignInAgainOptions {
  readonly app: Application
  readonly ports: RoutePorts
  readonly current: () => SignIn | undefined
}

const title = 'Sign in again'

/** A session has ended: whoever signs in again goes on where they are, and is asked once. */
export class SignInAgain {
  readonly #options: SignInAgainOptions
  #isAsking = false
  /** Who had rather not, for now. */
  #declined: SignIn | undefined

  constructor(options: SignInAgainOptions) {
    this.#options = options
  }

  /** @param reason such as that the session has ended. @returns false: it is to be told like any other failure */
  ask(reason: string): boolean {
    const signIn = this.#options.current()
    if (signIn?.workspace.identity.kind !== 'session') return false
    if (signIn === this.#declined) {
      this.#options.app.notify(`${reason} Ctrl-P, then “${title}”, goes on; what you typed is kept here.`, 'error')
      return true
    }
    if (!this.#isAsking) void this.#options.app.anywhere(() => this.#ask(signIn, reason))
    return true
  }

  /** For whoever declined, and has thought better of it. */
  commands(): readonly Command[] {
    const signIn = this.#options.current()
    if (signIn === undefined || signIn !== this.#declined || this.#isAsking) return []
    return [{ id: 'signInAgain', title, run: () => this.#show(signIn, 'Your session has ended.') }]
  }

  async #ask(signIn: SignIn, reason: string): Promise<void> {
    const { app } = this.#options
    this.#isAsking = true
    // Where nothing is read or written yet there is nothing to be interrupted.
    const isFirst = app.depth === 1 && app.dialogs.top === undefined
    const isMeant =
      isFirst ||
      (await app.dialogs.confirm({
        title: reason,
        body: ['What you typed is kept on this machine. Sign in again, and go on where you are.'],
        act: title,
      }))
    if (isMeant) this.#show(signIn, reason)
    else this.#decline(signIn)
  }

  #show(signIn: SignIn, reason: string): void {
    const { app, ports } = this.#options
    const { workspace: before } = signIn
    let isIn = false
    this.#isAsking = true
    const again: RoutePorts & { readonly left: () => void } = {
      ...ports,
      openWorkspace: async (url: string, credential: Credential): Promise<Workspace> => {
        const isSame = url === before.url && before.renew?.(credential) === true
        return isSame ? before : ports.openWorkspace(url, credential)
      },
      enter: (entered: Workspace): void => {
        isIn = true
        this.#declined = undefined
        if (entered !== before) ports.enter(entered)
        else if (app.depth === 1) app.restart(projects(app, signIn, ports))
        else app.pop()
      },
      left: () => (isIn ? (this.#isAsking = false) : this.#decline(signIn)),
    }
    const view = welcome(app, again, reason)
    // The list of projects has nothing to show, and would ask again at once if it were gone back to.
    if (app.depth === 1) app.replace(view)
    else app.push(view)
  }

  #decline(signIn: SignIn): void {
    this.#isAsking = false
    this.#declined = signIn
  }
}
