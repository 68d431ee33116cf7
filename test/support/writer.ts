import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type Client } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { FakeBuilder } from './fake-builder.ts'
import { Pty, type PtyOptions } from './pty.ts'
import { freePort, startService, unlimited, type ServiceProcess } from './service-process.ts'
import { startTestService } from './service.ts'
import { removeDirectory } from './temporary.ts'

export interface Page {
  readonly path: string
  readonly content: string
}

/** A service that is there for a writer. */
type Host = Pick<ServiceProcess, 'url' | 'stop' | 'kill'>

/** In the test's own process, where no site is read: with a builder that only copies, it is there at once. */
async function startHere(environment: Readonly<Record<string, string>>): Promise<Host> {
  const service = await startTestService(environment, { builder: new FakeBuilder() })
  const kill = () => Promise.reject(new Error('Only a process can be killed.'))
  return { url: `http://localhost:${service.port}`, stop: () => service.close(), kill }
}

const account = { email: 'ada@example.com', password: 'correct horse battery' }

/** A writer with an account and a project at a real service, and a machine of her own: a home for the terminal UI. */
export class Writer {
  readonly home: string
  readonly slug = 'handbook'
  #client: Client
  readonly #directory: string
  readonly #data: string
  readonly #port: number
  readonly #environment: Readonly<Record<string, string>>
  #service: Host
  readonly #terminals: Pty[] = []

  private constructor(options: {
    readonly directory: string
    readonly token: string
    readonly port: number
    readonly environment: Readonly<Record<string, string>>
    readonly service: Host
  }) {
    this.#directory = options.directory
    this.#data = join(options.directory, 'data')
    this.home = join(options.directory, 'home')
    this.#port = options.port
    this.#environment = options.environment
    this.#service = options.service
    this.#client = createClient({ baseUrl: options.service.url, token: options.token })
  }

  /**
   * @param pages that are live
   * @param host where her service runs: one that is to be killed, or whose builds matter, is a process
   */
  static async start(
    pages: readonly Page[],
    environment: Readonly<Record<string, string>> = {},
    host: 'process' | 'here' = 'process',
  ): Promise<Writer> {
    const directory = await mkdtemp(join(tmpdir(), 'quire-writer-'))
    await mkdir(join(directory, 'home'))
    const port = await freePort()
    const settings = { ...unlimited, ...environment }
    const service =
      host === 'here' ? await startHere(settings) : await startService(join(directory, 'data'), settings, port)
    const { token } = await createClient({ baseUrl: service.url }).call(contract.accounts.signup, { body: account })
    const writer = new Writer({ directory, token, port, environment: settings, service })
    await writer.client.call(contract.projects.create, { body: { slug: writer.slug } })
    await writer.client.call(contract.deploys.create, { query: { project: writer.slug }, body: { files: [...pages] } })
    return writer
  }

  /** As whom she does what she does elsewhere than at a terminal. */
  get client(): Client {
    return this.#client
  }

  get url(): string {
    return this.#service.url
  }

  /** What the terminal UI keeps on this machine. */
  get state(): string {
    return join(this.home, '.local', 'state', 'quire')
  }

  /** Opens the terminal UI. Signs in by the code that it shows, the first time. */
  async opens(options: PtyOptions = {}): Promise<Pty> {
    const terminal = new Pty(['ui'], {
      width: 120,
      height: 40,
      ...options,
      environment: { HOME: this.home, QUIRE_URL: this.url, ...options.environment },
    })
    this.#terminals.push(terminal)
    await terminal.shows(/Sign in|handbook/)
    if (terminal.screen().includes('Sign in')) await this.signsIn(terminal, 'Projects')
    return terminal
  }

  /** The text of a file of a branch, as the service has it. */
  async reads(branch: string, path: string): Promise<string> {
    const { items } = await this.client.call(contract.branches.list, {
      params: { slug: this.slug },
      query: { name: branch },
    })
    const id = items[0]?.id ?? ''
    return (await this.client.call(contract.branches.readFile, { params: { slug: this.slug, id, path } })).content
  }

  /** kill -9 of the service. */
  killService(): Promise<void> {
    return this.#service.kill()
  }

  async restartService(): Promise<void> {
    this.#service = await startService(this.#data, this.#environment, this.#port)
  }

  /** Approves what a terminal asks for at its welcome. @param shown what is on the screen then */
  async signsIn(terminal: Pty, shown = 'Signed in as'): Promise<void> {
    terminal.key('enter')
    await terminal.shows('user_code=')
    const [, code = ''] = /user_code=([A-Z-]+)/.exec(terminal.screen()) ?? []
    await this.client.call(contract.device.approve, { body: { user_code: code } })
    await terminal.shows(shown)
  }

  /** Again, where the session of `client` was ended at a terminal. */
  async signsInElsewhere(): Promise<void> {
    const isIn = await this.#client.call(contract.accounts.me).then(
      () => true,
      () => false,
    )
    if (isIn) return
    const { token } = await createClient({ baseUrl: this.url }).call(contract.accounts.login, { body: account })
    this.#client = createClient({ baseUrl: this.url, token })
  }

  /** Ends the sessions of all terminals. */
  async endsSessions(): Promise<void> {
    await this.client.call(contract.sessions.revokeOthers)
  }

  async leaves(): Promise<void> {
    for (const terminal of this.#terminals) await terminal.dispose()
    await this.#service.stop()
    await removeDirectory(this.#directory)
  }
}
