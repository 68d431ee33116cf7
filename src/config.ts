import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { Failure } from './contract/failure.ts'
import type { Plan } from './contract/projects.ts'
import type { RateLimits } from './contract/limits.ts'
import type { ErrorDetail } from './contract/common.ts'

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** Requests a minute, for each key, account or address: the setting, and what holds for a service that others reach. */
const rates: Readonly<Record<keyof RateLimits, readonly [setting: string, perMinute: number]>> = {
  signIn: ['SIGN_INS_PER_MINUTE', 20],
  device: ['RATE_DEVICE', 60],
  deploy: ['RATE_DEPLOY', 60],
  objects: ['RATE_OBJECTS', 600],
  branches: ['RATE_BRANCHES', 60],
  generate: ['RATE_GENERATE', 30],
  ask: ['RATE_ASK', 6],
  webhooks: ['RATE_WEBHOOKS', 30],
  changelog: ['RATE_CHANGELOG', 60],
  callers: ['RATE_CALLERS', 1200],
  strangers: ['RATE_STRANGERS', 600],
  failures: ['RATE_FAILURES', 60],
}

/** How many times higher the rates are on a developer's own machine, where tests and scripts are the only callers. */
const localFactor = 30

/** 32 bytes in hex, Base64 or its variant for URLs. */
const keyPatterns = { hex: /^[0-9a-f]{64}$/i, base64: /^[\w+/-]{43}=?$/ } as const

/** Characters of a token that nobody can guess. */
const leastToken = 16

/** The settings of a service. See the table in README.md. */
export interface Config {
  readonly host: string
  readonly port: number
  /** Origin of dashboard and API, without trailing slash. */
  readonly publicUrl: string
  /** Sites are at `<slug>.<previewDomain>`, which may have a port. */
  readonly previewDomain: string
  /** Absolute. */
  readonly dataDirectory: string
  readonly defaultPlan: Plan
  readonly signup: 'open' | 'closed'
  /** Through whom people may sign in, beside their passwords. */
  readonly oidc: OidcSettings | undefined
  readonly rateLimits: RateLimits
  /** Who may read the numbers at /metrics: anybody on a developer’s own machine, elsewhere whoever has the token. */
  readonly metrics: { readonly isOpen: boolean; readonly token: string | undefined }
  /** Build children; undefined: by the machine. */
  readonly renderChildren: number | undefined
  /** Seconds that the pages of one build may take by the clock. */
  readonly buildSeconds: number
  /** Projects that one account may own. */
  readonly maxProjects: number
  /** Bytes of the data directory’s disk that content leaves free; undefined: by the size of the disk. */
  readonly minFree: number | undefined
  /** The service starts although a page that breaks the renderer could reach more than its project: see SECURITY.md. */
  readonly allowWeakIsolation: boolean
  /** Connections at a time; undefined: by the machine. */
  readonly maxConnections: number | undefined
  /** Of one address, where that is no trusted proxy’s. */
  readonly connectionsPerAddress: number
  /** Whose X-Forwarded-For counts: nobody’s, or addresses and networks of proxies. */
  readonly trustProxy: false | string
  readonly logLevel: (typeof logLevels)[number]
  /** Seconds that running deploys have to end after SIGTERM. */
  readonly drainSeconds: number
  /** Changes of a repository’s refs (a save, a push, a deploy) after which its garbage is collected. */
  readonly gcEvery: number
  /** Hosts, some with a port, that webhooks may reach although they are not public. */
  readonly webhookAllowHosts: readonly string[]
  /** Seconds that the receiver of a webhook has to answer. */
  readonly webhookTimeoutSeconds: number
  /** Seconds before each attempt to deliver an event, counted from the end of the one before; undefined: as published. */
  readonly webhookRetrySchedule: readonly number[] | undefined
  /** 32 bytes each: the first seals the signing secrets of webhooks. None: the service makes a key of its own. */
  readonly secretKeys: readonly Uint8Array[]
  /** Days for which the slug of a removed or renamed project is kept for its owner. */
  readonly slugReservedDays: number
  /** Step after which the process kills itself: crash tests. */
  readonly failpoint: string | undefined
  /** Where git is looked for. */
  readonly searchPath: string | undefined
}

/** An OpenID Connect provider. */
interface OidcSettings {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** For the button. */
  readonly name: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** Reads settings one by one and remembers what is wrong with them, so that all of it is told at once. */
class Reader {
  readonly #environment: Environment
  readonly errors: ErrorDetail[] = []

  constructor(environment: Environment) {
    this.#environment = environment
  }

  /** An empty setting is one that is not set. */
  text(name: string): string | undefined {
    const value = this.#environment[name]?.trim()
    return value === '' ? undefined : value
  }

