import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readEnvironment } from '../environment.ts'
import { Application } from './app/application.ts'
import { loadChrome } from './app/chrome/load.ts'
import { lineText } from './canvas/width.ts'
import { openWorkspace } from './data/service/open-workspace.ts'
import { openSample } from './data/sample/sample.ts'
import { openSettings } from './data/disk/settings-file.ts'
import { projects } from './routes.ts'
import { Decoder } from './terminal/decoder.ts'
import { Screen } from './terminal/screen.ts'
import type { Frame, Terminal } from './terminal/terminal.ts'
import { createTheme } from './terminal/theme.ts'
import { PendingMerges } from './views/merge/pending-merges.ts'
import { OpeningView } from './views/start/opening.ts'

/** So long each screen is waited for; a machine that needs longer compiles less ahead. */
const patienceMs = 10_000
const lookMs = 5

/** Keys as terminals send them. */
const [enter, down, end] = ['\r', '\u001B[B', '\u001B[F']

/** Nobody listens here: whatever is asked of a service fails at once. */
const nowhere = 'http://127.0.0.1:1'

/**
 * What the UI does when somebody opens it and looks around, with nobody there: from the first paint into a page of the
 * sample project. The build has it run, and keeps the compiled code of all that ran.
 * @returns what is seen in the end, by rows
 */
export async function warmUp(): Promise<readonly string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-compile-'))
  const log = (): void => undefined
  const environment = { ...readEnvironment(), stateDirectory: directory, configDirectory: directory }
  const terminal = new DarkTerminal()
  const app = new Application({
    environment,
    settings: await openSettings({ environment, log, onChange: log }),
    terminal,
    chrome: await loadChrome(),
    openBrowser: log,
    log,
    corner: () => ({ text: 'sample', offline: false }),
    settle: () => Promise.resolve(),
    unkept: () => [],
  })
  try {
    void app.run(new OpeningView())
    const credential = { kind: 'key', token: 'none' } as const
    const workspace = await openWorkspace({ environment, url: nowhere, credential, log })
    app.restart(projects(app, { workspace, pendingMerges: new PendingMerges() }, { signOut: () => Promise.resolve() }))
    await terminal.shows('The projects could not be read')
    const sample = { workspace: await openSample(), pendingMerges: new PendingMerges() }
    app.restart(projects(app, sample, { signOut: () => Promise.resolve() }))
    await terminal.shows('what readers see')
    // The files of its branch, one of them, and what is written there.
    const steps: readonly (readonly [key: string, shown: string])[] = [
      [enter, 'accordions.mdx'],
      [down, 'components/accordions.mdx ─'],
      [enter, 'title: '],
      [down, ' 2:1 '],
      [end, ' 2:18 '],
      [down, ' 3:18 '],
      ['a', ' 3:18 '],
    ]
    for (const [key, shown] of steps) {
      terminal.type(key)
      await terminal.shows(shown)
    }
    await workspace.close()
    return terminal.rows
  } finally {
    app.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

/** As large as many are, and dark. */
class DarkTerminal implements Terminal {
  readonly size = { width: 120, height: 40 }
  readonly linear = false
  mouse = false
  title = ''
  readonly #theme = createTheme({ depth: 'truecolor', shade: 'dark', italic: true })
  readonly #screen = new Screen({ write: (_text, written) => written() }, this.#theme, this.size)
  #decoder: Decoder | undefined
  #frame: Frame = { rows: [] }

  get rows(): readonly string[] {
    return this.#frame.rows.map(lineText)
  }

  start({ input }: Parameters<Terminal['start']>[0]): void {
    this.#decoder = new Decoder({ input, answer: () => undefined })
    this.#screen.start()
  }

  stop(): void {
    this.#screen.stop()
  }

  draw(frame: Frame): void {
    this.#frame = frame
    this.#screen.draw(frame)
  }

  /** Resolves when it is on the screen, or is too long in coming. */
  async shows(text: string): Promise<void> {
    for (const latest = Date.now() + patienceMs; Date.now() < latest; await sleep(lookMs))
      if (this.rows.some((row) => row.includes(text))) return
  }

  type(text: string): void {
    this.#screen.hold()
    this.#decoder?.read(Buffer.from(text))
    this.#screen.release()
  }

  say(): void {}

  echo(): void {}

  suspend<T>(work: () => Promise<T>): Promise<T> {
    return work()
  }

  copy(): void {}
}
