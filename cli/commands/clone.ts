import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Failure, exitCodes } from '../../src/contract/failure.ts'
import type { Output } from '../output.ts'
import { openProject } from '../project.ts'

/** Reads the key from the environment at each use: it is written nowhere in the clone. */
const helper = '!f() { test "$1" = get && echo username=quire && echo "password=$SERVICE_API_KEY"; }; f'

/** `quire clone [dir]`. */
export async function clone(
  directory: string | undefined,
  options: { readonly url: string },
  output: Output,
): Promise<number> {
  const { project, slug } = await openProject(options.url, output)
  const target = directory ?? slug
  const settings = ['-c', 'credential.helper=', '-c', `credential.helper=${helper}`]
  const git = spawn('git', ['clone', ...settings, '--', project.cloneUrl, target], {
    stdio: ['ignore', 'ignore', output.json ? 'ignore' : 'inherit'],
  })
  const [code] = await once(git, 'exit').catch((error: unknown) => {
    throw new Failure('unavailable', 'git could not be started.', { hint: 'Install git and try again.', cause: error })
  })
  if (code !== 0) {
    throw new Failure('unavailable', `git could not clone ${project.cloneUrl} into ${target}.`, {
      hint: 'Is the folder empty, and does the key have the scope read?',
    })
  }
  output.result({ directory: target, cloneUrl: project.cloneUrl }, target)
  output.note(output.paint('dim', 'fetch and push use SERVICE_API_KEY from the environment'))
  return exitCodes.ok
}
