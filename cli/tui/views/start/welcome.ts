import { Failure } from '#contract/failure.ts'
import type { Credential } from '#cli/service/service.ts'
import type { App } from '../../app/app.ts'
import { LinesPane } from '../../app/dialogs/reader.ts'
import type { Command, TourNote, View } from '../../app/view.ts'
import { chordText } from '../../canvas/input.ts'
import { span, wrapText } from '../../canvas/lines.ts'
import type { Region, Size } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import type { PendingSignIn } from '../../data/service/sign-in.ts'
import type { Workspace } from '../../data/workspace.ts'
import { ListPane } from '../../panes/list.ts'
import { openAddress } from '../shared/address.ts'
import { clockText } from '../shared/age.ts'

export interface WelcomePorts {
  readonly url: string
  /** Why somebody is here who was signed in before, such as that the session has ended. */
  readonly reason?: string | undefined
  /** @throws Failure unavailable and what else the service refuses */
  readonly begin: (url: string) => Promise<PendingSignIn>
  readonly openWorkspace: (url: string, credential: Credential) => Promise<Workspace>
  readonly openSample: () => Promise<Workspace>
  /** Somebody is in. */
  readonly enter: (workspace: Workspace) => void
  /** It is shown no more. */
  readonly left?: () => void
}

interface Choice {
  readonly title: string
  readonly detail: string
  /** For who hears it, in the place of both. */
  readonly said?: string
  readonly run: () => void | Promise<void>
}

const welcomeTour: TourNote = {
  text: [
    'Welcome! The line at the bottom always says what the keys do here.',
    '↑ and ↓ move, Enter opens, Esc goes back. F1 explains each screen, Ctrl-P lists all that can be done.',
  ],
}

/** Where nobody is signed in: the way in, with the browser of this machine or of another one. */
export class WelcomeView implements View {
  readonly title = 'Welcome'
  readonly about =
    'Sign in to work on your documentation. You approve this terminal in a browser, on this machine or on another one; no password is typed here.'
  readonly #app: App
  readonly #ports: WelcomePorts
  readonly #head = new LinesPane((width) => this.#words(width))
  readonly #list: ListPane<Choice>
  #url: string
  #pending: PendingSignIn | undefined
  /** How the last try ended. */
  #trouble: string | undefined
  #isTight = false
  #abort = new AbortController()

  constructor(app: App, ports: WelcomePorts) {
    this.#app = app
    this.#ports = ports
    this.#url = ports.url
    this.#trouble = ports.reason
    this.#list = new ListPane<Choice>({
      items: this.#choices(),
      row: ({ title, detail }) => [
        span(title.padEnd(this.#titles()), { bold: true }),
        span(`   ${detail}`, { color: 'muted' }),
      ],
      text: ({ title, detail, said }) => said ?? `${title}: ${detail}`,
      key: ({ title }) => title,
      filterable: false,
      onOpen: ({ run }) => void run(),
      opens: 'choose',
    })
  }

  /** Nothing lies over the code and its address. */
  get tour(): TourNote | undefined {
    return this.#pending === undefined ? welcomeTour : undefined
  }

