import { Failure } from '../../src/contract/failure.ts'
import type { Environment } from '../environment.ts'
import type { Output } from '../output.ts'
import { Keychain, KeychainUnavailable } from './keychain.ts'
import { KnownServices } from './known-services.ts'
import { SessionFile, serviceOf, type SessionStore, type StoredSession } from './session-store.ts'

/** Where a session is kept. */
export type StorageLocation = { readonly kind: 'keychain' } | { readonly kind: 'file'; readonly path: string }

/** As part of a sentence. */
export function locationText(location: StorageLocation): string {
  return location.kind === 'keychain' ? 'in the system keychain' : `in ${location.path}`
}

export interface FoundSession extends StoredSession {
  readonly location: StorageLocation
}

/** Sessions of `quire login`, one for each service: in the keychain, or in a file where there is none. */
export class Credentials {
  readonly #keychain: SessionStore
  readonly #file: SessionFile
  readonly #known: KnownServices

  constructor(stores: { readonly keychain: SessionStore; readonly file: SessionFile; readonly known: KnownServices }) {
    this.#keychain = stores.keychain
    this.#file = stores.file
    this.#known = stores.known
  }

  /** Services that somebody is signed in to here, the last one first. */
  async services(): Promise<string[]> {
    const [{ services }, filed] = await Promise.all([this.#known.read(), this.#file.services()])
    return [...new Set([...services, ...filed])]
  }

  /**
   * The session for a service.
   *
   * @param onUnavailable told why the keychain could not be asked; then there is none.
   */
  async read(url: string, onUnavailable: (reason: string) => void): Promise<FoundSession | undefined> {
    const service = serviceOf(url)
    const filed = await this.#file.read(service)
    if (filed !== undefined) return { ...filed, location: { kind: 'file', path: this.#file.path } }
    const kept = await attempt(() => this.#keychain.read(service), onUnavailable)
    return kept === undefined ? undefined : { ...kept, location: { kind: 'keychain' } }
  }

  /**
   * Keeps a session in the keychain; else, unless that is required, in the file. From then on commands mean this service
   * where nothing else names one.
   *
   * @returns where, why not in the keychain, and why commands do not mean this service from now on, if so. Throws Failure
   * `unauthenticated` when it can be kept nowhere.
   */
  async keep(
    url: string,
    session: StoredSession,
    options: { readonly requireKeychain: boolean },
  ): Promise<{ readonly location: StorageLocation; readonly reason?: string; readonly unremembered?: string }> {
    const service = serviceOf(url)
    let reason: string | undefined
    await attempt(
      () => this.#keychain.write(service, session),
      (why) => (reason = why),
    )
    if (reason === undefined) {
      // The file is looked at first: what lies there would hide this one.
      await this.#file.remove(service)
      return { location: { kind: 'keychain' }, ...(await this.#remember(service)) }
    }
    if (options.requireKeychain) throw keychainRequired(reason)
    try {
      await this.#file.write(service, session)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new Failure('unauthenticated', `The session can be kept nowhere: keychain: ${reason}; file: ${why}.`, {
        hint: 'Make the folder of settings writable (XDG_CONFIG_HOME), or use an API key: SERVICE_API_KEY.',
        cause: error,
      })
    }
    return { location: { kind: 'file', path: this.#file.path }, reason, ...(await this.#remember(service)) }
  }

  /** A session is good also where the service has to be named each time. */
  async #remember(service: string): Promise<{ readonly unremembered?: string }> {
    try {
      await this.#known.add(service)
      return {}
    } catch (error) {
      return { unremembered: error instanceof Error ? error.message : String(error) }
    }
  }

  /** Forgets the session wherever it is. A keychain that cannot be asked has none of ours that could be used. */
  async remove(url: string): Promise<void> {
    const service = serviceOf(url)
    await this.#file.remove(service)
    await this.#known.remove(service)
    await attempt(
      () => this.#keychain.remove(service),
      () => undefined,
    )
  }

  /** Throws Failure `unauthenticated` where the keychain cannot be used: before anybody is asked to approve. */
  async assertKeychain(url: string): Promise<void> {
    await attempt(
      () => this.#keychain.read(serviceOf(url)),
      (reason) => {
        throw keychainRequired(reason)
      },
    )
  }
}

/** The credentials of the person at this terminal. */
export function openCredentials(output: Output): Credentials {
  return credentialsOf(output.environment, () => output.note('waiting for the system keychain; is it locked?'))
}

/** @param onWait told when the keychain lets us wait */
export function credentialsOf(environment: Pick<Environment, 'configDirectory'>, onWait: () => void): Credentials {
  return new Credentials({
    keychain: new Keychain({ onWait }),
    file: new SessionFile(environment.configDirectory),
    known: new KnownServices(environment.configDirectory),
  })
}

async function attempt<T>(work: () => Promise<T>, onUnavailable: (reason: string) => void): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof KeychainUnavailable)) throw error
    onUnavailable(error.message)
    return undefined
  }
}

function keychainRequired(reason: string): Failure {
  return new Failure('unauthenticated', `The system keychain cannot be used: ${reason}.`, {
    hint: 'Unlock or start it, or leave --require-keychain out to keep the session in a file that only you can read.',
  })
}
