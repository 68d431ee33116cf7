import { CommanderError } from 'commander'
import { exitCodes } from '../src/contract/failure.ts'
import { program } from './program.ts'
// Each adds the commands of its noun, which load what they do when they are called.
import './register/deploys.ts'
import './register/admin.ts'
import './register/branches.ts'
import './register/login.ts'
import './register/usage.ts'
import './register/changelog.ts'
import './register/webhooks.ts'

process.once('SIGINT', () => process.exit(exitCodes.interrupted))

try {
  await program.parseAsync()
} catch (error) {
  // Commander has told the user already; help and version are no errors.
  if (!(error instanceof CommanderError)) throw error
  process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
}
