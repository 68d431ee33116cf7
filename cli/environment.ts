import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** What the variables tell of the terminal; it may say more when it is asked. */
export interface TerminalTraits {
  /** `none` also where the person wants no colours. */
  readonly colorDepth: 'none' | '16' | '256' | 'truecolor'
  /** Of its background; undefined: they do not tell. */
  readonly shade: 'light' | 'dark' | undefined
  /** False where italic letters are shown as something else. */
  readonly italic: boolean
  /** A program between us and the terminal that a person sees. */
  readonly multiplexer: 'tmux' | 'screen' | undefined
}

/** What named a service or a project. */
export type NamedBy =
  /** An option or a variable. */
  | { readonly kind: 'person' }
  /** The file in which a folder remembers its project. */
  | { readonly kind: 'link'; readonly path: string }
  /** The remote of the clone that the folder is in. */
  | { readonly kind: 'origin'; readonly url: string }
  /** The last sign-in. */
  | { readonly kind: 'login' }
  /** Nothing. */
  | { readonly kind: 'default' }

/** What GitHub Actions tells a job that is given its token. */
export interface GitHubAccess {
  readonly token: string
  /** Base URL of GitHub’s API. */
  readonly apiUrl: string
  /** `owner/name`. */
  readonly repository: string
  /** File with what set the job off, as JSON. */
  readonly eventFile: string
}

