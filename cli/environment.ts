import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** The only reader of `process.env` and of the terminal's nature in the command line. */
export interface Environment {
  /** Base URL of the service. */
  readonly url: string | undefined
  readonly key: string | undefined
  /** Slug of the project, for who has several. */
  readonly project: string | undefined
  /** Folder of the settings of this person (XDG Base Directory Specification). */
  readonly configDirectory: string
  /** A build server: nobody is there. */
  readonly ci: boolean
  /** A browser that is opened here appears before whoever typed the command. */
  readonly browser: boolean
  /** Somebody sees a redrawn line and can answer a question. */
  readonly interactive: boolean
  readonly color: boolean
  /** Columns of the terminal that shows standard output; undefined where a program reads it. */
  readonly columns: number | undefined
  readonly githubActions: boolean
  /** Folder that annotations' paths are relative to. */
  readonly workspace: string
  readonly stepSummary: string | undefined
  /** A shell command that opens a file. */
  readonly editor: string
  /** Signs the deliveries that `quire webhooks listen` receives. */
  readonly webhookSecret: string | undefined
}

/** `--no-color` > `NO_COLOR` > `FORCE_COLOR` > terminal (no-color.org, force-color.org). */
function wantsColor(env: NodeJS.ProcessEnv, flag: boolean, terminal: boolean): boolean {
  if (!flag || env['NO_COLOR']) return false
  if (env['FORCE_COLOR'] && env['FORCE_COLOR'] !== '0') return true
  return terminal && env['TERM'] !== 'dumb'
}

/** Over SSH a browser would open on the other machine, if at all; a Linux without a display has none. */
function hasBrowser(env: NodeJS.ProcessEnv): boolean {
  if (env['CI'] || env['SSH_CONNECTION'] || env['SSH_CLIENT'] || env['SSH_TTY']) return false
  return process.platform !== 'linux' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'])
}

/** A relative path is ignored, as the specification says. */
function configDirectory(env: NodeJS.ProcessEnv): string {
  const base = env['XDG_CONFIG_HOME']
  return join(base !== undefined && isAbsolute(base) ? base : join(homedir(), '.config'), 'quire')
}

export function readEnvironment(options: { color?: boolean; input?: boolean; project?: string } = {}): Environment {
  const env = process.env
  const terminal = process.stderr.isTTY
  return {
    url: env['QUIRE_URL'] || undefined,
    key: env['SERVICE_API_KEY'] || undefined,
    project: options.project || env['QUIRE_PROJECT'] || undefined,
    configDirectory: configDirectory(env),
    ci: Boolean(env['CI']),
    browser: hasBrowser(env) && options.input !== false,
    interactive: terminal && process.stdin.isTTY && !env['CI'] && options.input !== false,
    color: wantsColor(env, options.color !== false, terminal),
    columns: process.stdout.isTTY ? (process.stdout.columns ?? 80) : undefined,
    githubActions: env['GITHUB_ACTIONS'] === 'true',
    workspace: env['GITHUB_WORKSPACE'] || process.cwd(),
    stepSummary: env['GITHUB_STEP_SUMMARY'] || undefined,
    editor: env['VISUAL'] || env['EDITOR'] || 'vi',
    webhookSecret: env['QUIRE_WEBHOOK_SECRET'] || undefined,
  }
}
