import { homedir } from 'node:os'
import { createClient } from '#client/client.ts'
import type { Account } from '#contract/accounts.ts'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import { credentialsOf, locationText, type Credentials } from '#cli/credentials/credentials.ts'
import { authorizeDevice, waitForToken } from '#cli/service/device-flow.ts'
import type { Environment } from '#cli/environment.ts'
import { send } from '#cli/service/http.ts'
import { withRetry } from '#cli/service/retry.ts'
import { credentialFor, endSession, type Credential } from '#cli/service/service.ts'

export interface SignInOptions {
  readonly environment: Pick<Environment, 'configDirectory' | 'key' | 'urlBy'>
  readonly url: string
  /** Told when the system keychain lets us wait: it may be locked. */
  readonly onKeychainWait?: () => void
  /** Where sessions are kept; absent: keychain and file of this person. */
  readonly credentials?: Credentials
}

/** A sign-in that waits for the person to approve it in a browser, on this machine or another one. */
export interface PendingSignIn {
  /** To be compared with what the page shows, such as BCDF-GHJK. */
  readonly code: string
  /** The page that approves, with the code in it. */
  readonly address: string
  readonly expiresAt: Date
  /**
   * Resolves when the person has approved, and the session is kept. @throws Failure access_denied, expired_token, or why it
   * can be kept nowhere; an AbortError when `signal` fires
   */
  wait(signal?: AbortSignal): Promise<SignedIn>
}

export interface SignedIn {
  readonly account: Account
  readonly credential: Credential
  /** Where the session is kept, for people: `in the system keychain`. */
  readonly keptIn: string
  /** Why not in the keychain, where it is not. */
  readonly keychainReason?: string
}

/**
 * The key of the environment, or the session that is kept here; undefined: somebody has to sign in. @throws Failure
 * unauthenticated for a key that must not go to the service
 */
export function findSignIn(options: SignInOptions): Promise<Credential | undefined> {
  return credentialFor({ ...options, credentials: credentials(options) }, () => undefined)
}

/** @throws Failure unavailable and what else the service refuses */
export async function beginSignIn(options: SignInOptions, signal?: AbortSignal): Promise<PendingSignIn> {
  const { url } = options
  const broken = signal === undefined ? {} : { signal }
  const client = createClient({ baseUrl: url, fetch: send })
  const started = await withRetry(() => authorizeDevice(client), { tries: 2, contentionMs: 0, ...broken })
  return {
    code: started.user_code,
    address: started.verification_uri_complete,
    expiresAt: new Date(Date.now() + started.expires_in * 1000),
    wait: async (stop) => {
      const token = await waitForToken(client, started, stop === undefined ? {} : { signal: stop }).catch(askAgain)
      return keep(options, token)
    },
  }
}

/**
 * Ends the session on the service and forgets it here. @throws Failure where the service could not be told: here it is
 * forgotten all the same
 */
export async function signOut(options: SignInOptions): Promise<void> {
  const { url } = options
  const store = credentials(options)
  const session = await store.read(url, () => undefined)
  if (session === undefined) return
  const failure = await endSession(url, session.token)
  await store.remove(url)
  if (failure === undefined) return
  throw new Failure(
    failure.code,
    `You are signed out here, but the service could not end the session: ${failure.message}`,
    {
      hint: 'It ends 30 days after its last use; end it now in the dashboard, under your sessions.',
      cause: failure,
    },
  )
}

/** What the command line says of it is of no use here. */
function askAgain(error: unknown): never {
  if (!(error instanceof Failure) || error.code !== 'expired_token') throw error
  throw new Failure('expired_token', error.message, { hint: 'Begin again for another code.', cause: error })
}

/** A session that can be kept nowhere is ended. */
async function keep(options: SignInOptions, token: string): Promise<SignedIn> {
  const { url } = options
  const store = credentials(options)
  const before = await store.read(url, () => undefined)
  try {
    const { account } = await withRetry(
      () => createClient({ baseUrl: url, fetch: send, token }).call(contract.accounts.me),
      {
        tries: 5,
        contentionMs: 0,
      },
    )
    const { email } = account
    const { location, reason } = await store.keep(url, { token, email }, { requireKeychain: false })
    if (before !== undefined) await endSession(url, before.token)
    const credential: Credential = { kind: 'session', token, email, location }
    const why = reason === undefined ? {} : { keychainReason: reason }
    return { account, credential, keptIn: locationText(location).replace(homedir(), '~'), ...why }
  } catch (error) {
    await endSession(url, token)
    throw error
  }
}

function credentials(options: SignInOptions): Credentials {
  return options.credentials ?? credentialsOf(options.environment, options.onKeychainWait ?? (() => undefined))
}