/** The only reader of `process.env` and of the terminal's nature in the command line. */
export interface Environment {
  /** Base URL of the service, where it is named. */
  readonly url: string | undefined
  readonly key: string | undefined
  /** Slug of the project, where it is named. */
  readonly project: string | undefined
  /** What named the service; known once the target of a command is, and before that no key is sent. */
  readonly urlBy?: NamedBy | undefined
  /** What named the project, where no option and no variable did. */
  readonly projectBy?: NamedBy | undefined
  /** Folder of the settings of this person (XDG Base Directory Specification). */
  readonly configDirectory: string
  /** Folder of what outlasts a run: drafts, and what was opened. */
  readonly stateDirectory: string
  /** A build server: nobody is there. */
  readonly ci: boolean
  /** A browser that is opened here appears before whoever typed the command. */
  readonly browser: boolean
  /** Somebody sees a redrawn line and can answer a question. */
  readonly interactive: boolean
  readonly color: boolean
  readonly terminal: TerminalTraits
  /** A screen reader is in use: lines one after the other, nothing painted. */
  readonly screenReader: boolean
  /** Columns of the terminal that shows standard output; undefined where a program reads it. */
  readonly columns: number | undefined
  readonly githubActions: boolean
  /** Folder that annotations' paths are relative to. */
  readonly workspace: string
  readonly stepSummary: string | undefined
  /** Where a comment on a pull request can be written; undefined elsewhere than in GitHub Actions with a token. */
  readonly github: GitHubAccess | undefined
  /** A shell command that opens a file. */
  readonly editor: string
  /** A deploy may take most of a site away without a question. */
  readonly allowsRemoval: boolean
  /** A newer version is told of. */
  readonly updateNotice: boolean
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
function ownFolder(base: string | undefined, ...fallback: string[]): string {
  return join(base !== undefined && isAbsolute(base) ? base : join(homeFolder() ?? noHome, ...fallback), 'quire')
}

/** In the place of a home that is none: nothing is found below it, and nothing can be kept. */
const noHome = '/dev/null'

/** The home of this user; undefined where the system knows of none, as of a user that a container made up. */
export function homeFolder(): string | undefined {
  try {
    return homedir()
  } catch {
    return undefined
  }
}

const manyColors = /^(?:xterm-kitty|xterm-ghostty|alacritty|foot|wezterm|contour|rio)|-direct$/

function colorDepth(env: NodeJS.ProcessEnv): TerminalTraits['colorDepth'] {
  const term = env['TERM'] ?? ''
  const forced = ({ '1': '16', '2': '256', '3': 'truecolor' } as const)[env['FORCE_COLOR'] ?? '']
  if (forced !== undefined) return forced
  if (/^(?:dumb$|vt\d)|-m$|-mono$/.test(term)) return 'none'
  // It inherits COLORTERM from the terminal that it was started in, and does not pass such colours on.
  const direct = env['STY'] === undefined && /^(?:truecolor|24bit)$/.test(env['COLORTERM'] ?? '')
  if (direct || manyColors.test(term) || env['WT_SESSION'] !== undefined) return 'truecolor'
  return /256color/.test(term) ? '256' : '16'
}

/** The last number of COLORFGBG is the background, as one of 16 colours. */
function shadeOf(env: NodeJS.ProcessEnv): TerminalTraits['shade'] {
  const background = /;(\d+)$/.exec(env['COLORFGBG'] ?? '')?.[1]
  if (background === undefined) return undefined
  return background === '7' || Number(background) > 8 ? 'light' : 'dark'
}

function terminalTraits(env: NodeJS.ProcessEnv, color: boolean): TerminalTraits {
  const term = env['TERM'] ?? ''
  return {
    colorDepth: color ? colorDepth(env) : 'none',
    shade: shadeOf(env),
    italic: !/^(?:screen|linux|cons|vt\d|dumb)/.test(term),
    multiplexer: env['TMUX'] ? 'tmux' : env['STY'] ? 'screen' : undefined,
  }
}

/** What the options of all commands say of it. */
export interface EnvironmentOptions {
  readonly url?: string
  readonly project?: string
  readonly color?: boolean
  readonly input?: boolean
}

function gitHubOf(env: NodeJS.ProcessEnv): GitHubAccess | undefined {
  const [token, repository, eventFile] = [env['GITHUB_TOKEN'], env['GITHUB_REPOSITORY'], env['GITHUB_EVENT_PATH']]
  if (env['GITHUB_ACTIONS'] !== 'true' || !token || !repository || !eventFile) return undefined
  return { token, repository, eventFile, apiUrl: env['GITHUB_API_URL'] || 'https://api.github.com' }
}

export function readEnvironment(options: EnvironmentOptions = {}): Environment {
  const env = process.env
  const terminal = process.stderr.isTTY
  const color = wantsColor(env, options.color !== false, terminal)
  return {
    url: options.url || env['QUIRE_URL'] || undefined,
    key: env['SERVICE_API_KEY'] || undefined,
    project: options.project || env['QUIRE_PROJECT'] || undefined,
    configDirectory: ownFolder(env['XDG_CONFIG_HOME'], '.config'),
    stateDirectory: ownFolder(env['XDG_STATE_HOME'], '.local', 'state'),
    ci: Boolean(env['CI']),
    browser: hasBrowser(env) && options.input !== false,
    interactive: terminal && process.stdin.isTTY && !env['CI'] && options.input !== false,
    color,
    terminal: terminalTraits(env, color),
    screenReader: Boolean(env['QUIRE_SCREEN_READER']) || env['TERM'] === 'dumb',
    // A terminal that does not know its size has 0.
    columns: process.stdout.isTTY ? process.stdout.columns || 80 : undefined,
    githubActions: env['GITHUB_ACTIONS'] === 'true',
    workspace: env['GITHUB_WORKSPACE'] || process.cwd(),
    stepSummary: env['GITHUB_STEP_SUMMARY'] || undefined,
    github: gitHubOf(env),
    editor: env['VISUAL'] || env['EDITOR'] || 'vi',
    allowsRemoval: /^(?:1|true|yes)$/i.test(env['QUIRE_ALLOW_REMOVAL'] ?? ''),
    updateNotice: !env['NO_UPDATE_NOTIFIER'],
    webhookSecret: env['QUIRE_WEBHOOK_SECRET'] || undefined,
  }
}
