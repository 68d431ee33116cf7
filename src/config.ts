import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { Failure } from './contract/failure.ts'
import type { Plan } from './contract/projects.ts'
import type { RateLimits } from './contract/limits.ts'
import { isLoopback, SettingsReader, type Environment } from './lib/settings-reader.ts'

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** The environment, and settings of a file for what it does not have. */
function withFile(environment: Environment): Environment {
  const path = environment['SETTINGS_FILE']?.trim()
  if (path === undefined || path === '') return environment
  try {
    return { ...parseEnv(readFileSync(path, 'utf8')), ...environment }
  } catch (cause) {
    throw new Failure(
      'invalid_request',
      `The settings cannot be read: ${cause instanceof Error ? cause.message : path}.`,
      {
        hint: 'SETTINGS_FILE must name a file that the user of the service may read, with a NAME=value in each line.',
        cause,
      },
    )
  }
}

/** Requests a minute, for each key, account or address: the setting, and what holds for a service that others reach. */
const rates: Readonly<Record<keyof RateLimits, readonly [setting: string, perMinute: number]>> = {
  signIn: ['SIGN_INS_PER_MINUTE', 20],
  device: ['RATE_DEVICE', 60],
  deploy: ['RATE_DEPLOY', 60],
  objects: ['RATE_OBJECTS', 600],
  branches: ['RATE_BRANCHES', 60],
  checks: ['RATE_CHECKS', 120],
  renders: ['RATE_RENDERS', 600],
  searches: ['RATE_SEARCHES', 60],
  generate: ['RATE_GENERATE', 30],
  ask: ['RATE_ASK', 6],
  views: ['RATE_VIEWS', 600],
  feedback: ['RATE_FEEDBACK', 10],
  webhooks: ['RATE_WEBHOOKS', 30],
  domains: ['RATE_DOMAINS', 30],
  enter: ['RATE_ENTER', 10],
  changelog: ['RATE_CHANGELOG', 60],
  callers: ['RATE_CALLERS', 1200],
  strangers: ['RATE_STRANGERS', 600],
  failures: ['RATE_FAILURES', 60],
}

/** How many times higher the rates are on a developer's own machine, where tests and scripts are the only callers. */
const localFactor = 30

/** Characters of a token that nobody can guess. */
const leastToken = 16

