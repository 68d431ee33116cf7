import type { Command } from 'commander'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { realpath } from 'node:fs/promises'
import { Failure, exitCodes } from '../../src/contract/failure.ts'
import type { Output } from '../output.ts'
import { openProject } from '../project.ts'
import { run } from '../program.ts'

export function define(command: Command): void {
  command
    .argument('[dir]', 'default: the project’s slug')
    .action((directory: string | undefined) => run((output, url) => clone(directory, { url }, output)))
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/**
 * The clone's credential helper, which is written into its configuration: the key from the environment at each use,
 * else the session that this program keeps. Neither is written down.
 */
async function helperFor(url: string, origin: string): Promise<string> {
  const program = await realpath(process.argv[1] ?? '')
  const command = [process.execPath, program, '--url', url, 'git-credential', origin].map(quoted).join(' ')
  return (
    '!f() { if test -z "$SERVICE_API_KEY"; then ' +
    `${command} "$1"; ` +
    'elif test "$1" = get; then echo username=quire && echo "password=$SERVICE_API_KEY"; fi; }; f'
  )
}

/** `quire clone [dir]`. */
async function clone(
  directory: string | undefined,
  options: { readonly url: string },
  output: Output,
): Promise<number> {
  const { project, slug, credential } = await openProject(options.url, output)
  const target = directory ?? slug
  const { origin } = new URL(project.cloneUrl)
  // For this origin only: another remote of the clone must not get the credential.
  const settings = [
    `credential.${origin}.helper=`,
    `credential.${origin}.helper=${await helperFor(options.url, origin)}`,
  ]
  const git = spawn(
    'git',
    ['clone', ...settings.flatMap((setting) => ['-c', setting]), '--', project.cloneUrl, target],
    {
      stdio: ['ignore', 'ignore', output.json ? 'ignore' : 'inherit'],
    },
  )
  const [code] = await once(git, 'exit').catch((error: unknown) => {
    throw new Failure('unavailable', 'git could not be started.', { hint: 'Install git and try again.', cause: error })
  })
  if (code !== 0) {
    throw new Failure('unavailable', `git could not clone ${project.cloneUrl} into ${target}.`, {
      hint: 'Is the folder empty, and does the key have the scope read?',
    })
  }
  output.result({ directory: target, cloneUrl: project.cloneUrl }, target)
  const source = credential.kind === 'key' ? 'SERVICE_API_KEY from the environment' : 'the session of quire login'
  output.note(output.paint('dim', `fetch and push use ${source}`))
  return exitCodes.ok
}
