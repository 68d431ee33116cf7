import type { Command } from 'commander'
import { failureOfBuilt, loadBuilt } from '../administration.ts'
import { run } from '../program.ts'

export function define(command: Command): void {
  command.action(() => run(() => serve()))
}

/** `quire serve`: the service in this process, with the settings of `npm start`. It ends by itself. */
async function serve(): Promise<number> {
  // The service ends in its own way: deploys come to their end first.
  process.removeAllListeners('SIGINT')
  try {
    await loadBuilt('server')
  } catch (error) {
    throw failureOfBuilt(error)
  }
  return new Promise<number>(() => undefined)
}
