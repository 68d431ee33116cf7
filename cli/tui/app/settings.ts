/** What a person chose in the UI; kept in `ui.json` beside the other settings of the command line. */
export interface SettingsValues {
  readonly mouse: boolean
  /** `auto` asks the terminal. */
  readonly theme: 'auto' | 'light' | 'dark'
  /** The guided tour has been seen, or was ended. */
  readonly toured: boolean
}

export interface Settings {
  readonly values: SettingsValues
  /** Takes effect at once, and is kept. What cannot be kept is told in the log only. */
  change(values: Partial<SettingsValues>): void
}
