import type { Command } from 'commander'
import { spawn } from 'node:child_process'
import { text as readAll } from 'node:stream/consumers'
import { exitCodes } from '../../src/contract/failure.ts'
import { runHere } from '../program.ts'
import { sessionOf, type SessionStore, type StoredSession } from './session-store.ts'

/** The hidden command that works on the keychain, below. */
const keychainCommand = 'keychain-process'
/** Name of our entries in the keychain. */
const application = 'quire'
/** Long enough for a person to unlock the keychain. */
const timeoutMs = 30_000
/** After this long the person is told what the command waits for. */
const noticeAfterMs = 2_000

type KeychainVerb = 'get' | 'set' | 'delete'

/** The keychain cannot be used here and now; the message says why. */
export class KeychainUnavailable extends Error {
  override readonly name = 'KeychainUnavailable'
}

export interface KeychainOptions {
  /** Told when the keychain lets us wait. */
  readonly onWait: () => void
}

/**
 * Sessions in the system's keychain: Keychain on macOS, Credential Manager on Windows, the Secret Service on Linux.
 *
 * Each access is a process of its own: a keychain that waits to be unlocked, where nobody sees its question, would hold
 * this one for ever, and no other command pays for loading native code. Its methods throw KeychainUnavailable.
 */
export class Keychain implements SessionStore {
  readonly #options: KeychainOptions
  /** Why it could not be used: nobody waits for that twice. */
  #unavailable: KeychainUnavailable | undefined

  constructor(options: KeychainOptions) {
    this.#options = options
  }

  async read(service: string): Promise<StoredSession | undefined> {
    const text = await this.#run('get', service)
    return text === '' ? undefined : parse(text)
  }

  async write(service: string, session: StoredSession): Promise<void> {
    await this.#run('set', service, JSON.stringify(session))
  }

  async remove(service: string): Promise<void> {
    await this.#run('delete', service)
  }

  async #run(verb: KeychainVerb, service: string, input = ''): Promise<string> {
    if (this.#unavailable !== undefined) throw this.#unavailable
    try {
      return await this.#access(verb, service, input)
    } catch (error) {
      if (error instanceof KeychainUnavailable) this.#unavailable = error
      throw error
    }
  }

  #access(verb: KeychainVerb, service: string, input: string): Promise<string> {
    const [, program = ''] = process.argv
    const child = spawn(process.execPath, [program, keychainCommand, verb, service], {
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    })
    let output = ''
    let complaint = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()))
    // A child that ended before it read its input has said why.
    child.stdin.on('error', () => undefined).end(input)
    const waiting = setTimeout(this.#options.onWait, noticeAfterMs)
    const giveUp = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
    return new Promise<string>((resolve, reject) => {
      child.once('error', (error) => reject(new KeychainUnavailable(error.message)))
      child.once('close', (code, signal) => {
        if (code === 0) resolve(output)
        else if (signal === null) reject(new KeychainUnavailable(reasonOf(complaint) || `it ended with ${code}`))
        else reject(new KeychainUnavailable('it did not answer; is it locked?'))
      })
    }).finally(() => {
      clearTimeout(waiting)
      clearTimeout(giveUp)
    })
  }
}

/** As part of a sentence. */
function reasonOf(complaint: string): string {
  return complaint.trim().replace(/\.+$/, '')
}

function parse(text: string): StoredSession | undefined {
  try {
    return sessionOf(JSON.parse(text))
  } catch {
    // Something else lies under our name: as if there were nothing.
    return undefined
  }
}

/** Not for people: this program itself calls it. */
export function defineKeychainProcess(command: Command): void {
  command
    .argument('<verb>')
    .argument('<service>')
    .action((verb: string, service: string) => runHere(() => keychainProcess(verb, service)))
}

/**
 * The body of the hidden command: one access to the keychain. `get` prints what is kept for the service, `set` keeps
 * its standard input and reads it back, `delete` deletes; why it cannot goes to standard error, with exit code 1.
 */
async function keychainProcess(verb: string, service: string): Promise<number> {
  try {
    const { Entry } = await import('@napi-rs/keyring')
    // Its own choice on Linux falls back to the kernel's keyring, which forgets everything at the next start.
    const entry = new Entry(application, service, { linux: { store: 'secret-service' } })
    const actions: Record<KeychainVerb, () => Promise<void>> = {
      get: async () => void process.stdout.write(entry.getPassword() ?? ''),
      set: async () => {
        const secret = await readAll(process.stdin)
        entry.setPassword(secret)
        if (entry.getPassword() !== secret) throw new Error('it did not keep what was written')
      },
      delete: async () => void entry.deletePassword(),
    }
    const action = Object.hasOwn(actions, verb) ? actions[verb as KeychainVerb] : undefined
    if (action === undefined) throw new Error(`there is no ${verb}`)
    await action()
    return exitCodes.ok
  } catch (error) {
    process.stderr.write(error instanceof Error ? error.message : String(error))
    return exitCodes.failed
  }
}
