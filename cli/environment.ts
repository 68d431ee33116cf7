/** The only reader of `process.env` and of the terminal's nature in the command line. */
export interface Environment {
  /** Base URL of the service. */
  readonly url: string | undefined
  readonly key: string | undefined
  /** Somebody sees a redrawn line and can answer a question. */
  readonly interactive: boolean
  readonly color: boolean
  readonly githubActions: boolean
  /** Folder that annotations' paths are relative to. */
  readonly workspace: string
  readonly stepSummary: string | undefined
  /** A shell command that opens a file. */
  readonly editor: string
}

/** `--no-color` > `NO_COLOR` > `FORCE_COLOR` > terminal (no-color.org, force-color.org). */
function wantsColor(env: NodeJS.ProcessEnv, flag: boolean, terminal: boolean): boolean {
  if (!flag || env['NO_COLOR']) return false
  if (env['FORCE_COLOR'] && env['FORCE_COLOR'] !== '0') return true
  return terminal && env['TERM'] !== 'dumb'
}

export function readEnvironment(options: { color?: boolean; input?: boolean } = {}): Environment {
  const env = process.env
  const terminal = process.stderr.isTTY
  return {
    url: env['QUIRE_URL'] || undefined,
    key: env['SERVICE_API_KEY'] || undefined,
    interactive: terminal && process.stdin.isTTY && !env['CI'] && options.input !== false,
    color: wantsColor(env, options.color !== false, terminal),
    githubActions: env['GITHUB_ACTIONS'] === 'true',
    workspace: env['GITHUB_WORKSPACE'] || process.cwd(),
    stepSummary: env['GITHUB_STEP_SUMMARY'] || undefined,
    editor: env['VISUAL'] || env['EDITOR'] || 'vi',
  }
}
