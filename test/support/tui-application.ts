import { Application } from '#cli/tui/app/application.ts'
import { Chrome } from '#cli/tui/app/chrome/chrome.tsx'
import type { Settings, SettingsValues } from '#cli/tui/app/settings.ts'
import type { View } from '#cli/tui/app/view.ts'
import type { Size } from '#cli/tui/canvas/pane.ts'
import { readEnvironment } from '#cli/environment.ts'
import { ScreenTerminal } from './screen-terminal.ts'

interface StartOptions {
  readonly size?: Size
  readonly linear?: boolean
  readonly settings?: Partial<SettingsValues>
  readonly settle?: (signal: AbortSignal) => Promise<void>
  readonly unkept?: () => readonly string[]
}

/** The real application with a view, on a terminal in memory. */
export async function startApplication(view: View, options: StartOptions = {}) {
  const { size, linear = false, settings = {}, settle = async () => undefined, unkept = () => [] } = options
  const terminal = new ScreenTerminal(size, linear)
  const log: string[] = []
  const browsed: string[] = []
  const app = new Application({
    environment: readEnvironment(),
    settings: memorySettings(settings),
    terminal,
    chrome: new Chrome(),
    openBrowser: (address) => browsed.push(address),
    log: (message) => log.push(message),
    corner: () => ({ text: 'ada@example.com', offline: false }),
    settle,
    unkept,
  })
  const ended = app.run(view)
  return { app, terminal, log, browsed, ended }
}

export function memorySettings(values: Partial<SettingsValues> = {}): Settings {
  const settings = {
    values: { mouse: true, theme: 'dark', toured: true, ...values } as SettingsValues,
    change(changed: Partial<SettingsValues>): void {
      settings.values = { ...settings.values, ...changed }
    },
  }
  return settings
}
