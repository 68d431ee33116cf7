import type { Command } from 'commander'
import { Failure, exitCodes } from '../../src/contract/failure.ts'
import { openCredentials } from '../credentials/credentials.ts'
import type { Output } from '../output.ts'
import { endSession } from '../service.ts'
import { run } from '../program.ts'

export function define(command: Command): void {
  command.action(() => run((output, url) => logout({ url }, output)))
}

/** `quire logout`: ends the session on the service and forgets it here. */
async function logout({ url }: { readonly url: string }, output: Output): Promise<number> {
  const credentials = openCredentials(output)
  const session = await credentials.read(url, (reason) =>
    output.note(`The system keychain could not be asked: ${reason}.`),
  )
  if (session === undefined) {
    output.result({ url, signedOut: false }, `You were not signed in to ${url}.`)
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
  output.result({ url, signedOut: true, email: session.email }, `Signed out ${session.email}`)
  return exitCodes.ok
}
