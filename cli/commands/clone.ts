import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { realpath } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { exitCodes } from '../../src/contract/failure.ts'
import { Lasting } from '../lasting.ts'
import type { Output } from '../output.ts'
import { run } from '../program.ts'
import { openProject } from '../service/project.ts'
import { findCredential } from '../service/service.ts'

export function defineClone(command: Command): void {
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
    throw new Lasting('git could not be started.', { hint: 'Install git and try again.', cause: error })
  })
  if (code !== 0) {
    throw new Lasting(`git could not clone ${project.cloneUrl} into ${target}.`, {
      hint: 'Is the folder empty, and does the key have the scope read?',
    })
  }
  output.result({ directory: target, cloneUrl: project.cloneUrl }, target)
  const source = credential.kind === 'key' ? 'SERVICE_API_KEY from the environment' : 'the session of quire login'
  output.note(output.paint('dim', `fetch and push use ${source}`))
  return exitCodes.ok
}

/** Not for people: git calls it. */
export function defineGitCredential(command: Command): void {
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
