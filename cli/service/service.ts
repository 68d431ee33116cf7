import { createClient, type Client } from '../../src/client/client.ts'
import { Failure } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import { openCredentials, type Credentials, type FoundSession } from '../credentials/credentials.ts'
import { serviceOf } from '../credentials/session-store.ts'
import type { Environment } from '../environment.ts'
import { send } from './http.ts'
import type { Output } from '../output.ts'
import { mayGetKey, namedBy } from './target.ts'

/** In a message. */
const shownServices = 5

/** Who the service takes us for: an API key from the environment goes before the session of `quire login`. */
export type Credential =
  | { readonly kind: 'key'; readonly token: string }
  | ({ readonly kind: 'session' } & FoundSession)

/** A client with a credential. */
export interface OpenService {
  readonly client: Client
  readonly credential: Credential
}

/** @throws Failure unauthenticated for a key that must not go to the service */
export function findCredential(
  url: string,
  output: Output,
  onUnavailable: (reason: string) => void = () => undefined,
): Promise<Credential | undefined> {
  return credentialFor({ environment: output.environment, url, credentials: openCredentials(output) }, onUnavailable)
}

/**
 * @param onUnavailable told why the keychain could not be asked. @throws Failure unauthenticated for a key that must not go
 * to the service
 */
export async function credentialFor(
  {
    environment: { key, urlBy },
    url,
    credentials,
  }: {
    readonly environment: Pick<Environment, 'key' | 'urlBy'>
    readonly url: string
    readonly credentials: Credentials
  },
  onUnavailable: (reason: string) => void,
): Promise<Credential | undefined> {
  if (key !== undefined && mayGetKey(urlBy)) return { kind: 'key', token: key }
  const session = await credentials.read(url, onUnavailable)
  if (key === undefined) return session === undefined ? undefined : { kind: 'session', ...session }
  // Who signed in to it knows the service.
  if (session !== undefined) return { kind: 'key', token: key }
  throw new Failure('unauthenticated', `The API key in SERVICE_API_KEY is not sent to ${url}${namedBy(urlBy)}.`, {
    hint: `If the key is one of that service, say so: set QUIRE_URL=${url} beside SERVICE_API_KEY.`,
  })
}

/** @throws Failure unauthenticated where there is neither key nor session. */
export async function openService(url: string, output: Output): Promise<OpenService> {
  const reasons: string[] = []
  const credential = await findCredential(url, output, (reason) => reasons.push(reason))
  if (credential === undefined) throw await notSignedIn(url, reasons, output)
  return { credential, client: createClient({ baseUrl: url, fetch: send, token: credential.token }) }
}

async function notSignedIn(url: string, reasons: readonly string[], output: Output): Promise<Failure> {
  const { urlBy, ci } = output.environment
  const isDefault = urlBy?.kind === 'default'
  const services = await openCredentials(output).services()
  const others = services.slice(0, shownServices)
  const login = isDefault
    ? 'quire login --url <service>'
    : urlBy?.kind === 'person'
      ? `quire login --url ${url}`
      : 'quire login'
  const use =
    others.length === 0
      ? ''
      : `You are signed in to ${others.join(', ')}: add --url ${others[0] ?? ''} to use that${others.length === 1 ? '' : ' one'}. `
  const hint = ci
    ? 'Set SERVICE_API_KEY to a key from the project’s settings.'
    : `${use}${others.length === 0 ? 'Run' : 'Or run'} ${login}; in CI, set SERVICE_API_KEY to a key from the project’s settings.`
  return new Failure('unauthenticated', `You are not signed in to ${url}${namedBy(urlBy)}, and there is no API key.`, {
    hint,
    extra: { url, signedIn: others },
    // Of a service that nobody has signed in to here, there is nothing in it.
    errors: services.includes(serviceOf(url))
      ? reasons.map((reason) => ({ message: `The system keychain could not be asked: ${reason}.` }))
      : [],
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
    await createClient({ baseUrl: url, fetch: send, token }).call(contract.accounts.logout)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (error.code !== 'unauthenticated') return error
  }
  return undefined
}

/** Asks the service without a project in mind; says of a credential that was refused what to do. */
export async function withService<T>(url: string, output: Output, work: (client: Client) => Promise<T>): Promise<T> {
  const { client, credential } = await openService(url, output)
  try {
    return await work(client)
  } catch (error) {
    throw explainRefusal(error, credential)
  }
}
