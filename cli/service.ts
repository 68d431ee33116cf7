import { createClient, type Client } from '../src/client/client.ts'
import { Failure } from '../src/contract/failure.ts'
import { contract } from '../src/contract/index.ts'
import { openCredentials, type FoundSession } from './credentials/credentials.ts'
import type { Output } from './output.ts'

/** Who the service takes us for: an API key from the environment goes before the session of `quire login`. */
export type Credential =
  | { readonly kind: 'key'; readonly token: string }
  | ({ readonly kind: 'session' } & FoundSession)

/** A client with a credential. */
export interface OpenService {
  readonly client: Client
  readonly credential: Credential
}

export async function findCredential(
  url: string,
  output: Output,
  onUnavailable: (reason: string) => void = () => undefined,
): Promise<Credential | undefined> {
  const { key } = output.environment
  if (key !== undefined) return { kind: 'key', token: key }
  const session = await openCredentials(output).read(url, onUnavailable)
  return session === undefined ? undefined : { kind: 'session', ...session }
}

/** @throws Failure unauthenticated where there is neither key nor session. */
export async function openService(url: string, output: Output): Promise<OpenService> {
  const reasons: string[] = []
  const credential = await findCredential(url, output, (reason) => reasons.push(reason))
  if (credential === undefined) throw notSignedIn(url, reasons)
  return { credential, client: createClient({ baseUrl: url, token: credential.token }) }
}

function notSignedIn(url: string, reasons: readonly string[]): Failure {
  return new Failure('unauthenticated', `You are not signed in to ${url}, and there is no API key.`, {
    hint: 'Run quire login; in CI, set SERVICE_API_KEY to a key from the project’s settings.',
    errors: reasons.map((reason) => ({ message: `The system keychain could not be asked: ${reason}.` })),
  })
}

/** Says of a credential that was refused where it came from and what to do. */
export function explainRefusal(error: unknown, { kind }: Credential): unknown {
  if (!(error instanceof Failure) || error.code !== 'unauthenticated') return error
  return kind === 'session'
    ? new Failure('unauthenticated', 'Your session has ended.', { hint: 'Run quire login again.', cause: error })
    : new Failure('unauthenticated', 'The API key in SERVICE_API_KEY is unknown, revoked or expired.', {
        hint: 'Set SERVICE_API_KEY to a key from the project’s settings, or unset it to use the session of quire login.',
        cause: error,
      })
}

/** Ends a session on the service. Answers why that failed, if it did; one that has ended already is no failure. */
export async function endSession(url: string, token: string): Promise<Failure | undefined> {
  try {
    await createClient({ baseUrl: url, token }).call(contract.accounts.logout)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (error.code !== 'unauthenticated') return error
  }
  return undefined
}
