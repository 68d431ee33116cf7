import type { Environment } from '../../environment.ts'
import type { Dialogs } from './dialogs.ts'
import type { Settings } from './settings.ts'
import type { View } from './view.ts'

export type MessageKind = 'info' | 'success' | 'warning' | 'error'

/** What views have of the application. */
export interface App {
  readonly environment: Environment
  readonly settings: Settings
  readonly dialogs: Dialogs
  /** Goes to a view; Esc comes back. Who has gone elsewhere since it was asked for stays there. */
  push(view: View): void
  /** Leaves so many views, one without a number: those between are not shown. Not where the person has gone on meanwhile. */
  pop(count?: number): void
  /** Takes the place of the view on top; not where the person has gone on to that meanwhile. */
  replace(view: View): void
  /** Leaves all views, and begins with another one. */
  restart(view: View): void
  /** Something that is shown has changed: everything is painted once, soon. */
  refresh(): void
  /** A line at the bottom, until the next one or for some seconds; errors stay until a key is pressed. */
  notify(message: string, kind?: MessageKind): void
  /** Tells a failure: what, where, what next. What is no Failure is a bug: told so, and whole in the log. */
  fail(error: unknown): void
  /**
   * Work that takes a while: its title stands at the bottom with a spinner. Resolves with undefined when it failed, which
   * is told, or when Esc broke it off. Views stay usable meanwhile.
   */
  task<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined>
  /** Gives the terminal to another program, such as `$EDITOR`. */
  suspend<T>(work: () => Promise<T>): Promise<T>
  copy(text: string): void
  openBrowser(address: string): void
  /** A line of the log file, for what a person need not see. */
  log(message: string): void
  quit(): Promise<void>
}
