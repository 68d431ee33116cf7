import type { Terminal } from '../terminal/terminal.ts'
import type { App } from './app.ts'
import { helpOf, paletteOf } from './help.ts'
import type { Painter } from './painter.ts'
import type { Tour } from './tour.ts'
import type { Command } from './view.ts'
import type { ViewStack } from './view-stack.ts'

interface CommandSources {
  readonly views: ViewStack
  readonly tour: Tour
  readonly terminal: Terminal
  readonly screen: Pick<Painter, 'typing'>
  /** What can be done on every screen, beside what is known here. */
  readonly more: () => readonly Command[]
}

/** What can be done now, by the view and everywhere, and the doing of it. */
export class Commands {
  readonly #app: App
  readonly #sources: CommandSources

  constructor(app: App, sources: CommandSources) {
    this.#app = app
    this.#sources = sources
  }

  /** Those of the view first: it may have one of its own in the place of one of everywhere. */
  all(): readonly Command[] {
    const { views, tour, terminal, more } = this.#sources
    const own = views.top?.commands() ?? []
    const global: readonly Command[] = [
      ...tour.commands(views.top),
      ...more(),
      { id: 'help', title: 'Help for this screen', keys: ['f1', '?'], hint: 'help', run: () => this.#help() },
      { id: 'palette', title: 'All commands, by name', keys: ['ctrl+p'], hint: 'more', run: () => this.#palette() },
      {
        id: 'mouse',
        title: terminal.mouse ? 'Switch the mouse off' : 'Switch the mouse on',
        run: () => this.#toggleMouse(),
      },
      ...(views.all.length > 1
        ? [{ id: 'back', title: 'Go back; never quits', keys: ['escape'], hint: 'back', run: () => views.back() }]
        : []),
      { id: 'quit', title: 'Quit', keys: ['ctrl+q'], hint: 'quit', run: () => this.#app.quit() },
    ]
    const taken = new Set(own.map(({ id }) => id))
    return [...own, ...global.filter(({ id }) => !taken.has(id))]
  }

  /** Does it, and tells what it throws; of what cannot be done now it tells why. */
  run(command: Command): void {
    if (command.unavailable === undefined) void this.#settled(command)
    else this.#app.notify(command.unavailable, 'warning')
  }

  async #settled(command: Command): Promise<void> {
    try {
      await command.run()
    } catch (error) {
      this.#app.fail(error)
    }
    this.#app.refresh()
  }

  async #palette(): Promise<void> {
    const command = await this.#app.dialogs.choose({ title: 'Commands', choices: paletteOf(this.all()) })
    if (command !== undefined) this.run(command)
  }

  #help(): void {
    const { views, screen } = this.#sources
    const view = views.top
    if (view === undefined) return
    const body = helpOf(view, this.all(), screen.typing)
    void this.#app.dialogs.tell({ title: `Help: ${view.title}`, body })
  }

  #toggleMouse(): void {
    const mouse = !this.#sources.terminal.mouse
    this.#app.settings.change({ mouse })
    this.#app.notify(mouse ? 'The mouse works here; hold Shift to select text.' : 'The mouse is your terminal’s again.')
  }
}