  layout({ width, height }: Size): readonly Region[] {
    const margin = width < 60 ? 0 : 1
    const inner = width - 2 * margin
    const choices = this.#list.items.length
    this.#isTight = false
    // Rather without gaps than without the address.
    this.#isTight = this.#words(inner).length + 1 + choices > height
    const words = this.#words(inner).length
    const head = Math.min(words, height - 1)
    const top = height > head + choices + 4 ? 1 : 0
    const gap = height > head + choices ? 1 : 0
    const list = Math.min(choices, height - head - gap)
    return [
      { pane: this.#list, row: top + head + gap, column: margin, width: inner, height: list },
      { pane: this.#head, row: top, column: margin, width: inner, height: head },
    ]
  }

  spoken(): string {
    if (this.#pending === undefined) return this.#trouble ?? ''
    const { address, code, expiresAt } = this.#pending
    const letters = Array.from(shown(code)).join(' ')
    return `Approve this terminal in a browser: open ${address} and approve if it shows the code ${letters}. Waiting until ${clockText(expiresAt)}.`
  }

  commands(): readonly Command[] {
    if (this.#pending === undefined) return [this.#signInCommand(), this.#addressCommand(), this.#sampleCommand()]
    const { address, code } = this.#pending
    return [
      {
        id: 'signIn.copy',
        title: 'Copy the address of the page that approves',
        keys: ['c'],
        hint: 'copy address',
        run: () => this.#copy(address, 'The address'),
      },
      {
        id: 'signIn.copyCode',
        title: 'Copy the code',
        keys: ['k'],
        hint: 'copy code',
        run: () => this.#copy(code, 'The code'),
      },
      {
        id: 'signIn.browser',
        title: 'Open the page in the browser of this machine',
        keys: ['o'],
        hint: 'open browser',
        run: () => openAddress(this.#app, { title: 'The page that approves', address }),
      },
      { id: 'signIn.cancel', title: 'Stop waiting', keys: ['escape'], hint: 'cancel', run: () => this.#cancel() },
    ]
  }

  closed(): void {
    this.#abort.abort()
    this.#ports.left?.()
  }

  #signInCommand(): Command {
    return { id: 'signIn.begin', title: 'Sign in', keys: ['s'], run: () => this.#signIn() }
  }

  #addressCommand(): Command {
    return { id: 'signIn.address', title: 'Use another service', keys: ['a'], run: () => this.#askAddress() }
  }

  #sampleCommand(): Command {
    return { id: 'signIn.sample', title: 'Look around in the sample project', keys: ['l'], run: () => this.#sample() }
  }

  /** Columns that the longest title takes. */
  #titles(): number {
    return Math.max(...this.#list.items.map(({ title }) => title.length))
  }

  #choices(): readonly Choice[] {
    if (this.#pending !== undefined) {
      const { address, code } = this.#pending
      const said = `Open ${shown(address)} and approve if it shows the code ${shown(code)}. c copies the address`
      return this.commands().map(({ title, keys = [], run }, index) => ({
        title,
        detail: chordText(keys[0] ?? ''),
        ...(index === 0 ? { said } : {}),
        run,
      }))
    }
    return [
      {
        title: this.#trouble === undefined ? 'Sign in' : 'Sign in again',
        detail: 'with a browser, here or on another machine',
        run: () => this.#signIn(),
      },
      { title: 'Use another service', detail: `instead of ${this.#url}`, run: () => this.#askAddress() },
      { title: 'Look around', detail: 'in a sample project; nothing is changed', run: () => this.#sample() },
    ]
  }

  async #signIn(): Promise<void> {
    if (this.#pending !== undefined) return
    this.#abort = new AbortController()
    const { signal } = this.#abort
    this.#say(undefined)
    const pending = await this.#app.task(`Asking ${this.#url} for a code`, () => this.#ports.begin(this.#url))
    if (pending === undefined || signal.aborted) return
    this.#wait(pending)
    if (this.#app.environment.browser) this.#app.openBrowser(pending.address)
    try {
      const { account, credential, keptIn } = await pending.wait(signal)
      const workspace = await this.#ports.openWorkspace(this.#url, credential)
      this.#wait(undefined)
      this.#app.notify(`Signed in as ${shown(account.email)}; kept ${shown(keptIn)}.`, 'success')
      this.#ports.enter(workspace)
    } catch (error) {
      if (signal.aborted) return
      this.#wait(undefined)
      if (!(error instanceof Failure)) return this.#app.fail(error)
      this.#say(troubles[error.code] ?? [error.message, error.hint ?? ''].join(' ').trim())
    }
  }

  #cancel(): void {
    this.#abort.abort()
    this.#wait(undefined)
    this.#app.notify('Stopped waiting. The code is of no use to anybody: sign in again for a new one.')
  }

  async #askAddress(): Promise<void> {
    const values = await this.#app.dialogs.ask({
      title: 'Another service',
      fields: [
        {
          name: 'url',
          label: 'Address of the service',
          value: this.#url,
          placeholder: 'https://docs.example.com',
          help: 'For this time only. Set QUIRE_URL in your shell to use it always.',
          check: addressTrouble,
        },
      ],
      act: 'Use it',
    })
    if (values?.['url'] === undefined) return
    this.#url = new URL(values['url'].trim()).origin
    this.#say(undefined)
  }

  async #sample(): Promise<void> {
    const workspace = await this.#app.task('Opening the sample project', () => this.#ports.openSample())
    if (workspace !== undefined) this.#ports.enter(workspace)
  }

  #copy(text: string, what: string): void {
    this.#app.copy(text)
    this.#app.notify(`${what} was sent to the clipboard. Not every terminal allows that: it stays to be seen here.`)
  }

  #say(trouble: string | undefined): void {
    this.#trouble = trouble
    this.#renew()
  }

  #wait(pending: PendingSignIn | undefined): void {
    this.#pending = pending
    this.#renew()
  }

