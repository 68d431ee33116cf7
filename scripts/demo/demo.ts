/** `npm run demo`: a service with an account, a project and the sample site, to look around in. Stays up until Ctrl-C. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createClient, type Client } from '#client/client.ts'
import { exitCodes, Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import type { Project } from '#contract/projects.ts'
import { hasCode } from '#lib/disk.ts'
import { dist, root } from '#lib/paths.ts'
import type { ListeningNotice } from '#serve.ts'
import { isInUse, lockDirectory } from '#storage/lock.ts'
import { startModelServer } from '#test/support/model-server.ts'
import { demoModel } from './demo-model.ts'

/** Loopback only, where anybody may sign up anyway: a password that can be printed. */
const credentials = { email: 'demo@quire.example', password: 'quire-demo-password' }

/** Demos side by side, each with a port and a directory; after so many something else is wrong. */
const mostDemos = 100

/** What makes another service of it, or has its commands mean another one: where somebody works with Quire, some of it is set. */
const ofOthers =
  /^(?:QUIRE_.*|SERVICE_API_KEY|SETTINGS_FILE|HOST|PUBLIC_URL|PREVIEW_DOMAIN|LISTEN_.*|SIGNUP|OIDC_.*|SMTP_URL|MAIL_FROM|DEFAULT_PLAN|MAX_.*|STORAGE_.*|MIN_FREE_MB|BUILD_SECONDS|RATE_.*|SIGN_INS_.*|TRUST_PROXY|METRICS_.*|SECRET_KEY.*|OTEL_.*|GITHUB_.*|FAILPOINT)$/
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofOthers.test(name)))

/** Ends with a sentence, as what is wrong is no bug of the demo. */
function refuse(text: string, code: number = exitCodes.failed): never {
  console.error(text)
  process.exit(code)
}

const sentence = ({ message, hint }: Failure): string => [message, hint].filter(Boolean).join('\n')

/** Whether nobody listens there, at either address that a browser may take `localhost` for. */
async function isFree(port: number): Promise<boolean> {
  for (const host of ['127.0.0.1', '::1']) {
    const server = createServer().listen(port, host)
    try {
      await once(server, 'listening')
    } catch (error) {
      // A machine without IPv6.
      if (hasCode(error, 'EADDRNOTAVAIL') || hasCode(error, 'EAFNOSUPPORT')) continue
      if (hasCode(error, 'EADDRINUSE')) return false
      if (hasCode(error, 'EACCES')) refuse(`This user may not have the port ${port}: set PORT to one above 1023.`)
      throw error
    }
    server.close()
    await once(server, 'close')
  }
  return true
}

const highestPort = 65_535

function wantedPort(): number {
  const text = environment['PORT']?.trim() || '4000'
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port >= 1 && port <= highestPort) return port
  return refuse(`PORT must be a whole number from 1 to ${highestPort}, not ${JSON.stringify(text)}.`, exitCodes.usage)
}

const firstPort = wantedPort()

async function freePort(): Promise<number> {
  const last = Math.min(firstPort + mostDemos - 1, highestPort)
  for (let port = firstPort; port <= last; port++) if (await isFree(port)) return port
  return refuse(`No port from ${firstPort} to ${last} is free; set PORT to one that is.`)
}

/** The one that is set, in use or not; else the first of the demo’s own that no other demo has. */
async function freeDirectory(): Promise<string> {
  const given = environment['DATA_DIR']?.trim()
  if (given) return given
  for (let number = 1; ; number++) {
    const directory = join(root, 'repos', number === 1 ? '.demo' : `.demo-${number}`)
    try {
      const lock = await lockDirectory(directory)
      await lock.release()
      return directory
    } catch (error) {
      if (isInUse(error) && number < mostDemos) continue
      if (error instanceof Failure) refuse(sentence(error))
      throw error
    }
  }
}

/** What is there already from an earlier demo stays. */
async function orExisting<T>(create: () => Promise<T>, existing: () => Promise<T>, code: Failure['code']): Promise<T> {
  try {
    return await create()
  } catch (error) {
    if (error instanceof Failure && error.code === code) return existing()
    throw error
  }
}

