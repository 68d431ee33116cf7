import type { Command } from 'commander'
import { createClient } from '../../src/client/client.ts'
import type { Account } from '../../src/contract/accounts.ts'
import type { DeviceAuthorization } from '../../src/contract/device-login.ts'
import { Failure, exitCodes } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import type { Role } from '../../src/contract/members.ts'
import type { Project } from '../../src/contract/projects.ts'
import { openCredentials, locationText, type Credentials, type StorageLocation } from '../credentials/credentials.ts'
import { authorizeDevice, waitForToken } from '../service/device-flow.ts'
import type { Output } from '../output.ts'
import { run } from '../program.ts'
import { listProjects, retryPolicy } from '../service/project.ts'
import { send } from '../service/http.ts'
import { withRetry } from '../service/retry.ts'
import { endSession, explainRefusal, openService, type Credential } from '../service/service.ts'
import { namedBy } from '../service/target.ts'
import { openBrowser } from '../terminal.ts'

export function defineLogin(command: Command): void {
  command
    .option('--no-browser', 'only print the address')
    .option('--require-keychain', 'fail instead of keeping the session in a file')
    .action((options: Omit<LoginOptions, 'url'>) => run((output, url) => login({ ...options, url }, output)))
}

interface LoginOptions {
  readonly url: string
  /** False: never open one. */
  readonly browser: boolean
  readonly requireKeychain?: boolean
}

/** `quire login`: the person approves in a browser, on this machine or another one. @throws Failure unauthenticated in CI. */
async function login(options: LoginOptions, output: Output): Promise<number> {
  const { url } = options
  if (output.environment.ci) {
    throw new Failure('unauthenticated', 'quire login waits for a person, and CI is set: nobody is here.', {
      hint: 'Set SERVICE_API_KEY to a key of the project; commands use it without a login.',
    })
  }
  const credentials = openCredentials(output)
  if (options.requireKeychain === true) await credentials.assertKeychain(url)
  // Whatever is wrong with what is kept here shows before anybody is asked.
  const before = await credentials.read(url, () => undefined)
  const client = createClient({ baseUrl: url, fetch: send })
  const started = await withRetry(() => authorizeDevice(client), retryPolicy(output))
  output.note(`${output.paint('dim', 'at')}    ${url}${namedBy(output.environment.urlBy)}`)
  tellCode(started, output)
  if (options.browser && output.environment.browser) openBrowser(started.verification_uri_complete, output)
  output.redraw('waiting until you approve in the browser')
  const token = await waitForToken(client, started)
  const { account } = await withRetry(
    () => createClient({ baseUrl: url, fetch: send, token }).call(contract.accounts.me),
    retryPolicy(output),
  )
  const stored = await keep(credentials, { token, account, ...options }, output)
  if (before !== undefined) await endSession(url, before.token)
  if (output.environment.key !== undefined)
    output.note(`${output.paint('yellow', 'note')}   SERVICE_API_KEY is set: commands use that key, not this session.`)
  output.result({ url, account, stored }, `Signed in to ${url} as ${account.email}`)
  return exitCodes.ok
}

function tellCode(
  { user_code: code, verification_uri_complete: page, expires_in: seconds }: DeviceAuthorization,
  output: Output,
): void {
  output.note(`${output.paint('dim', 'code')}  ${output.paint('bold', code)}`)
  output.note(`${output.paint('dim', 'open')}  ${page}`)
  output.note(
    `Approve there if the page shows the same code. It is good for ${Math.round(seconds / 60)} minutes; Ctrl-C gives up.`,
  )
}

/** Keeps the new session; one that can be kept nowhere is ended. */
async function keep(
  credentials: Credentials,
  session: {
    readonly url: string
    readonly token: string
    readonly account: Account
    readonly requireKeychain?: boolean
  },
  output: Output,
): Promise<StorageLocation> {
  const { url, token, account } = session
  try {
    const { location, reason, unremembered } = await credentials.keep(
      url,
      { token, email: account.email },
      { requireKeychain: session.requireKeychain === true },
    )
    const why = reason === undefined ? '' : `, because the system keychain cannot be used: ${reason}`
    output.note(output.paint('dim', `The session is kept ${locationText(location)}${why}.`))
    if (unremembered !== undefined)
      output.note(`Name this service with --url or QUIRE_URL: it could not be kept as the default (${unremembered}).`)
    return location
  } catch (error) {
    await endSession(url, token)
    throw error
  }
}