  #renew(): void {
    this.#list.items = this.#choices()
    this.#app.refresh()
  }

  #words(width: number): readonly Line[] {
    const lines = this.#allWords(width)
    return this.#isTight ? lines.filter(({ length }) => length > 0) : lines
  }

  #allWords(width: number): readonly Line[] {
    if (this.#pending !== undefined) return codeLines(this.#pending, width)
    const trouble = this.#trouble === undefined ? [] : [...wrapped(this.#trouble, width, 'warning'), []]
    return [
      ...trouble,
      [span('Write documentation here, and see it live.', { bold: true })],
      ...wrapped(
        `You are not signed in to ${this.#url}. No account yet? Create one at ${this.#url}/dashboard.`,
        width,
        'muted',
      ),
    ]
  }
}

const troubles: Readonly<Partial<Record<string, string>>> = {
  access_denied: 'The sign-in was denied in the browser. Nothing was signed in.',
  expired_token: 'Nobody approved the code in time, so it is no longer good. Sign in again for a new one.',
}

/** Why an address cannot be that of a service. */
export function addressTrouble(value: string): string | undefined {
  const text = value.trim()
  if (!URL.canParse(text)) return 'Write it whole, such as https://docs.example.com.'
  const { protocol, hostname } = new URL(text)
  if (protocol === 'https:') return undefined
  if (protocol !== 'http:') return 'It has to begin with https://.'
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost') || /^(?:127\.|\[::1\])/.test(hostname)
  return isLocal ? undefined : 'Over http:// anybody on the way could read your work: use https://.'
}

function codeLines({ code, address, expiresAt }: PendingSignIn, width: number): readonly Line[] {
  const letters = Array.from(shown(code)).join(' ')
  const frame = (left: string, right: string): Line => [
    span(`${left}${'─'.repeat(letters.length + 6)}${right}`, { color: 'accent' }),
  ]
  const side = span('│', { color: 'accent' })
  return [
    [span('Approve this terminal in a browser', { bold: true })],
    [],
    frame('╭', '╮'),
    [side, span(`   ${letters}   `, { bold: true, color: 'accent' }), side],
    frame('╰', '╯'),
    [],
    ...wrapped('Open this page, and approve if it shows the same code:', width),
    ...wrapped(address, width, 'link'),
    [],
    ...wrapped(`Waiting … The code is good until ${clockText(expiresAt)}.`, width, 'muted'),
  ]
}

function wrapped(text: string, width: number, color: 'text' | 'muted' | 'warning' | 'link' = 'text'): Line[] {
  return wrapText(shown(text), width).map((line) => [span(line, { color })])
}
