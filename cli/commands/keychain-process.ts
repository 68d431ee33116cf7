import type { Command } from 'commander'
import { text } from 'node:stream/consumers'
import { exitCodes } from '../../src/contract/failure.ts'
import type { KeychainVerb } from '../credentials/keychain.ts'
import { run } from '../program.ts'

/** Not for people: this program itself calls it. */
export function define(command: Command): void {
  command
    .argument('<verb>')
    .argument('<service>')
    .action((verb: string, service: string) => run(() => keychainProcess(verb, service)))
}

/** Name of our entries in the keychain. */
const application = 'quire'

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
        const secret = await text(process.stdin)
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