/** The settings of a service. See the table in README.md. */
export interface Config {
  readonly host: string
  readonly port: number
  /** Descriptor of a socket that was handed over, bound already; undefined: host and port are bound. */
  readonly socket: number | undefined
  /** Origin of dashboard and API, without trailing slash. */
  readonly publicUrl: string
  /** Sites are at `<slug>.<previewDomain>`, which may have a port. */
  readonly previewDomain: string
  /** Absolute. */
  readonly dataDirectory: string
  readonly defaultPlan: Plan
  readonly signup: 'open' | 'closed'
  /** What owners are told who want another plan. */
  readonly planChange: { readonly text: string | undefined; readonly url: string | undefined }
  /** Where people reach the operator, `https:` or `mailto:`. */
  readonly contact: string | undefined
  /** Through whom people may sign in, beside their passwords. */
  readonly oidc: OidcSettings | undefined
  /** Through which server letters go out, and from which address; undefined: the service sends none. */
  readonly mail: MailSettings | undefined
  readonly rateLimits: RateLimits
  /** Who may read the numbers at /metrics: anybody on a developer’s own machine, elsewhere whoever has the token. */
  readonly metrics: {
    readonly isOpen: boolean
    readonly token: string | undefined
    /** Where they are also shown, without a token; undefined: nowhere else. */
    readonly own: { readonly host: string; readonly port: number } | undefined
  }
  /** Build children; undefined: by the machine. */
  readonly renderChildren: number | undefined
  /** Seconds that the pages of one build may take by the clock. */
  readonly buildSeconds: number
  /** Projects that one account may own. */
  readonly maxProjects: number
  /** Bytes of the data directory’s disk that content leaves free; undefined: by the size of the disk. */
  readonly minFree: number | undefined
  /** Bytes of the disk that all projects of an account may take, by its plan. */
  readonly storage: Readonly<Record<Plan, number>>
  /** The service starts although a page that breaks the renderer could reach more than its project: see SECURITY.md. */
  readonly allowWeakIsolation: boolean
  /** Connections at a time; undefined: by the machine. */
  readonly maxConnections: number | undefined
  /** Of one address, where that is no trusted proxy’s. */
  readonly connectionsPerAddress: number
  /** Whose X-Forwarded-For counts: nobody’s, or addresses and networks of proxies. */
  readonly trustProxy: false | string
  readonly logLevel: (typeof logLevels)[number]
  /** Spans are recorded under this name and sent to a collector, as OpenTelemetry’s own settings say; undefined: none are. */
  readonly traces: { readonly name: string; readonly settings: Readonly<Record<string, string>> } | undefined
  /** The share of reads of pages that have a line in the log: from 0 to 1. */
  readonly logPageViews: number
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
  /** Name servers that are asked for the records of domains, some with a port; none: the system’s. */
  readonly dnsServers: readonly string[]
  /** 32 bytes each: the first seals the signing secrets of webhooks. None: the service makes a key of its own. */
  readonly secretKeys: readonly Uint8Array[]
  readonly models: ModelSettings
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

/** A server of mail. */
interface MailSettings {
  readonly url: string
  readonly from: string
}

function readRateLimits(read: SettingsReader, local: boolean): RateLimits {
  const entries = Object.entries(rates).map(([name, [setting, perMinute]]) => {
    const fallback = local ? perMinute * localFactor : perMinute
    return [name, read.integer(setting, fallback, [1, 1_000_000])] as const
  })
  return Object.fromEntries(entries) as RateLimits
}

/** 0 is any number. */
function storageOf(megabytes: number): number {
  return megabytes === 0 ? Infinity : megabytes * 2 ** 20
}

function readMetrics(read: SettingsReader, local: boolean): Config['metrics'] {
  const token = read.secret('METRICS_TOKEN', leastToken)
  const host = read.text('METRICS_HOST') ?? '127.0.0.1'
  const port = read.text('METRICS_PORT') === undefined ? undefined : read.integer('METRICS_PORT', 0, [0, 65_535])
  return {
    isOpen: local && token === undefined && port === undefined,
    token,
    own: port === undefined ? undefined : { host, port },
  }
}

/** By OpenTelemetry’s own settings; which collector, and what else they say, its own program reads. */
function readTraces(read: SettingsReader): Config['traces'] {
  const endpoints = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']
  const isOn = endpoints.some((name) => read.text(name) !== undefined) && read.text('OTEL_SDK_DISABLED') !== 'true'
  return isOn ? { name: read.text('OTEL_SERVICE_NAME') ?? 'quire', settings: read.beginningWith('OTEL_') } : undefined
}

function readOidc(read: SettingsReader): OidcSettings | undefined {
  const set = read.together(['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'])
  const issuer = read.issuer('OIDC_ISSUER')
  if (set === undefined || issuer === undefined) return undefined
  const name = read.text('OIDC_NAME') ?? new URL(issuer).hostname
  return { issuer, clientId: set.OIDC_CLIENT_ID, clientSecret: set.OIDC_CLIENT_SECRET, name }
}

function readMail(read: SettingsReader): MailSettings | undefined {
  const set = read.together(['SMTP_URL', 'MAIL_FROM'])
  const [url, from] = [read.smtp('SMTP_URL'), read.sender('MAIL_FROM')]
  return set === undefined || url === undefined || from === undefined ? undefined : { url, from }
}

/** Language models, and what may be asked of them. */
export interface ModelSettings {
  /** Undefined: the service asks none. */
  readonly router: { readonly url: string; readonly key: string | undefined } | undefined
  /** What answers is a script: said wherever people could take it for a model. */
  readonly isDemo: boolean
  readonly primary: string
  readonly fallback: string | undefined
  /** That callers may name; the two among them. */
  readonly allowed: readonly string[]
  /** US dollars for a million tokens. */
  readonly prices: ReadonlyMap<string, { readonly inputUsd: number; readonly outputUsd: number }>
  /** Longest answer. */
  readonly maxTokens: number
  /** For one request in whole, and for which nothing may come. */
  readonly timeoutSeconds: number
  readonly silenceSeconds: number
  /** What one generation of a plan may comprise. */
  readonly generation: { readonly requests: number; readonly tokens: number }
}

const modelPattern = /^[\w.:/-]{1,100}$/
const pricePattern = /^[\w.:/-]{1,100}=\d{1,6}(?:\.\d{1,6})?\/\d{1,6}(?:\.\d{1,6})?$/

/** Of the models that the service has without settings. */
const knownPrices = ['anthropic/claude-sonnet-4.5=3/15', 'openai/gpt-5=1.25/10']

function readModels(read: SettingsReader): ModelSettings {
  const url = read.base('MODEL_ROUTER_URL')
  const key = read.secret('MODEL_ROUTER_KEY', 1)
  if (key !== undefined && read.text('MODEL_ROUTER_URL') === undefined)
    read.errors.push({ path: 'MODEL_ROUTER_URL', message: 'must be set, too, where MODEL_ROUTER_KEY is' })
  const id = 'a model’s id such as anthropic/claude-sonnet-4.5'
  const [primary = 'anthropic/claude-sonnet-4.5'] = read.list('MODEL_PRIMARY', modelPattern, id, 1)
  const [fallback = 'openai/gpt-5'] = read.list('MODEL_FALLBACK', modelPattern, `${id}, or none`, 1)
  const others = fallback === 'none' ? [] : [fallback]
  const more = read.list('MODEL_ALLOW', modelPattern, 'ids of models between commas')
  const prices = read.list('MODEL_PRICES', pricePattern, 'prices between commas, such as openai/gpt-5=1.25/10')
  return {
    router: url === undefined ? undefined : { url, key },
    isDemo: read.choice('MODEL_DEMO', ['no', 'yes'], 'no') === 'yes',
    primary,
    fallback: others.find((other) => other !== primary),
    allowed: [...new Set([primary, ...others, ...more])],
    prices: new Map([...knownPrices, ...prices].map(priceOf)),
    maxTokens: read.integer('MODEL_MAX_TOKENS', 8192, [1, 1_000_000]),
    timeoutSeconds: read.integer('MODEL_TIMEOUT_SECONDS', 300, [1, 3600]),
    silenceSeconds: read.integer('MODEL_SILENCE_SECONDS', 60, [1, 3600]),
    generation: {
      requests: read.integer('GENERATION_REQUESTS', 200, [1, 1_000_000]),
      tokens: read.integer('GENERATION_TOKENS', 4_000_000, [1, 1_000_000_000]),
    },
  }
}

function priceOf(text: string) {
  const [id = '', price = ''] = text.split('=')
  const [inputUsd = 0, outputUsd = 0] = price.split('/').map(Number)
  return [id, { inputUsd, outputUsd }] as const
}

/** The first that systemd hands over, as sd_listen_fds(3) says; they are for the process that it started. */
const firstSocket = 3

function readSocket(read: SettingsReader): number | undefined {
  // That process may be the one above, which restarts this one: server.ts.
  const isForUs = [process.pid, process.ppid].includes(Number(read.text('LISTEN_PID')))
  const sockets = isForUs ? read.integer('LISTEN_FDS', 0, [0, 1]) : 0
  return sockets === 0 ? undefined : firstSocket
}

/** What was said of the socket is for this process alone: what it starts would take it for its own. */
export function forgetSocket(): void {
  for (const name of ['LISTEN_FDS', 'LISTEN_PID', 'LISTEN_FDNAMES']) delete process.env[name]
}

/** The settings in an environment and in the file that it names, which are read anew at each start. Throws a Failure `invalid_request` that names every wrong one. */
export function readConfig(environment: Environment = process.env): Config {
  const read = new SettingsReader(withFile(environment))
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
    socket: readSocket(read),
    publicUrl,
    previewDomain: read.domain('PREVIEW_DOMAIN', `localhost:${port}`),
    dataDirectory: resolve(read.text('DATA_DIR') ?? 'repos'),
    defaultPlan: read.choice('DEFAULT_PLAN', ['free', 'pro'], local ? 'pro' : 'free'),
    signup: read.choice('SIGNUP', ['open', 'closed'], local ? 'open' : 'closed'),
    planChange: { text: read.line('PLAN_CHANGE_TEXT', 300), url: read.contact('PLAN_CHANGE_URL') },
    contact: read.contact('OPERATOR_CONTACT'),
    oidc: readOidc(read),
    mail: readMail(read),
    rateLimits: readRateLimits(read, local),
    metrics: readMetrics(read, local),
    renderChildren: children === 0 ? undefined : children,
    buildSeconds: read.integer('BUILD_SECONDS', 900, [1, 86_400]),
    maxProjects: projects === 0 ? Infinity : projects,
    minFree: minFree < 0 ? undefined : minFree * 2 ** 20,
    storage: {
      free: storageOf(read.integer('STORAGE_FREE_MB', local ? 0 : 1024, [0, 1_000_000_000])),
      pro: storageOf(read.integer('STORAGE_PRO_MB', 0, [0, 1_000_000_000])),
    },
    allowWeakIsolation: read.choice('ALLOW_WEAK_ISOLATION', ['no', 'yes'], 'no') === 'yes',
    maxConnections: connections === 0 ? undefined : connections,
    connectionsPerAddress: perAddress === 0 ? Infinity : perAddress,
    trustProxy: read.networks('TRUST_PROXY') ?? false,
    traces: readTraces(read),
    logLevel: read.choice('LOG_LEVEL', logLevels, 'info'),
    logPageViews: read.share('LOG_PAGE_VIEWS', 0.01),
    drainSeconds: read.integer('DRAIN_SECONDS', 30, [0, 3600]),
    gcEvery: read.integer('GC_EVERY', 1000, [1, 1_000_000]),
    webhookAllowHosts: read
      .list('WEBHOOK_ALLOW_HOSTS', /^[^\s,/@]+$/, 'hosts between commas, such as hooks.internal,localhost:3000')
      .map((host) => host.toLowerCase()),
    webhookTimeoutSeconds: read.integer('WEBHOOK_TIMEOUT_SECONDS', 15, [1, 30]),
    webhookRetrySchedule: schedule.length === 0 ? undefined : schedule.map(Number),
    dnsServers: read.servers('DNS_SERVERS'),
    secretKeys: read.keys('SECRET_KEY', 'SECRET_KEY_FILE'),
    models: readModels(read),
    slugReservedDays: read.integer('SLUG_RESERVED_DAYS', 90, [0, 3650]),
    failpoint: read.text('QUIRE_FAILPOINT'),
    searchPath: environment['PATH'],
  }
  if (read.errors.length === 0) return config
  const wrong = read.errors.map(({ path, message }) => `${path} ${message}`).join('; ')
  throw new Failure('invalid_request', `The settings are not valid: ${wrong}.`, { errors: read.errors })
}