  integer(name: string, fallback: number, range: readonly [from: number, to: number]): number {
    const text = this.text(name)
    if (text === undefined) return fallback
    const [from, to] = range
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= from && value <= to) return value
    return this.#wrong(name, text, `a whole number from ${from} to ${to}`, fallback)
  }

  /** What nobody may guess; its value is in no message. */
  secret(name: string, least: number): string | undefined {
    const text = this.text(name)
    if (text !== undefined && !(text.length >= least && /^[\x21-\x7e]+$/.test(text)))
      this.errors.push({ path: name, message: `must have at least ${least} characters, all of them printable ASCII` })
    return text
  }

  /** Keys between commas or in lines, in a setting or in the file that another one names; they are in no message. */
  keys(name: string, fileName: string): readonly Uint8Array[] {
    const [inline, path] = [this.text(name), this.text(fileName)]
    if (inline !== undefined && path !== undefined)
      this.errors.push({ path: fileName, message: `must not be set where ${name} is` })
    const text = inline ?? (path === undefined ? undefined : this.#file(fileName, path))
    if (text === undefined) return []
    const keys = text.split(/[\s,]+/).filter((part) => part !== '')
    const decoded = keys.map(keyOf).filter((key) => key !== null)
    if (decoded.length > 0 && decoded.length === keys.length) return decoded
    this.errors.push({
      path: inline === undefined ? fileName : name,
      message: `must ${inline === undefined ? 'name a file with' : 'be'} 32 random bytes in Base64 or hex; older keys may follow after commas`,
    })
    return []
  }

  #file(name: string, path: string): string | undefined {
    try {
      return readFileSync(path, 'utf8')
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.errors.push({ path: name, message: `names a file that cannot be read: ${reason}` })
      return undefined
    }
  }

  choice<T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const text = this.text(name)
    if (text === undefined) return fallback
    return (
      choices.find((choice) => choice === text) ?? this.#wrong(name, text, `one of ${choices.join(', ')}`, fallback)
    )
  }

  origin(name: string, fallback: string): string {
    const text = this.text(name)
    if (text === undefined) return fallback
    const url = URL.canParse(text) ? new URL(text) : null
    if (
      url !== null &&
      /^https?:$/.test(url.protocol) &&
      url.pathname === '/' &&
      url.search === '' &&
      url.username === ''
    )
      return url.origin
    return this.#wrong(name, text, 'an http or https origin such as https://docs.example.com', fallback)
  }

  /** As the provider writes it: the discovery document repeats it letter for letter. */
  issuer(name: string): string | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const url = URL.canParse(text) ? new URL(text) : null
    const safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(text))
    if (url !== null && safe && url.search === '' && url.hash === '' && url.username === '') return text
    return this.#wrong(name, text, 'the https address of an OpenID Connect provider', undefined)
  }

  /** Settings that make sense together only: all of them, or undefined where none is set. */
  together<N extends string>(names: readonly N[]): Readonly<Record<N, string>> | undefined {
    const found = names.map((name) => [name, this.text(name)] as const)
    const missing = found.filter(([, value]) => value === undefined).map(([name]) => name)
    if (missing.length === names.length) return undefined
    for (const name of missing) {
      const others = names.filter((other) => !missing.includes(other)).join(' and ')
      this.errors.push({ path: name, message: `must be set, too, where ${others} is` })
    }
    return missing.length === 0 ? (Object.fromEntries(found) as Record<N, string>) : undefined
  }

  /** Parts between commas, each trimmed and in lower case; none when it is not set. */
  list(name: string, pattern: RegExp, wanted: string): readonly string[] {
    const text = this.text(name)
    if (text === undefined) return []
    const parts = text.split(',').map((part) => part.trim().toLowerCase())
    return parts.every((part) => pattern.test(part)) ? parts : this.#wrong(name, text, wanted, [])
  }

  /** Addresses and networks between commas, or the names that proxy-addr has for private ones. */
  networks(name: string): string | undefined {
    const text = this.text(name)
    if (text === undefined || text.split(',').every((part) => isNetwork(part.trim()))) return text
    return this.#wrong(name, text, 'addresses or networks between commas, such as 127.0.0.1,10.0.0.0/8', undefined)
  }

  domain(name: string, fallback: string): string {
    const text = this.text(name)?.toLowerCase()
    if (text === undefined) return fallback
    if (/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/.test(text) && !text.includes('..')) return text
    return this.#wrong(
      name,
      text,
      'a domain such as docs.example.net, with a port where it is not the default',
      fallback,
    )
  }

  #wrong<T>(name: string, value: string, wanted: string, fallback: T): T {
    this.errors.push({ path: name, message: `must be ${wanted}; it is ${JSON.stringify(value)}` })
    return fallback
  }
}

function keyOf(text: string): Uint8Array | null {
  if (keyPatterns.hex.test(text)) return Buffer.from(text, 'hex')
  return keyPatterns.base64.test(text) ? Buffer.from(text, 'base64') : null
}