export function defineLogout(command: Command): void {
  command.action(() => run((output, url) => logout({ url }, output)))
}

/** `quire logout`: ends the session on the service and forgets it here. */
async function logout({ url }: { readonly url: string }, output: Output): Promise<number> {
  const credentials = openCredentials(output)
  const session = await credentials.read(url, (reason) =>
    output.note(`The system keychain could not be asked: ${reason}.`),
  )
  if (session === undefined) {
    const others = await credentials.services()
    const elsewhere = others.length === 0 ? '' : ` You are to ${others.join(', ')}: name it with --url.`
    output.result({ url, signedOut: false, signedIn: others }, `You were not signed in to ${url}.${elsewhere}`)
    return exitCodes.ok
  }
  const failure = await endSession(url, session.token)
  await credentials.remove(url)
  if (failure !== undefined) {
    throw new Failure(
      failure.code,
      `You are signed out here, but the service could not end the session: ${failure.message}`,
      {
        hint: 'It ends 30 days after its last use; end it now in the dashboard, under your sessions.',
        cause: failure,
      },
    )
  }
  output.result({ url, signedOut: true, email: session.email }, `Signed out of ${url}, as ${session.email}`)
  return exitCodes.ok
}

export function defineWhoami(command: Command): void {
  command.action(() => run((output, url) => whoami({ url }, output)))
}

/** As many characters of a key as the dashboard shows. */
export function prefixOf(key: string): string {
  return key.slice(0, 'quire_'.length + 6)
}

/** `quire whoami`: which account or key is in use, for which projects, and where the credential comes from. */
async function whoami({ url }: { readonly url: string }, output: Output): Promise<number> {
  const { client, credential } = await openService(url, output)
  const policy = retryPolicy(output)
  try {
    const listed = (await withRetry(() => listProjects(client), policy)).toSorted((a, b) => (a.slug < b.slug ? -1 : 1))
    const projects = listed.map(({ slug }) => slug)
    if (credential.kind === 'key') tellKey({ url, credential, projects }, output)
    else {
      const { account } = await withRetry(() => client.call(contract.accounts.me), policy)
      const { location } = credential
      output.result(
        { kind: 'session', url, account, projects, roles: rolesOf(listed), stored: location },
        table({
          account: account.email,
          service: `${url}${how(output)}`,
          projects: listed.map(withRole).join(', ') || 'none yet',
          session: locationText(location),
        }),
      )
    }
    return exitCodes.ok
  } catch (error) {
    throw explainRefusal(error, credential)
  }
}

/** Roles of the caller, by the slug of the project. */
function rolesOf(projects: readonly Project[]): Record<string, Role> {
  return Object.fromEntries(projects.flatMap(({ slug, role }) => (role === undefined ? [] : [[slug, role]])))
}

/** The role is shown for writers only: it tells the projects of others from one’s own. */
function withRole({ slug, role }: Project): string {
  return role === 'writer' ? `${slug} (writer)` : slug
}

function tellKey(
  { url, credential, projects }: { readonly url: string; readonly credential: Credential; readonly projects: string[] },
  output: Output,
): void {
  const prefix = prefixOf(credential.token)
  output.result(
    { kind: 'key', url, prefix, projects, stored: { kind: 'environment', name: 'SERVICE_API_KEY' } },
    table({ key: `${prefix}… from SERVICE_API_KEY`, service: `${url}${how(output)}`, project: projects.join(', ') }),
  )
}

/** What named the service. */
function how({ environment: { urlBy } }: Output): string {
  if (urlBy?.kind === 'login') return ' (signed in to last)'
  return namedBy(urlBy)
}

function table(rows: Readonly<Record<string, string>>): string {
  return Object.entries(rows)
    .map(([name, value]) => `${name.padEnd(8)}  ${value}`)
    .join('\n')
}