const port = await freePort()
const directory = await freeDirectory()
const url = `http://localhost:${port}`
if (port !== firstPort) console.log(`Port ${firstPort} is taken: this demo is at ${port}, its data in ${directory}.`)

/** Without a router of language models a script answers in its place. */
const models = environment['MODEL_ROUTER_URL'] ? undefined : await startModelServer(demoModel)
const server = spawn(process.execPath, [join(dist, 'service.js')], {
  env: {
    // What is printed is for people who look around: the lines of each request would hide it.
    LOG_LEVEL: 'warn',
    ...environment,
    PORT: String(port),
    DATA_DIR: directory,
    ...(models === undefined ? {} : { ...models.settings, MODEL_DEMO: 'yes' }),
  },
  // It says by the channel where it listens, and ends when that closes, as it does when this process is killed.
  stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  // A terminal would send it what this process passes on.
  detached: true,
})
let endsWith: number | undefined
function end(code: number = exitCodes.ok): void {
  endsWith ??= code
  server.kill('SIGTERM')
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end())
server.once('exit', (code) => process.exit(endsWith ?? code ?? exitCodes.failed))
process.on('uncaughtException', (error) => {
  // A terminal that has closed takes no words.
  if (!hasCode(error, 'EIO') && !hasCode(error, 'EPIPE'))
    console.error(error instanceof Failure ? sentence(error) : error)
  end(exitCodes.failed)
})
// npm passes on no signal that it cannot catch.
const parent = process.ppid
setInterval(() => (process.ppid === parent ? undefined : end()), 250).unref()

/** Its own word: at the port somebody else may answer. */
const [{ listening: address }] = (await once(server, 'message')) as [ListeningNotice]

async function signIn(): Promise<Client> {
  const visitor = createClient({ baseUrl: address })
  const { token } = await orExisting(
    () => visitor.call(contract.accounts.signup, { body: credentials }),
    () => visitor.call(contract.accounts.login, { body: credentials }),
    'account_exists',
  )
  return createClient({ baseUrl: address, token })
}

const owner = await signIn()

interface DeployedProject {
  readonly project: Project
  /** Of this demo. */
  readonly key: string
}

/** Makes a project of a folder; the key of an earlier demo is of no use to anybody any more. */
async function deployFolder(slug: string, folder: string): Promise<DeployedProject> {
  const project = await orExisting(
    () => owner.call(contract.projects.create, { body: { slug, title: 'Quire' } }),
    () => owner.call(contract.projects.read, { params: { slug } }),
    'project_exists',
  )
  const { items } = await owner.call(contract.keys.list, { params: { slug }, query: { limit: 200 } })
  for (const { id, name } of items)
    if (name === 'demo') await owner.call(contract.keys.revoke, { params: { slug }, query: { id } })
  const { key } = await owner.call(contract.keys.create, { params: { slug }, body: { name: 'demo' } })
  const words = ['deploy', join(root, folder), '--url', address, '--project', slug, '-m', `Deploy ${folder}`]
  const deploy = spawn(process.execPath, [join(dist, 'quire.js'), ...words], {
    env: { ...environment, SERVICE_API_KEY: key },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  process.once('exit', () => deploy.kill())
  const [code] = (await once(deploy, 'exit')) as [number | null]
  if (code === 0) return { project, key }
  throw new Failure('unavailable', `${folder} did not deploy (exit code ${code}).`)
}

const { project, key } = await deployFolder('demo', 'fixtures/sample')
const { project: documentation } = await deployFolder('quire', 'docs')
const cloneUrl = project.cloneUrl.replace('//', `//quire:${key}@`)
console.log(`
  Site       ${project.url}
  Docs       ${documentation.url}
  Clone      git clone ${cloneUrl}
  Dashboard  ${url}/dashboard/${project.slug}   (${credentials.email}, ${credentials.password})

  API key    ${key}

  Models     ${
    models === undefined
      ? `at ${environment['MODEL_ROUTER_URL']}`
      : `none: a script of the demo makes up what a model would say, and every answer says so.
             MODEL_ROUTER_URL and MODEL_ROUTER_KEY take real ones.`
  }

  Ctrl-C ends it.`)
