import type { Command } from 'commander'
import { Failure, exitCodes } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import { confirmed } from '../terminal.ts'
import type { Output } from '../output.ts'
import { openProject } from '../project.ts'
import { withRetry } from '../retry.ts'
import { run } from '../program.ts'

export function define(command: Command): void {
  command
    .option('--yes', 'do not ask')
    .action((options: { yes?: boolean }) => run((output, url) => leave({ ...options, url }, output)))
}

/** `quire leave`: a writer goes; only the owner could bring them back. */
async function leave(
  { url, ...options }: { readonly url: string; readonly yes?: boolean },
  output: Output,
): Promise<number> {
  const { client, credential, project, slug, policy } = await openProject(url, output)
  if (credential.kind === 'key') {
    throw new Failure('forbidden', 'An API key has no part in a project that it could leave.', {
      hint: 'Unset SERVICE_API_KEY to leave as the account of quire login.',
    })
  }
  if (project.role === 'owner') {
    throw new Failure('invalid_request', `You own ${slug}: an owner cannot leave.`, {
      hint: 'Give it to a writer first, in the dashboard, or delete it.',
    })
  }
  if (!(await confirmed(`Leaving ${slug}`, options, output))) {
    output.note(`You stay in ${slug}.`)
    return exitCodes.failed
  }
  const { account } = await withRetry(() => client.call(contract.accounts.me), policy)
  await withRetry(() => client.call(contract.members.remove, { params: { slug }, query: { id: account.id } }), policy)
  output.result({ project: slug, left: true }, `You left ${slug}.`)
  return exitCodes.ok
}
