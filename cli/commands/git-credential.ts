import type { Command } from 'commander'
import { text } from 'node:stream/consumers'
import { exitCodes } from '../../src/contract/failure.ts'
import type { Output } from '../output.ts'
import { findCredential } from '../service.ts'
import { run } from '../program.ts'

/** Not for people: git calls it. */
export function define(command: Command): void {
  command
    .argument('<origin>')
    .argument('<verb>')
    .action((origin: string, verb: string) => run((output, url) => gitCredential(verb, { url, origin }, output)))
}

/**
 * The credential helper of clones (https://git-scm.com/docs/gitcredentials): answers `get` for the origin of the clone
 * with the API key or the session for the service, and leaves `store` and `erase` alone.
 */
async function gitCredential(
  verb: string,
  { url, origin }: { readonly url: string; readonly origin: string },
  output: Output,
): Promise<number> {
  const asked = new Map(
    (await text(process.stdin)).split('\n').map((line): [string, string] => {
      const at = line.indexOf('=')
      return [line.slice(0, at), line.slice(at + 1)]
    }),
  )
  const { protocol, host } = new URL(origin)
  if (verb !== 'get' || `${asked.get('protocol')}:` !== protocol || asked.get('host') !== host) return exitCodes.ok
  const credential = await findCredential(url, output)
  // Without an answer git says itself that it cannot sign in.
  if (credential !== undefined) process.stdout.write(`username=quire\npassword=${credential.token}\n`)
  return exitCodes.ok
}
