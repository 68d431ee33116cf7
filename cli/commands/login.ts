import type { Command } from 'commander'
import { createClient } from '../../src/client/client.ts'
import type { Account } from '../../src/contract/accounts.ts'
import type { DeviceAuthorization } from '../../src/contract/device.ts'
import { Failure, exitCodes } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import { openBrowser } from '../terminal.ts'
import { openCredentials, placeText, type Credentials, type Place } from '../credentials/credentials.ts'
import { authorizeDevice, waitForToken } from '../device-flow.ts'
import type { Output } from '../output.ts'
import { retryPolicy } from '../project.ts'
import { withRetry } from '../retry.ts'
import { endSession } from '../service.ts'
import { run } from '../program.ts'

export function define(command: Command): void {
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
  const client = createClient({ baseUrl: url })
  const started = await withRetry(() => authorizeDevice(client), retryPolicy(output))
  tell(started, output)
  if (options.browser && output.environment.browser) openBrowser(started.verification_uri_complete, output)
  output.redraw('waiting until you approve in the browser')
  const token = await waitForToken(client, started)
  const { account } = await withRetry(
    () => createClient({ baseUrl: url, token }).call(contract.accounts.me),
    retryPolicy(output),
  )
  const stored = await keep(credentials, { token, account, ...options }, output)
  if (before !== undefined) await endSession(url, before.token)
  if (output.environment.key !== undefined)
    output.note(`${output.paint('yellow', 'note')}   SERVICE_API_KEY is set: commands use that key, not this session.`)
  output.result({ url, account, stored }, `Signed in as ${account.email}`)
  return exitCodes.ok
}

function tell(
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
): Promise<Place> {
  const { url, token, account } = session
  try {
    const { place, reason } = await credentials.keep(
      url,
      { token, email: account.email },
      { requireKeychain: session.requireKeychain === true },
    )
    const why = reason === undefined ? '' : `, because the system keychain cannot be used: ${reason}`
    output.note(output.paint('dim', `The session is kept ${placeText(place)}${why}.`))
    return place
  } catch (error) {
    await endSession(url, token)
    throw error
  }
}