const isLoopback = (url: string): boolean =>
  /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)

function isNetwork(text: string): boolean {
  if (/^(?:loopback|linklocal|uniquelocal)$/.test(text)) return true
  const [address = '', bits, ...more] = text.split('/')
  const most = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
  if (most === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= most)
}

function readRateLimits(read: Reader, local: boolean): RateLimits {
  const entries = Object.entries(rates).map(([name, [setting, perMinute]]) => {
    const fallback = local ? perMinute * localFactor : perMinute
    return [name, read.integer(setting, fallback, [1, 1_000_000])] as const
  })
  return Object.fromEntries(entries) as RateLimits
}

function readMetrics(read: Reader, local: boolean): Config['metrics'] {
  const token = read.secret('METRICS_TOKEN', leastToken)
  return { isOpen: local && token === undefined, token }
}

function readOidc(read: Reader): OidcSettings | undefined {
  const set = read.together(['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'])
  const issuer = read.issuer('OIDC_ISSUER')
  if (set === undefined || issuer === undefined) return undefined
  const name = read.text('OIDC_NAME') ?? new URL(issuer).hostname
  return { issuer, clientId: set.OIDC_CLIENT_ID, clientSecret: set.OIDC_CLIENT_SECRET, name }
}

/** The settings in an environment. Throws a Failure `invalid_request` that names every wrong one. */
export function readConfig(environment: Environment = process.env): Config {
  const read = new Reader(environment)
  const port = read.integer('PORT', 4000, [0, 65_535])
  const publicUrl = read.origin('PUBLIC_URL', `http://localhost:${port}`)
  const local = isLoopback(publicUrl)
  const children = read.integer('RENDER_CHILDREN', 0, [0, 64])
  const connections = read.integer('MAX_CONNECTIONS', 0, [0, 1_000_000])
  const perAddress = read.integer('CONNECTIONS_PER_ADDRESS', local ? 0 : 256, [0, 1_000_000])
  const projects = read.integer('MAX_PROJECTS', local ? 0 : 100, [0, 1_000_000])
  const minFree = read.integer('MIN_FREE_MB', -1, [0, 1_000_000_000])
  const schedule = read.list(
    'WEBHOOK_RETRY_SCHEDULE',
    /^\d{1,6}(?:\.\d{1,3})?$/,
    'seconds before each attempt, such as 0,5,300,1800',
  )
  const config: Config = {
    host: read.text('HOST') ?? '127.0.0.1',
    port,
    publicUrl,
    previewDomain: read.domain('PREVIEW_DOMAIN', `localhost:${port}`),
    dataDirectory: resolve(read.text('DATA_DIR') ?? 'repos'),
    defaultPlan: read.choice('DEFAULT_PLAN', ['free', 'pro'], local ? 'pro' : 'free'),
    signup: read.choice('SIGNUP', ['open', 'closed'], local ? 'open' : 'closed'),
    oidc: readOidc(read),
    rateLimits: readRateLimits(read, local),
    metrics: readMetrics(read, local),
    renderChildren: children === 0 ? undefined : children,
    buildSeconds: read.integer('BUILD_SECONDS', 900, [1, 86_400]),
    maxProjects: projects === 0 ? Infinity : projects,
    minFree: minFree < 0 ? undefined : minFree * 2 ** 20,
    allowWeakIsolation: read.choice('ALLOW_WEAK_ISOLATION', ['no', 'yes'], 'no') === 'yes',
    maxConnections: connections === 0 ? undefined : connections,
    connectionsPerAddress: perAddress === 0 ? Infinity : perAddress,
    trustProxy: read.networks('TRUST_PROXY') ?? false,
    logLevel: read.choice('LOG_LEVEL', logLevels, 'info'),
    drainSeconds: read.integer('DRAIN_SECONDS', 30, [0, 3600]),
    gcEvery: read.integer('GC_EVERY', 1000, [1, 1_000_000]),
    webhookAllowHosts: read.list(
      'WEBHOOK_ALLOW_HOSTS',
      /^[^\s,/@]+$/,
      'hosts between commas, such as hooks.internal,localhost:3000',
    ),
    webhookTimeoutSeconds: read.integer('WEBHOOK_TIMEOUT_SECONDS', 15, [1, 30]),
    webhookRetrySchedule: schedule.length === 0 ? undefined : schedule.map(Number),
    secretKeys: read.keys('SECRET_KEY', 'SECRET_KEY_FILE'),
    slugReservedDays: read.integer('SLUG_RESERVED_DAYS', 90, [0, 3650]),
    failpoint: read.text('QUIRE_FAILPOINT'),
    searchPath: environment['PATH'],
  }
  if (read.errors.length === 0) return config
  const wrong = read.errors.map(({ path, message }) => `${path} ${message}`).join('; ')
  throw new Failure('invalid_request', `The settings are not valid: ${wrong}.`, { errors: read.errors })
}
