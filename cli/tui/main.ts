import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { Failure } from '../../src/contract/failure.ts'
import { count, type Output } from '../output.ts'
import type { Credential } from '../service/service.ts'
import { openBrowser } from '../terminal.ts'
import { Application } from './app/application.ts'
import { loadChrome } from './app/chrome/load.ts'
import { shown } from './canvas/width.ts'
import type { SettingsValues } from './app/settings.ts'
import { openWorkspace } from './data/service/open-workspace.ts'
import { openSample } from './data/sample/sample.ts'
import { openSettings } from './data/disk/settings-file.ts'
import { beginSignIn, findSignIn, signOut } from './data/service/sign-in.ts'
import type { UnsavedFile, Workspace } from './data/workspace.ts'
import { logTo } from './log.ts'
import { projects, welcome, type RoutePorts } from './routes.ts'
import { SignInAgain } from './sign-in-again.ts'
import { LinearTerminal } from './terminal/linear.ts'
import { endBy } from './terminal/signals.ts'
import { Tty } from './terminal/tty.ts'
import { showAddress } from './views/shared/address.ts'
import { SignIns } from './views/start/sign-ins.ts'
import { OpeningView } from './views/start/opening.ts'

/** What is on a disk that answers is known by then. */
const lastMs = 1_000

export interface UiOptions {
  readonly url: string
  /** Begins in the sample project, without an account. */
  readonly sample?: boolean
  readonly theme?: SettingsValues['theme']
  /** False: the terminal keeps it, this time. */
  readonly mouse?: boolean
  readonly screenReader?: boolean
}

/** The terminal UI, from the first paint until the person has quit. */
export async function startUi(options: UiOptions, output: Output): Promise<void> {
  // What is new to the heap would be given 48 MB of its own after a while, which is a third of what the UI takes. And the
  // old would grow to a multiple of what is alive before it is looked through: with a quarter more, a page of 5 MB takes
  // 112 MB in place of 127 to 173.
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=25')
  const { environment } = output
  const log = logTo(join(environment.stateDirectory, 'ui.log'))
  // Node would write its warnings in the middle of the screen, and move what stands there.
  process.removeAllListeners('warning').on('warning', ({ name, message }) => log(`${name}: ${message}`))
  const settings = await openSettings({ environment, log, onChange: (values) => apply(values) })
  const signIns = new SignIns({
    tell: (message, kind) => {
      if (kind === 'passing') app.notify(message, 'warning')
      // Wherever the person is by now: nothing else says where it is.
      else void app.anywhere(() => app.dialogs.tell({ title: 'What you wrote to merge', body: [message] }))
    },
  })
  const ending = { leave: () => signIns.settle(), stateDirectory: environment.stateDirectory }
  const isLinear = options.screenReader === true || environment.screenReader
  const terminal = isLinear
    ? new LinearTerminal(ending)
    : new Tty({
        ...ending,
        traits: environment.terminal,
        theme: options.theme ?? settings.values.theme,
        mouse: options.mouse !== false && settings.values.mouse,
      })
  const apply = ({ mouse, theme }: SettingsValues): void => {
    terminal.mouse = mouse
    if (terminal instanceof Tty) terminal.theme = theme
  }
  const app: Application = new Application({
    environment,
    settings,
    terminal,
    chrome: await loadChrome(),
    openBrowser: (address) =>
      openBrowser(address, { note: () => void showAddress(app, { title: 'In a browser', address }) }),
    log,
    corner: () => cornerOf(signIns.current?.workspace),
    settle: (signal) => signIns.settle(signal),
    unkept: () => signIns.unkept,
    dealsWith: ({ code, message }) => code === 'unauthenticated' && again.ask(message),
    commands: () => again.commands(),
  })

  const enter = (workspace: Workspace): void => {
    const { current, left } = signIns.enter(workspace)
    workspace.onChange(() => app.refresh())
    app.restart(projects(app, current, ports, workspace.url === options.url ? environment.project : undefined))
    left.catch((error: unknown) => app.fail(error))
  }
  const ports: RoutePorts = {
    url: options.url,
    begin: (url: string) => beginSignIn({ environment, url }),
    openWorkspace: (url: string, credential: Credential) => openWorkspace({ environment, url, credential, log }),
    openSample,
    enter,
    signOut: async (): Promise<void> => {
      const url = signIns.current?.workspace.url ?? options.url
      // Before anything else: what cannot be kept is told, and nobody is signed out.
      await signIns.leave()
      try {
        await signOut({ environment, url })
      } finally {
        app.restart(welcome(app, ports))
      }
    },
  }
  const again: SignInAgain = new SignInAgain({ app, ports, current: () => signIns.current })
  const begin = async (): Promise<void> => {
    if (options.sample === true) return enter(await openSample())
    const { url } = options
    const wait = (): void => app.notify('Waiting for the system keychain; is it locked?')
    const credential = await findSignIn({ environment, url, onKeychainWait: wait })
    if (credential === undefined) app.replace(welcome(app, ports))
    else enter(await openWorkspace({ environment, url, credential, log }))
  }

  const ended = app.run(new OpeningView())
  begin().catch((error: unknown) => {
    app.replace(welcome(app, ports, error instanceof Failure ? error.message : undefined))
    app.fail(error)
  })
  const quit = await ended
  if (quit.kind === 'hasty' && quit.lost.length > 0)
    output.note(`What you typed last is not on the disk, and lost: ${quit.lost.map(shown).join(', ')}`)
  const patience = new AbortController()
  const unsaved = await Promise.race([
    signIns.current?.workspace.unsaved().catch(() => []) ?? [],
    sleep(lastMs, undefined, patience).catch(() => undefined),
  ])
  patience.abort()
  if (unsaved !== undefined && unsaved.length > 0) tellUnsaved(unsaved, output)
  // Node would wait for a disk that does not answer, and for a save that nobody waits for.
  if (unsaved === undefined || quit.kind === 'hasty') endBy('SIGINT')
}

function cornerOf(workspace: Workspace | undefined): { readonly text: string; readonly offline: boolean } {
  if (workspace === undefined) return { text: '', offline: false }
  const { identity, connection } = workspace
  if (identity.kind === 'sample') return { text: 'sample, read-only', offline: false }
  const who = identity.account?.email ?? (identity.kind === 'key' ? 'API key' : '')
  return connection === 'offline' ? { text: `${who} · offline`, offline: true } : { text: who, offline: false }
}

/** The last words: what is safe here and not yet on its branch. */
function tellUnsaved(unsaved: readonly UnsavedFile[], output: Output): void {
  output.note(`${count(unsaved.length, 'draft')} kept on this machine, not saved on the branch:`)
  for (const { slug, branch, path, waiting } of unsaved.slice(0, 10))
    output.note(`  ${slug} › ${branch} › ${path}${waiting ? ', saved when the service can be reached' : ''}`)
  output.note('Run quire to go on where you left off.')
}
